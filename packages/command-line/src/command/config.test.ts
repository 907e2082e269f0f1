import { readManifests, redactText } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import type { Call } from './command.ts';
import { readSettings } from './config.ts';
import { UsageError } from './errors.ts';
import { parse } from './parse.ts';
import { sampleProgram } from './sample.kit.ts';
import { type TestTerminalOptions, testTerminal } from './test-terminal.kit.ts';

const program = sampleProgram();

function callOf(argv: readonly string[], options: TestTerminalOptions): Call {
  const { terminal } = testTerminal(options);
  const parsed = parse(program, ['version', ...argv], terminal.env);
  if (parsed.kind !== 'run') throw new Error('that is help');
  return { ...parsed.call, terminal };
}

const settings = (argv: readonly string[] = [], options: TestTerminalOptions = {}) =>
  readSettings(callOf(argv, options), program.flags, {
    fileFlag: 'config',
    fileNames: ['.sample.yaml'],
    readDocuments: readManifests,
  });

async function errorOf(text: string): Promise<string> {
  try {
    await settings([], { files: { '.sample.yaml': text } });
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'no error';
}

describe('settings', () => {
  const files = { '.sample.yaml': 'namespace: filed\nheader: [a, b]\ninsecure: true\n' };

  it('have the precedence flag, environment, file, default', async () => {
    const env = { SAMPLE_NAMESPACE: 'varied' };
    const namespace = async (argv: readonly string[], options: TestTerminalOptions) => {
      const found = await settings(argv, options);
      return [found.get('namespace'), found.origin('namespace')];
    };
    expect(await namespace(['-n', 'flagged'], { env, files })).toEqual(['flagged', '--namespace']);
    expect(await namespace([], { env, files })).toEqual(['varied', 'SAMPLE_NAMESPACE']);
    expect(await namespace([], { files })).toEqual(['filed', '.sample.yaml:1:1: namespace']);
    expect(await namespace([], {})).toEqual(['default', undefined]);
  });

  it('may be lists and switches, and a switch can be turned off', async () => {
    const found = await settings([], { files });
    expect([found.all('header'), found.get('insecure')]).toEqual([['a', 'b'], 'true']);
    expect((await settings(['--insecure=false'], { files })).get('insecure')).toBeUndefined();
  });

  it('are read from the working directory, the home directory or the given file', async () => {
    const both = {
      '.sample.yaml': 'namespace: here',
      '/home/person/.sample.yaml': 'namespace: home',
      'other.json': '{"namespace": "other"}',
    };
    const read = async (argv: readonly string[], options: TestTerminalOptions) => {
      const found = await settings(argv, options);
      return [found.get('namespace'), found.file];
    };
    expect(await read([], { files: both })).toEqual(['here', '.sample.yaml']);
    const { '.sample.yaml': _, ...home } = both;
    expect(await read([], { files: home })).toEqual(['home', '/home/person/.sample.yaml']);
    expect(await read(['--config', 'other.json'], { files: both })).toEqual(['other', 'other.json']);
    expect(await read([], { files: both, env: { SAMPLE_CONFIG: 'other.json' } })).toEqual(['other', 'other.json']);
    await expect(settings([], { env: { SAMPLE_CONFIG: 'none.yaml' } })).rejects.toThrow(
      'SAMPLE_CONFIG: there is no file "none.yaml"',
    );
    await expect(settings(['--config=none.yaml'])).rejects.toThrow('--config: there is no file "none.yaml"');
  });

  it.each([
    ['# nothing', 'no error'],
    ['namespce: x', '.sample.yaml:1:1: unknown setting "namespce". Did you mean "namespace"?'],
    [
      '\n  frobnicate: x',
      '.sample.yaml:2:3: unknown setting "frobnicate". There are namespace, header, insecure, registry.',
    ],
    ['"a b": x', '.sample.yaml:1:1: unknown setting "a b". There are namespace, header, insecure, registry.'],
    ['namespace: [a]', '.sample.yaml:1:1: namespace has to be a single value, not a list'],
    ['namespace: {a: b}', '.sample.yaml:1:1: namespace has to be a single value, not an object'],
    ['namespace:', '.sample.yaml:1:1: namespace has to be a single value, not null'],
    ['namespace: ""', '.sample.yaml:1:1: namespace is empty: omit it, or set a value'],
    ['insecure: maybe', '.sample.yaml:1:1: insecure has to be true or false, not "maybe"'],
    ['namespace: a\n---\nnamespace: b', '.sample.yaml:3: a config file has to contain a single document'],
  ])('complain about %j with the place', async (text, message) => {
    expect(await errorOf(text)).toBe(message);
  });

  it('report the position of invalid YAML', async () => {
    expect(await errorOf('a: b\n  c: [')).toMatch(/^\.sample\.yaml:1:4: Nested mappings/);
  });

  it('can be viewed with their origin, without secrets', async () => {
    const found = await settings(['--registry', 'etcd://root:hunter2@host:2379/x'], {
      env: { SAMPLE_INSECURE: 'false' },
      files: { '.sample.yaml': 'header: [hunter2, hunter3]' },
    });
    expect(found.view(redactText)).toEqual([
      { key: 'namespace', value: 'default', from: 'default' },
      { key: 'header', value: '<hidden>, <hidden>', from: '.sample.yaml:1:1' },
      { key: 'insecure', value: 'false', from: 'SAMPLE_INSECURE' },
      { key: 'registry', value: 'etcd://<hidden>@host:2379/x', from: '--registry' },
    ]);
    expect((await settings()).view(redactText)[3]).toEqual({ key: 'registry', value: '', from: '' });
  });
});
