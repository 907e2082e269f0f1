import { settled } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import type { Program } from './command.ts';
import { candidatesFor } from './complete.ts';
import { runProgram } from './run.ts';
import { sampleProgram } from './sample.kit.ts';
import { runInTestTerminal, testTerminal } from './test-terminal.kit.ts';

const program = sampleProgram();

/** The last word is the one that is being typed. Without descriptions. */
async function candidates(...words: string[]): Promise<string[]> {
  const found = await candidatesFor(program, words, testTerminal().terminal);
  return found.map((one) => one.split('\t')[0] ?? '');
}

describe('completion', () => {
  it('offers commands, but neither aliases nor hidden ones', async () => {
    expect(await candidates('')).toEqual([
      'get',
      'apply',
      'rollout',
      'exec',
      'diff',
      'follow',
      'version',
      'completion',
      'help',
    ]);
    expect(await candidates('ro')).toEqual(['rollout']);
    expect(await candidates('l')).toEqual([]);
    expect(await candidates('-n', 'orbit', 'g')).toEqual(['get']);
    expect(await candidates('rollout', '')).toEqual(['status', 'undo']);
    expect(await candidates('help', 'rollout', 'u')).toEqual(['undo']);
    expect(await candidates('nonsense', '')).toEqual([]);
  });

  it('uses variables of the environment', async () => {
    const received: (string | undefined)[] = [];
    const own: Program = {
      ...program,
      flags: [{ name: 'registry', value: 'URL', variable: 'ECSM_REGISTRY', help: 'where' }],
      commands: [
        {
          name: 'get',
          help: 'show',
          examples: [],
          words: '[NAME...]',
          completeWords: async ({ origin, flag }) => {
            received.push(origin('registry'), flag('registry'));
            return [];
          },
        },
      ],
    };
    await candidatesFor(own, ['get', ''], testTerminal({ env: { ECSM_REGISTRY: 'sqlite:./fleet' } }).terminal);
    await candidatesFor(own, ['get', ''], testTerminal().terminal);
    expect(received).toEqual(['ECSM_REGISTRY', 'sqlite:./fleet', undefined, undefined]);
  });

  it('offers flags with their help, and none twice', async () => {
    expect(await candidatesFor(program, ['get', '--ou'], testTerminal().terminal)).toEqual(['--output\tthe format']);
    expect(await candidates('get', 'services', '-o', 'yaml', '-l', 'a', '--')).toEqual([
      '--all-namespaces',
      '--selector',
      '--watch',
      '--namespace',
      '--header',
      '--insecure',
      '--registry',
      '--config',
      '--verbose',
      '--help',
    ]);
    expect(await candidates('--ver')).toEqual(['--verbose']);
    expect(await candidates('version', '')).toContain('--namespace');
  });

  it('offers the values of flags, in every spelling', async () => {
    expect(await candidates('get', '-o', 'w')).toEqual(['wide']);
    expect(await candidates('get', '--output', '')).toEqual(['table', 'wide', 'yaml', 'json']);
    expect(await candidates('get', '--output=w')).toEqual(['--output=wide']);
    expect(await candidates('get', '-n', '')).toEqual(['orbit', 'ground']);
    expect(await candidates('get', '-An', 'o')).toEqual(['orbit']);
    expect(await candidates('apply', '--dry-run=')).toEqual(['--dry-run=client', '--dry-run=server']);
    expect(await candidates('apply', '-f', '')).toEqual([':files']);
    expect(await candidates('apply', '--filename=x')).toEqual([':files']);
    expect(await candidates('get', '--registry', '')).toEqual([]);
  });

  it('asks the command for its words, with the words so far', async () => {
    expect(await candidatesFor(program, ['get', 's'], testTerminal().terminal)).toEqual(['services\trun containers']);
    expect(await candidates('get', '-n', 'orbit', 'services', 'tele')).toEqual(['telemetry-orbit']);
    expect(await candidates('get', 'services', 'tele')).toEqual(['telemetry-default']);
    expect(await candidates('get', '--', 'services', 'cam')).toEqual(['camera']);
    expect(await candidates('exec', 'camera', '--', '')).toEqual([':files']);
    expect(await candidates('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect((await candidates('completion', 'bash', '')).filter((one) => !one.startsWith('--'))).toEqual([]);
  });

  it('prints nothing and succeeds after any error', async () => {
    const broken = {
      ...program.commands[0],
      name: 'broken',
      help: '',
      examples: [],
      completeWords: () => Promise.reject(new Error('no link')),
    };
    expect(await runInTestTerminal(sampleProgram(broken), ['__complete', '--', 'broken', ''])).toEqual({
      code: 0,
      out: '',
      err: '',
    });
    const thrown = {
      ...broken,
      completeWords: () => {
        throw new Error('no link');
      },
    };
    expect(await runInTestTerminal(sampleProgram(thrown), ['__complete', '--', 'broken', ''])).toEqual({
      code: 0,
      out: '',
      err: '',
    });
    expect((await runInTestTerminal(program, ['__complete'])).code).toBe(0);
  });

  it('limits the time for live names', async () => {
    const slow = {
      name: 'slow',
      help: '',
      examples: [],
      words: 'NAME',
      completeWords: () => new Promise<string[]>(() => {}),
    };
    const { terminal, clock, out } = testTerminal();
    const done = runProgram(sampleProgram(slow), ['__complete', '--', 'slow', ''], terminal);
    await settled();
    await clock.advance(2_000);
    expect([await done, out.text, clock.timers]).toEqual([0, '', 0]);
  });

  it('omits names that would break the protocol', async () => {
    const odd = {
      name: 'odd',
      help: '',
      examples: [],
      words: 'NAME',
      completeWords: async () => ['a\nb', '\u001b[2J', 'fine'],
    };
    expect((await runInTestTerminal(sampleProgram(odd), ['__complete', '--', 'odd', ''])).out).toBe('fine\n');
  });
});
