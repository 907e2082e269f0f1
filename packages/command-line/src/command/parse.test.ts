import { describe, expect, it } from 'vitest';
import { UsageError } from './errors.ts';
import { parse } from './parse.ts';
import { sampleProgram } from './sample.kit.ts';

const program = sampleProgram();
const line = (text: string) => text.split(' ').filter((word) => word !== '');

function read(text: string | readonly string[], env = {}) {
  const parsed = parse(program, typeof text === 'string' ? line(text) : text, env);
  if (parsed.kind === 'help') return { help: parsed.path.map(({ name }) => name) };
  if (parsed.kind === 'version') throw new Error('the sample has a command for it');
  return { command: parsed.path.map(({ name }) => name).join(' '), ...parsed.call, isVerbose: parsed.isVerbose };
}

function call(text: string | readonly string[], env = {}) {
  const found = read(text, env);
  if ('help' in found) throw new Error('that is help');
  return found;
}

function errorOf(text: string | readonly string[], env = {}): string {
  try {
    read(text, env);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'no error';
}

describe('a command line', () => {
  it.each([
    'get x -n orbit',
    'get x -norbit',
    'get x -n=orbit',
    'get x --namespace=orbit',
    'get x --namespace orbit',
    '-n orbit get x',
    'get --namespace orbit x',
    'get -Anorbit x',
    'get -wAn orbit x',
    '-A -n orbit get x',
    '-o yaml get -n orbit x',
    'list x -n orbit',
  ])('gives a flag its value: %s', (text) => {
    const { command, words, flag, flags, origin } = call(text);
    expect([command, words, flag('namespace'), flags('namespace'), origin('namespace')]).toEqual([
      'get',
      ['x'],
      'orbit',
      ['orbit'],
      '--namespace',
    ]);
  });

  it('distinguishes switches, groups of letters and values with an equals sign', () => {
    expect(['all-namespaces', 'watch'].map(call('get x -Awv').flag)).toEqual(['true', 'true']);
    expect(call('get x -Awv').isVerbose).toBe(true);
    expect(call('get x').flag('watch')).toBeUndefined();
    expect(call('get x -l a=b -l=c==d --selector=e').flags('selector')).toEqual(['a=b', 'c==d', 'e']);
    expect(call('get x -w=true').flag('watch')).toBe('true');
    expect(call('get x -Aw=false').flag('watch')).toBeUndefined();
    expect(call('get x -vvv').isVerbose).toBe(true);
  });

  it('accepts flags with an optional value, and takes no word for it', () => {
    expect(call('apply').flag('dry-run')).toBeUndefined();
    expect(call('apply --dry-run').flag('dry-run')).toBe('client');
    expect(call('apply --dry-run=server').flag('dry-run')).toBe('server');
    expect(errorOf('apply --dry-run server')).toBe('apply takes no arguments, but got "server"');
  });

  it('takes a single dash for a word, and negative numbers for values', () => {
    expect(call('get -').words).toEqual(['-']);
    expect(call('apply -f -').flag('filename')).toBe('-');
    expect(call('rollout undo x --to -1').flag('to')).toBe('-1');
  });

  it('passes what follows -- to commands that accept it, and takes it for words otherwise', () => {
    const { words, rest } = call('exec camera -- ls -l --all -- x');
    expect([words, rest]).toEqual([['camera'], ['ls', '-l', '--all', '--', 'x']]);
    expect(call('get x -- -n --weird').words).toEqual(['x', '-n', '--weird']);
    expect(call('get x --').words).toEqual(['x']);
  });

  it('prefers flags to variables, and variables to defaults', () => {
    const env = { SAMPLE_NAMESPACE: 'ground', SAMPLE_WATCH: '1' };
    const ask = (text: string, variables = {}) => [
      call(text, variables).flag('namespace'),
      call(text, variables).origin('namespace'),
    ];
    expect(ask('get x -n orbit', env)).toEqual(['orbit', '--namespace']);
    expect(ask('get x', env)).toEqual(['ground', 'SAMPLE_NAMESPACE']);
    expect(ask('get x')).toEqual(['default', undefined]);
    expect(ask('get x', { SAMPLE_NAMESPACE: '' })).toEqual(['default', undefined]);
    expect(call('get x', env).flag('watch')).toBe('true');
    expect(call('get x --watch=false', env).flag('watch')).toBeUndefined();
    expect(call('get x', { SAMPLE_HEADER: 'a\n\nb' }).flags('header')).toEqual(['a', 'b']);
  });

  it('finds the command after a flag that another command has as a switch', () => {
    for (const commands of [program.commands, [...program.commands].reverse()]) {
      const parsed = parse({ ...program, commands }, line('-f x.yaml apply'), {});
      expect(parsed.kind === 'run' && parsed.command.name).toBe('apply');
    }
  });

  it('finds a subcommand', () => {
    expect(call('rollout -n orbit undo telemetry --to 3')).toMatchObject({
      command: 'rollout undo',
      words: ['telemetry'],
    });
  });

  it.each([
    ['', []],
    ['--help', []],
    ['help', []],
    ['-h', []],
    ['-n orbit', []],
    ['get --help', ['get']],
    ['get -h --nonsense', ['get']],
    ['--help get', ['get']],
    ['get x y z -help', ['get']],
    ['help get', ['get']],
    ['help rollout undo', ['rollout', 'undo']],
    ['rollout --help', ['rollout']],
    ['help get services', ['get']],
  ])('asks for help: %j', (text, help) => {
    expect(read(text)).toEqual({ help });
  });

  it('accepts --version', () => {
    expect(call('--version').command).toBe('version');
  });

  it('throws if a command reads a flag that it does not declare', () => {
    expect(() => call('get x').flag('namepsace')).toThrow('the command reads the undeclared flag --namepsace');
  });
});

describe('an invalid command line', () => {
  it.each([
    ['gte x', 'unknown command "gte". Did you mean "get"?'],
    ['aply -f x', 'unknown command "aply". Did you mean "apply"?'],
    ['lst x', 'unknown command "lst". Did you mean "list"?'],
    ['hepl', 'unknown command "hepl". Did you mean "help"?'],
    [
      'frobnicate',
      'unknown command "frobnicate". There are get, apply, rollout, exec, diff, follow, version, completion, help.',
    ],
    ['help gte', 'unknown command "gte". Did you mean "get"?'],
    ['rollout', 'rollout needs a command: status or undo'],
    ['rollout -f file.yaml', 'rollout needs a command: status or undo'],
    ['rollout undoo x', 'unknown command "rollout undoo". Did you mean "undo"?'],
    ['rollout nonsense --help', 'unknown command "rollout nonsense". There are status, undo.'],
    ['get x --namespce y', 'unknown flag --namespce. Did you mean "--namespace"?'],
    ['get x --name y', 'unknown flag --name. Did you mean "--namespace"?'],
    ['get x --frobnicate', 'unknown flag --frobnicate.'],
    ['get x -z', 'unknown flag -z.'],
    ['get x -W', 'unknown flag -W. Did you mean "-w"?'],
    ['get x -1', 'unknown flag -1.'],
    ['--frobnicate 3 get x', 'unknown flag --frobnicate.'],
    ['--frobnicate 3', 'unknown flag --frobnicate.'],
    ['get x --', 'no error'],
    ['-- get x', 'write the command before --'],
    ['apply --no-wait', 'unknown flag --no-wait: to switch --wait off, write --wait=false'],
    ['get x --no-namespace', 'unknown flag --no-namespace. Did you mean "--namespace"?'],
    ['get x -n', '-n needs a value: -n NS'],
    ['get x --namespace', '--namespace needs a value: --namespace NS'],
    ['get x -n -A', '-n needs a value: -n NS. If "-A" is the value, write --namespace=-A'],
    [
      'get x --output --watch',
      '--output needs a value: --output FORMAT. If "--watch" is the value, write --output=--watch',
    ],
    ['get x -n -- y', '-n needs a value: -n NS. If "--" is the value, write --namespace=--'],
    ['apply --password --hunter2', '--password needs a value: --password TEXT'],
    ['get x --namespace=', 'the value of --namespace is empty: omit --namespace, or set a value'],
    ['get x -n=', 'the value of -n is empty: omit -n, or set a value'],
    ['get x --watch=yes', '--watch has to be true or false, not "yes"'],
    ['get x -w=yes', '--watch has to be true or false, not "yes"'],
    ['get x -n a -n b', '-n is given twice'],
    ['get x -n a --namespace b', '--namespace is given twice'],
    ['get x -w -w', '-w is given twice'],
    ['get x -o yml', '-o has to be table, wide, yaml or json, not "yml". Did you mean "yaml"?'],
    ['get x -o=frobnicate', '-o has to be table, wide, yaml or json, not "frobnicate"'],
    ['apply --dry-run=clint', '--dry-run has to be client or server, not "clint". Did you mean "client"?'],
    ['apply --password hunter2', '--password has to be correct'],
    ['get', 'get needs KIND [NAME...]: sample get KIND [NAME...]'],
    ['rollout undo', 'rollout undo needs NAME: sample rollout undo NAME'],
    ['rollout undo a b', 'unexpected argument "b": sample rollout undo NAME'],
    ['version 3', 'version takes no arguments, but got "3"'],
    ['exec a b -- c', 'unexpected argument "b": sample exec NAME -- COMMAND...'],
    ['-f x follow', 'write the command first: sample follow NAME'],
  ])('%s', (text, message) => {
    expect(errorOf(text)).toBe(message);
  });

  it('names the invalid variable, and hides secrets', () => {
    expect(errorOf('get x', { SAMPLE_WATCH: 'yes' })).toBe('SAMPLE_WATCH has to be true or false, not "yes"');
    expect(errorOf('apply', { SAMPLE_PASSWORD: 'hunter2' })).toBe('SAMPLE_PASSWORD has to be correct');
  });

  it('refers to the help of the command', () => {
    const path = (text: string) => {
      try {
        return read(text);
      } catch (error) {
        return error instanceof UsageError ? error.path : error;
      }
    };
    expect(['get x -z', 'rollout undo', 'rollout redo', 'gte'].map(path)).toEqual([
      ['get'],
      ['rollout', 'undo'],
      ['rollout'],
      [],
    ]);
  });
});
