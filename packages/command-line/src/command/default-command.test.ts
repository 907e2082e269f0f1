/** Programs that do something without a command, as servers do, and that print their version by a flag. */
import { describe, expect, it } from 'vitest';
import type { Command, Program } from './command.ts';
import { helpText } from './help.ts';
import { runInTestTerminal } from './test-terminal.kit.ts';

const serve: Command = {
  name: 'serve',
  help: 'serve until stopped',
  examples: [],
  flags: [{ name: 'port', value: 'N', default: '80', variable: 'SERVER_PORT', help: 'where' }],
  load: async () => ({
    run: async ({ terminal, flag }) => {
      if (flag('port') === '13') throw new TypeError('unlucky');
      terminal.out.write(`port ${flag('port')}\n`);
    },
  }),
};
const call: Command = {
  name: 'call',
  help: 'call it',
  examples: [],
  words: 'PATH',
  load: async () => ({ run: async ({ terminal, words: [path] }) => terminal.out.write(`call ${path}\n`) }),
};
const program: Program = {
  name: 'server',
  help: 'a server for tests',
  examples: [],
  flags: [],
  commands: [call],
  defaultCommand: serve,
  version: () => '1.2.3',
};
const run = (line: string, env = {}) => {
  const words = line.split(' ').filter((word) => word !== '');
  return runInTestTerminal(program, words, { env });
};

describe('a default command', () => {
  it.each([
    ['', 'port 80\n'],
    ['--port 8080', 'port 8080\n'],
    ['call /x', 'call /x\n'],
  ])('"%s" runs it unless another one is named', async (line, out) => {
    expect(await run(line)).toEqual({ code: 0, out, err: '' });
  });

  it('reads its variables', async () => {
    expect(await run('', { SERVER_PORT: '81' })).toMatchObject({ out: 'port 81\n' });
  });

  it.each([
    ['--prot 1', 'unknown flag --prot. Did you mean "--port"?'],
    ['cal /x', 'unknown command "cal". Did you mean "call"?'],
    ['serve', 'unknown command "serve".'],
    ['call /x --port 1', 'unknown flag --port.'],
    ['-- x', 'serve takes no arguments, but got "x"'],
  ])('"%s" is a usage error', async (line, message) => {
    const { code, err } = await run(line);
    expect(code).toBe(2);
    expect(err).toContain(`server: ${message}`);
  });

  it('has its flags in the help of the program only', async () => {
    expect(helpText(program, [])).toContain('--port N');
    expect(helpText(program, [])).toContain('server [COMMAND] [FLAGS]');
    expect(helpText(program, [call])).not.toContain('--port N');
  });

  it('completes its flags and the commands', async () => {
    expect((await run('__complete -- --p')).out).toBe('--port\twhere\n');
    expect((await run('__complete -- c')).out).toBe('call\tcall it\n');
  });
});

describe('--version', () => {
  it.each(['--version', 'call --version', '--port 1 --version'])('"%s" prints it', async (line) => {
    expect(await run(line)).toEqual({ code: 0, out: '1.2.3\n', err: '' });
  });

  it('prints it for a program that needs a command, and help comes first', async () => {
    const { defaultCommand: _, ...needy } = program;
    expect(await runInTestTerminal(needy, ['--version'])).toMatchObject({ code: 0, out: '1.2.3\n' });
    expect((await runInTestTerminal(needy, ['--version', '--help'])).out).toContain('Usage:');
    expect((await runInTestTerminal(needy, ['clal', '--version'])).code).toBe(2);
  });
});

it('an unexpected error is shown with its stack if there is no -v', async () => {
  const { code, err } = await run('--port 13');
  expect(code).toBe(1);
  expect(err).toMatch(/^server: this is a bug: unlucky\nTypeError: unlucky\n {4}at /);
});
