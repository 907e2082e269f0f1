/** A small program with everything that programs have: for tests of parsing, help, completion and errors. */
import type { Command, Program, Run } from './command.ts';
import { completionCommand } from './completion-command.ts';
import { verboseFlag } from './usage.ts';

/** Prints what it was told. */
const echo: Run = async ({ words, rest, flag, flags, origin, terminal }) => {
  const said = (name: string) => [flag(name), flags(name), origin(name)];
  terminal.out.write(`${JSON.stringify({ words, rest, namespace: said('namespace') })}\n`);
};

const load = async () => ({ run: echo });
const example = (line: string) => ({ says: 'as an example', line });

const get: Command = {
  name: 'get',
  aliases: ['list'],
  says: 'show objects',
  more: 'Shows the objects of a kind, or those that are named, as a table or in another format.',
  examples: [
    { says: 'services in all namespaces', line: 'sample get services -A' },
    { says: 'one service as YAML', line: 'sample get service telemetry -o yaml' },
  ],
  words: 'KIND [NAME...]',
  group: 'See',
  flags: [
    { name: 'all-namespaces', short: 'A', says: 'in all namespaces' },
    {
      name: 'output',
      short: 'o',
      value: 'FORMAT',
      choices: ['table', 'wide', 'yaml', 'json'],
      default: 'table',
      says: 'the format',
    },
    {
      name: 'selector',
      short: 'l',
      value: 'SELECTOR',
      repeats: true,
      says: 'only those with these labels, as in app=camera,tier!=test',
    },
    { name: 'watch', short: 'w', variable: 'SAMPLE_WATCH', says: 'go on with changes until Ctrl-C' },
  ],
  completeWords: async ({ words, flag }) =>
    words.length === 0
      ? ['services\trun containers', 'nodes']
      : [`telemetry-${flag('namespace')}`, 'camera', '$(evil)', 'a b'],
  load,
};

const apply: Command = {
  name: 'apply',
  says: 'make objects as files say',
  examples: [example('sample apply -f fleet.yaml')],
  group: 'Change',
  flags: [
    { name: 'filename', short: 'f', value: 'FILE|DIR|-', repeats: true, says: 'where the objects are' },
    { name: 'dry-run', value: 'MODE', withoutValue: 'client', choices: ['client', 'server'], says: 'change nothing' },
    { name: 'wait', says: 'wait until they are ready' },
    {
      name: 'password',
      value: 'TEXT',
      secret: true,
      variable: 'SAMPLE_PASSWORD',
      choices: ['correct'],
      says: 'for the platform',
    },
  ],
  load,
};

const rollout: Command = {
  name: 'rollout',
  says: 'look at roll-outs and steer them',
  examples: [example('sample rollout undo telemetry')],
  group: 'Change',
  commands: [
    { name: 'status', says: 'how far it is', examples: [], words: 'NAME', load },
    {
      name: 'undo',
      says: 'back to the version before',
      examples: [example('sample rollout undo telemetry')],
      words: 'NAME',
      flags: [{ name: 'to', value: 'REVISION', says: 'which one' }],
      load,
    },
  ],
};

const others: readonly Command[] = [
  { name: 'exec', says: 'run something', examples: [], words: 'NAME', rest: 'COMMAND...', load },
  {
    name: 'diff',
    says: 'compare',
    examples: [],
    failureCode: 3,
    exitCodes: [
      { code: 0, says: 'the same' },
      { code: 1, says: 'they differ' },
      { code: 3, says: 'it failed' },
    ],
    load,
  },
  {
    name: 'follow',
    says: 'show a log',
    examples: [],
    flags: [{ name: 'follow', short: 'f', says: 'go on' }],
    words: 'NAME',
    load,
  },
  { name: 'secret-door', says: 'hidden', examples: [], hidden: true, load },
  {
    name: 'version',
    says: 'print the version',
    examples: [],
    load: async () => ({ run: async ({ terminal }) => terminal.out.write('sample 1.2.3\n') }),
  },
];

/** `commands` are more of them. */
export function sampleProgram(...commands: readonly Command[]): Program {
  return {
    name: 'sample',
    says: 'a program for tests',
    examples: [example('sample get services')],
    flags: [
      {
        name: 'namespace',
        short: 'n',
        value: 'NS',
        variable: 'SAMPLE_NAMESPACE',
        default: 'default',
        says: 'the namespace',
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
        says: 'sent with every request',
      },
      { name: 'insecure', key: 'insecure', variable: 'SAMPLE_INSECURE', says: 'trust anybody' },
      { name: 'registry', value: 'URL', key: 'registry', says: 'where the objects are' },
      { name: 'config', value: 'FILE', variable: 'SAMPLE_CONFIG', says: 'the config file' },
      verboseFlag,
    ],
    commands: [get, apply, rollout, ...others, completionCommand('sample'), ...commands],
  };
}
