/** The sample program as a real process: pipes, signals, terminals and editors as they are. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { mayColour } from './output.ts';
import { hasTerminal, sampleProcess, when } from './process.kit.ts';

const sample = sampleProcess();

describe('a program in a pipe', () => {
  it('writes all of its output before it ends', async () => {
    const { code, out } = await sample.shell('sample burst 5000000 | { sleep 0.3; wc -c; }');
    expect([code, out.trim()]).toEqual([0, '5000000']);
  });

  it('writes a complete file', async () => {
    expect((await sample.shell('sample burst 3000000 > file && wc -c < file')).out.trim()).toBe('3000000');
  });

  it('exits with 0 when the pipe is closed', async () => {
    const { code, out, err } = await sample.shell('sample lines 100000000 | head -2; echo $PIPESTATUS');
    expect([code, out, err]).toEqual([0, 'line 0\nline 1\n0\n', '']);
  });

  it('fails with one line when the disk is full', async () => {
    const { code, err } = await sample.shell('sample lines 10 > /dev/full');
    expect(code).toBe(1);
    expect(err).toMatch(/^sample: standard output cannot be written: ENOSPC[^\n]*\n$/);
  });

  it('continues when standard error is closed', async () => {
    const { out } = await sample.shell('sample gte 2> >(true); echo "code $?"');
    expect(out).toBe('code 2\n');
  });

  it('does not ask without a terminal', async () => {
    expect((await sample.run(['ask'])).out).toBe('answers: [null,null]\n');
    expect((await sample.run(['ask'], { input: 'y\ny\n' })).out).toBe('answers: [null,null]\n');
  });

  it('has no colours, unless they are forced', async () => {
    expect((await sample.run(['colour'])).out).toBe('false false\n');
    expect((await sample.run(['colour'], { env: { FORCE_COLOR: '1' } })).out).toBe('true false\n');
  });
});

describe('standard input', () => {
  it('is read as a whole', async () => {
    expect((await sample.run(['cat'], { input: 'x'.repeat(1_000_000) })).out).toBe('1000000 bytes\n');
    expect((await sample.run(['cat'], { input: '' })).out).toBe('0 bytes\n');
  });

  it('has a limit', async () => {
    const { code, err } = await sample.shell('head -c 67108865 /dev/zero | sample cat');
    expect([code, err]).toEqual([1, 'reading\nsample: standard input is larger than the limit of 64 MiB\n']);
    expect((await sample.shell('head -c 67108864 /dev/zero | sample cat')).out).toBe('67108864 bytes\n');
  });

  it('does not block an interrupted program', async () => {
    // After a delay, so that it is reading already.
    const later = when([/reading/, (child) => void setTimeout(() => child.kill('SIGTERM'), 500)]);
    const { code, out } = await sample.run(['cat'], { onOutput: later });
    expect([code, out]).toEqual([143, '']);
  });
});

describe('a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s asks the command to stop; it ends with %d', async (signal, code) => {
    const ran = await sample.run(['live'], { onOutput: when([/Ctrl-C/, (child) => child.kill(signal)]) });
    expect([ran.code, ran.out, ran.err]).toEqual([
      code,
      'first undefinedxundefined\nsecond\nready\nwaiting for Ctrl-C\n',
      '',
    ]);
  });

  it('ends a command that ignores it when it arrives twice', async () => {
    let isSecond = false;
    const { code } = await sample.run(['deaf'], {
      onOutput: when([
        /deaf/,
        (child) => {
          child.kill('SIGINT');
          isSecond = true;
          // Two signals that are not received yet are one.
          const again = setInterval(() => child.kill('SIGINT') || clearInterval(again), 300);
        },
      ]),
    });
    expect([code, isSecond]).toEqual([130, true]);
  });
});

it('an uncaught error is one line, with a stack only with -v', async () => {
  const { code, err } = await sample.run(['stray']);
  expect([code, err]).toEqual([1, 'sample: this is a bug: this is not caught; run again with -v to see where\n']);
  expect((await sample.run(['stray', '-v'])).err).toMatch(/this is not caught\n {4}at /);
});

it('fails at the deadline', async () => {
  const { code, err } = await sample.run(['wait']);
  expect([code, err]).toEqual([
    1,
    'waiting for the moon (0 s of 1 s): 0/1 ready\nsample: timed out waiting for the moon after 1 s: 0/1 ready\n',
  ]);
});

describe('an editor', () => {
  const left = () => readdirSync(sample.directory).filter((name) => name.startsWith('ecsm-edit-'));
  const editor = { EDITOR: 'sed -i s/1/2/' };

  it('gets the text in a temporary file, and returns it; the file is removed', async () => {
    const { code, out } = await sample.run(['edit'], { env: { ...editor, VISUAL: '' } });
    expect([code, out, left()]).toEqual([0, 'saved: "replicas: 2\\n"\n', []]);
    // VISUAL goes first.
    expect((await sample.run(['edit'], { env: { EDITOR: 'false', VISUAL: 'true' } })).out).toBe(
      'saved: "replicas: 1\\n"\n',
    );
  });

  it('gets a file that only its owner can read', async () => {
    const { out } = await sample.run(['edit'], { env: { EDITOR: 'stat -c %a:%n' } });
    expect(out).toMatch(/^600:\S+\/edit\.yaml\n/);
  });

  it('keeps the text if the command fails afterwards', async () => {
    const { code, err } = await sample.run(['edit', 'refuse'], { env: editor });
    const path = /^sample: replicas must not be 2\nYour edits are kept in (\S+)\n$/.exec(err)?.[1] ?? err;
    expect([code, readFileSync(path, 'utf8')]).toEqual([1, 'replicas: 2\n']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(left()).toHaveLength(1);
  });

  it('that saves a text that is not UTF-8 changes nothing, and the text is kept', async () => {
    const { code, out, err } = await sample.run(['edit'], { env: { EDITOR: "sed -i 's/1/\\xfc/'" } });
    const path = /^sample: the saved text is not UTF-8, .* It is kept in (\S+)\n$/.exec(err)?.[1] ?? err;
    expect([code, out, readFileSync(path, 'latin1')]).toEqual([1, '', 'replicas: \u00fc\n']);
  });

  it('that fails or does not exist leaves no file', async () => {
    const before = left();
    expect((await sample.run(['edit'], { env: { EDITOR: 'false' } })).err).toBe(
      'sample: the editor "false" ended with 1, and standard input is not a terminal: run it in one, or set EDITOR to a program that needs none; nothing was changed\n',
    );
    expect((await sample.run(['edit'], { env: { EDITOR: 'no-such-editor' } })).err).toContain(
      'sample: there is no editor "no-such-editor": set EDITOR to an installed editor\n',
    );
    expect(left()).toEqual(before);
  });

  it('handles Ctrl-C itself', async () => {
    const { code, out } = await sample.run(['edit'], {
      env: { EDITOR: 'f() { kill -INT $PPID; sleep 0.2; sed -i s/1/2/ "$1"; }; f' },
    });
    expect([code, out]).toEqual([0, 'saved: "replicas: 2\\n"\n']);
  });

  it('ends with the program, and the saved text is kept', async () => {
    const { code, err } = await sample.run(['edit'], {
      env: { EDITOR: 'f() { echo typed > "$1"; echo editing >&2; exec sleep 30; }; f' },
      onOutput: when([/editing/, (child) => child.kill('SIGTERM')]),
    });
    const path = /is in (\S+)\n$/.exec(err)?.[1] ?? err;
    expect([code, readFileSync(path, 'utf8')]).toEqual([143, 'typed\n']);
  });

  it('is not started without a terminal', async () => {
    expect((await sample.run(['edit'], { env: { EDITOR: 'sh -c "cat >/dev/null; exit 0"' } })).code).toBe(0);
  });
});

describe.skipIf(!hasTerminal)('in a terminal', () => {
  it('gets its size, repaints, and restores the cursor after Ctrl-C', async () => {
    const { code, out } = await sample.runInTerminal(['live'], {
      onOutput: when([/waiting for Ctrl-C/, (child) => child.stdin.write('\u0003')]),
    });
    expect(code).toBe(130);
    expect(out).toContain('first 60x20');
    expect(out).toContain('\u001b[?25l');
    expect(out.lastIndexOf('\u001b[?25h')).toBeGreaterThan(out.lastIndexOf('\u001b[?25l'));
    expect(out.endsWith('\u001b[?25h')).toBe(true);
  });

  it('asks one question after the other', async () => {
    const { code, out } = await sample.runInTerminal(['ask'], {
      onOutput: when(
        [/y\/N\] $/, (child) => child.stdin.write('y\n')],
        [/Really\? $/, (child) => child.stdin.write('no, \u7b49\n')],
      ),
    });
    expect(code, out).toBe(0);
    expect(out).toContain('answers: ["y","no, \u7b49"]');
  });

  it('keeps answers that were typed ahead', async () => {
    const { out } = await sample.runInTerminal(['ask'], {
      onOutput: when([/y\/N\] $/, (child) => child.stdin.write('y\nyes\n')]),
    });
    expect(out).toContain('answers: ["y","yes"]');
  });

  it('takes Ctrl-D for no answer, and Ctrl-C for an abort', async () => {
    const end = await sample.runInTerminal(['ask'], {
      onOutput: when([/y\/N\] $/, (child) => child.stdin.write('\u0004')]),
    });
    expect(end.out).toContain('answers: [null,null]');
    const stop = await sample.runInTerminal(['ask'], {
      onOutput: when([/y\/N\] $/, (child) => child.stdin.write('\u0003')]),
    });
    expect(stop.code, stop.out).toBe(130);
  });

  it('does not read piped input from it', async () => {
    const { code, out } = await sample.runInTerminal(['cat']);
    expect(code).toBe(2);
    expect(out).toContain('sample: standard input is a terminal: name a file');
  });

  it.each([
    [{}, 'true true'],
    [{ NO_COLOR: '1' }, 'false true'],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, 'false true'],
    [{ TERM: 'dumb' }, 'false true'],
  ])('uses colours as the environment %j requires', async (env, expected) => {
    // Node.js 22 and newer warn of NO_COLOR beside FORCE_COLOR.
    const { out } = await sample.runInTerminal(['colour'], { env: { ...env, NODE_NO_WARNINGS: '1' } });
    expect(out.trim()).toBe(expected);
  });

  it('does not move the cursor on a dumb terminal', async () => {
    const { out } = await sample.runInTerminal(['live'], {
      env: { TERM: 'dumb' },
      onOutput: when([/waiting for Ctrl-C/, (child) => child.stdin.write('\u0003')]),
    });
    expect(out).not.toContain('\u001b');
  });

  it('prints help in its width', async () => {
    const { out } = await sample.runInTerminal(['get', '--help']);
    expect(out.split('\r\n').filter((line) => line.length > 60)).toEqual([]);
    expect(out).toContain('Shows the objects of a kind, or those that are named, as a\r\n');
  });
});

it('NO_COLOR takes precedence over FORCE_COLOR, and an empty value is ignored', () => {
  const answers = [{}, { NO_COLOR: '' }, { FORCE_COLOR: '0' }, { FORCE_COLOR: '', TERM: 'dumb' }].map((env) =>
    mayColour(true, env),
  );
  expect(answers).toEqual([true, true, false, false]);
  expect(mayColour(false, { FORCE_COLOR: 'true' })).toBe(true);
});
