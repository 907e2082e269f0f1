import { ApiError } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import type { Command, Run } from './command.ts';
import { Failure, UsageError } from './errors.ts';
import { runProgram } from './run.ts';
import { sampleProgram } from './sample.kit.ts';
import { runInTestTerminal, testTerminal } from './test-terminal.kit.ts';

const doing = (run: Run, more: Partial<Command> = {}): Command => ({
  name: 'do',
  help: 'do it',
  examples: [],
  load: async () => ({ run }),
  ...more,
});

const failing = (error: unknown) =>
  sampleProgram(
    doing(async () => {
      throw error;
    }),
  );

describe('running a program', () => {
  it('passes words and flags to the command, and exits with 0', async () => {
    const { out, err, code } = await runInTestTerminal(sampleProgram(), ['get', 'services', '-n', 'orbit']);
    expect(JSON.parse(out)).toMatchObject({ words: ['services'], namespace: ['orbit', ['orbit'], '--namespace'] });
    expect([err, code]).toEqual(['', 0]);
  });

  it('exits with the code that the command returns', async () => {
    expect((await runInTestTerminal(sampleProgram(doing(async () => 7)), ['do'])).code).toBe(7);
  });

  it('prints usage errors as one line, with a hint to the help', async () => {
    expect(await runInTestTerminal(sampleProgram(), ['get', 'x', '--frob'])).toEqual({
      code: 2,
      out: '',
      err: 'sample: unknown flag --frob.\nTry: sample get --help\n',
    });
    expect((await runInTestTerminal(sampleProgram(), ['gte'])).err).toBe(
      'sample: unknown command "gte". Did you mean "get"?\nTry: sample --help\n',
    );
    expect(await runInTestTerminal(failing(new UsageError('that is senseless')), ['do'])).toEqual({
      code: 2,
      out: '',
      err: 'sample: that is senseless\nTry: sample do --help\n',
    });
  });

  it('escapes control characters in words', async () => {
    const { err } = await runInTestTerminal(sampleProgram(), ['\u001b[2J\nx']);
    expect(err).not.toContain('\u001b');
    expect(err.split('\n')).toHaveLength(3);
  });

  it.each([
    ['a failure', new Failure('it did not work'), 1, 'sample: it did not work\n'],
    ['a failure with a code', new Failure('it did not work', { exitCode: 9 }), 9, 'sample: it did not work\n'],
    [
      'an error of the catalogue',
      new ApiError('NotFound', { kind: 'node', name: 'n1' }),
      1,
      'sample: node "n1" not found\n',
    ],
    ['one of several lines', new ApiError('BadRequest', { reason: 'a\n  b' }), 1, 'sample: a b\n'],
    [
      'a refusal of the system',
      Object.assign(new Error('EIO: i/o error, write'), { errno: -5, syscall: 'write' }),
      1,
      'sample: EIO: i/o error, write\n',
    ],
    [
      'a bug',
      new TypeError('x is undefined'),
      1,
      'sample: this is a bug: x is undefined; run again with -v to see where\n',
    ],
    [
      'a bug of the library',
      new ApiError('Closed', { what: 'the store' }),
      1,
      'sample: this is a bug: the store is closed; run again with -v to see where\n',
    ],
    ['a thrown value that is not an error', 'oops', 1, 'sample: this is a bug: oops; run again with -v to see where\n'],
  ])('makes one line of %s', async (_name, error, code, err) => {
    expect(await runInTestTerminal(failing(error), ['do'])).toEqual({ code, out: '', err });
  });

  it('prints stack and causes only with -v', async () => {
    const error = new TypeError('x is undefined', { cause: new Error('the real reason') });
    const { err } = await runInTestTerminal(failing(error), ['do', '-v']);
    expect(err).toMatch(/^sample: this is a bug: x is undefined\nTypeError: x is undefined\n {4}at /);
    expect(err).toContain('caused by: Error: the real reason');
  });

  it('prints details only with -v', async () => {
    const program = sampleProgram(doing(async ({ terminal }) => terminal.detail(`GET /nodes ${terminal.isVerbose}`)));
    expect((await runInTestTerminal(program, ['do', '-v'])).err).toBe('GET /nodes true\n');
    expect((await runInTestTerminal(program, ['do'])).err).toBe('');
  });

  it('lets a command describe a failure', async () => {
    const program = sampleProgram(doing(async () => Promise.reject(new Failure('no link')), { failureCode: 3 }));
    expect((await runInTestTerminal(program, ['do'])).code).toBe(3);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('after %s ends with %d, and is quiet about what that broke', async (signal, code) => {
    const { terminal, err, interrupt, ended } = testTerminal();
    const program = sampleProgram(
      doing(async () => {
        interrupt(signal);
        throw new ApiError('Unavailable', { what: 'the platform', reason: 'aborted' });
      }),
    );
    expect(await runProgram(program, ['do'], terminal)).toBe(code);
    expect([err.text, ended]).toEqual(['', [code]]);
  });

  it('prints the message of the command after Ctrl-C', async () => {
    const { terminal, err, interrupt } = testTerminal();
    const program = sampleProgram(
      doing(async () => {
        interrupt();
        throw new Failure('2 of 5 are applied');
      }),
    );
    expect(await runProgram(program, ['do'], terminal)).toBe(130);
    expect(err.text).toBe('sample: 2 of 5 are applied\n');
  });

  it('exits with 130 after Ctrl-C even if the command succeeds', async () => {
    const { terminal, interrupt } = testTerminal();
    expect(await runProgram(sampleProgram(doing(async () => interrupt())), ['do'], terminal)).toBe(130);
  });

  it('exits with 0 and without a message when its output is closed', async () => {
    const { terminal, out, err } = testTerminal();
    const program = sampleProgram(
      doing(async () => {
        out.isClosed = true;
        terminal.out.write('more');
        throw new Error('aborted');
      }),
    );
    expect([await runProgram(program, ['do'], terminal), err.text]).toEqual([0, '']);
  });

  it.each([
    new Failure('1 of 5 could not be applied'),
    new ApiError('StorageFull', { what: 'the store', reason: 'the disk is full' }),
  ])('fails for a reason of its own also when its output is closed: $name', async (error) => {
    const { terminal, out, err } = testTerminal();
    const program = sampleProgram(
      doing(async () => {
        out.isClosed = true;
        terminal.out.write('more');
        throw error;
      }),
    );
    expect(await runProgram(program, ['do'], terminal)).toBe(1);
    expect(err.text).toBe(`sample: ${error.message}\n`);
  });

  it('does not report that something was closed because its output is', async () => {
    const { terminal, out, err } = testTerminal();
    const program = sampleProgram(
      doing(async () => {
        out.isClosed = true;
        terminal.out.write('more');
        throw new ApiError('Closed', { what: 'the store' });
      }),
    );
    expect([await runProgram(program, ['do'], terminal), err.text]).toEqual([0, '']);
  });

  it('fails when its output cannot be written', async () => {
    const { terminal, err } = testTerminal();
    const drained = () => Promise.reject(new Failure('standard output cannot be written: the disk is full'));
    const broken = { ...terminal, out: Object.assign(Object.create(terminal.out), { drained }) };
    expect(await runProgram(sampleProgram(), ['version'], broken)).toBe(1);
    expect(err.text).toBe('sample: standard output cannot be written: the disk is full\n');
  });

  it('reports a command without an implementation as a bug', async () => {
    const { load: _, ...nothing } = doing(async () => {});
    expect((await runInTestTerminal(sampleProgram(nothing), ['do'])).err).toContain(
      'the command "do" has no implementation',
    );
  });
});
