/** A small program with everything that programs have: for tests of parsing, help, completion and errors. */
import type { Command, Program, Run } from './command.ts';
import { completionCommand } from './completion-command.ts';
import { verboseFlag } from './usage.ts';

/** Prints its words and flags. */
const echo: Run = async ({ words, rest, flag, flags, origin, terminal }) => {
  const said = (name: string) => [flag(name), flags(name), origin(name)];
  terminal.out.write(`${JSON.stringify({ words, rest, namespace: said('namespace') })}\n`);
};

const load = async () => ({ run: echo });
const example = (line: string) => ({ help: 'as an example', line });

const get: Command = {
  name: 'get',
  aliases: ['list'],
  help: 'show objects',
  more: 'Shows the objects of a kind, or those that are named, as a table or in another format.',
  examples: [
    { help: 'services in all namespaces', line: 'sample get services -A' },
    { help: 'one service as YAML', line: 'sample get service telemetry -o yaml' },
  ],
  words: 'KIND [NAME...]',
  group: 'Inspect',
  flags: [
    { name: 'all-namespaces', short: 'A', help: 'in all namespaces' },
    {
      name: 'output',
      short: 'o',
      value: 'FORMAT',
      choices: ['table', 'wide', 'yaml', 'json'],
      default: 'table',
      help: 'the format',
    },
    {
      name: 'selector',
      short: 'l',
      value: 'SELECTOR',
      repeats: true,
      help: 'only those with these labels, as in app=camera,tier!=test',
    },
    { name: 'watch', short: 'w', variable: 'SAMPLE_WATCH', help: 'go on with changes until Ctrl-C' },
  ],
  completeWords: async ({ words, flag }) =>
    words.length === 0
      ? ['services\trun containers', 'nodes']
      : [`telemetry-${flag('namespace')}`, 'camera', '$(evil)', 'a b'],
  load,
};

const apply: Command = {
  name: 'apply',
  help: 'create or update objects',
  examples: [example('sample apply -f fleet.yaml')],
  group: 'Change',
  flags: [
    { name: 'filename', short: 'f', value: 'FILE|DIR|-', repeats: true, help: 'where the objects are' },
    { name: 'dry-run', value: 'MODE', withoutValue: 'client', choices: ['client', 'server'], help: 'change nothing' },
    { name: 'wait', help: 'wait until they are ready' },
    {
      name: 'password',
      value: 'TEXT',
      secret: true,
      variable: 'SAMPLE_PASSWORD',
      choices: ['correct'],
      help: 'for the platform',
    },
  ],
  load,
};

const rollout: Command = {
  name: 'rollout',
  help: 'manage rollouts',
  examples: [example('sample rollout undo telemetry')],
  group: 'Change',
  commands: [
    { name: 'status', help: 'how far it is', examples: [], words: 'NAME', load },
    {
      name: 'undo',
      help: 'back to the version before',
      examples: [example('sample rollout undo telemetry')],
      words: 'NAME',
      flags: [{ name: 'to', value: 'REVISION', help: 'which one' }],
      load,
    },
  ],
};

const others: readonly Command[] = [
  { name: 'exec', help: 'run something', examples: [], words: 'NAME', rest: 'COMMAND...', load },
  {
    name: 'diff',
    help: 'compare',
    examples: [],
    failureCode: 3,
    exitCodes: [
      { code: 0, help: 'the same' },
      { code: 1, help: 'they differ' },
      { code: 3, help: 'it failed' },
    ],
    load,
  },
  {
    name: 'follow',
    help: 'show a log',
    examples: [],
    flags: [{ name: 'follow', short: 'f', help: 'go on' }],
    words: 'NAME',
    load,
  },
  { name: 'hidden-command', help: 'hidden', examples: [], hidden: true, load },
  {
    name: 'version',
    help: 'print the version',
    examples: [],
    load: async () => ({ run: async ({ terminal }) => terminal.out.write('sample 1.2.3\n') }),
  },
];

/** `commands` are more of them. */
export function sampleProgram(...commands: readonly Command[]): Program {
  return {
    name: 'sample',
    help: 'a program for tests',
    examples: [example('sample get services')],
    flags: [
      {
        name: 'namespace',
        short: 'n',
        value: 'NS',
        variable: 'SAMPLE_NAMESPACE',
        default: 'default',
        help: 'the namespace',
        key: 'namespace',
        complete: async () => ['orbit', 'ground'],
      },
      {
        name: 'header',
        value: 'TEXT',
        repeats: true,
        secret: true,
        variable: 'SAMPLE_HEADER',
        key: 'header',
        help: 'sent with every request',
      },
      { name: 'insecure', key: 'insecure', variable: 'SAMPLE_INSECURE', help: 'skip checks' },
      { name: 'registry', value: 'URL', key: 'registry', help: 'where the objects are' },
      { name: 'config', value: 'FILE', variable: 'SAMPLE_CONFIG', help: 'the config file' },
      verboseFlag,
    ],
    commands: [get, apply, rollout, ...others, completionCommand('sample'), ...commands],
  };
}
