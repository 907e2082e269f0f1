/** Commands that look and change nothing, as data. */
import type { Command, Completer } from '@ecsm/command-line';
import {
  allNamespacesFlag,
  fieldSelectorFlag,
  filenameFlag,
  outputFlag,
  recursiveFlag,
  selectorFlag,
  tableFlags,
} from '../shared/flags.ts';

const group = 'See';

/** `KIND [NAME...]`, with the names that there are. */
export const completeResources: Completer = async (call) =>
  (await import('../shared/live-names.ts')).resourceWords(call);

const get: Command = {
  name: 'get',
  help: 'show objects',
  more: 'Shows the objects of a kind, those that are named, or those of files. A kind may be said by any of its names: see "ecsmctl api-resources".',
  examples: [
    { help: 'the services of the namespace', line: 'ecsmctl get services' },
    { help: 'of all namespaces, with more columns', line: 'ecsmctl get services -A -o wide' },
    { help: 'one of them, as YAML', line: 'ecsmctl get service telemetry -o yaml' },
    {
      help: 'those with a label, the oldest first',
      line: 'ecsmctl get services -l app=telemetry --sort-by .metadata.creationTimestamp',
    },
    {
      help: 'a few fields',
      line: 'ecsmctl get services -o custom-columns=NAME:.metadata.name,IMAGE:.spec.template.image',
    },
    { help: 'one value, for a script', line: "ecsmctl get service telemetry -o jsonpath='{.status.readyReplicas}'" },
  ],
  group,
  words: '(KIND [NAME...] | KIND/NAME... | -f FILE)',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  flags: [
    ...tableFlags,
    allNamespacesFlag,
    selectorFlag,
    fieldSelectorFlag,
    {
      name: 'sort-by',
      value: 'PATH',
      help: 'in the order of a field: .metadata.name, .spec.deploymentStrategy.replicas',
    },
    { name: 'watch', short: 'w', help: 'go on with changes, until Ctrl-C' },
    { name: 'watch-only', help: 'only changes, until Ctrl-C' },
    { name: 'ignore-not-found', help: 'a name that is not there is no error' },
    { name: 'limit', value: 'N', help: 'at most so many objects. Default: all' },
    filenameFlag,
    recursiveFlag,
  ],
  completeWords: completeResources,
  load: () => import('./get.ts'),
};

const describe: Command = {
  name: 'describe',
  help: 'show everything about objects: spec, status, conditions, revisions, events',
  examples: [
    { help: 'one service', line: 'ecsmctl describe service telemetry' },
    { help: 'all services with a label', line: 'ecsmctl describe services -l app=telemetry' },
  ],
  group,
  words: '(KIND [NAME...] | KIND/NAME... | -f FILE)',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  flags: [
    allNamespacesFlag,
    selectorFlag,
    fieldSelectorFlag,
    { name: 'no-events', help: 'leave out the events' },
    filenameFlag,
    recursiveFlag,
  ],
  completeWords: completeResources,
  load: () => import('./describe.ts'),
};

const events: Command = {
  name: 'events',
  help: 'show what happened, the newest last',
  examples: [
    { help: 'in the namespace', line: 'ecsmctl events' },
    { help: 'to one service', line: 'ecsmctl events --for service/telemetry' },
    { help: 'what somebody should look at, anywhere', line: 'ecsmctl events -A --types Warning' },
  ],
  group,
  flags: [
    ...tableFlags.filter(({ name }) => name !== 'show-labels'),
    allNamespacesFlag,
    {
      name: 'for',
      value: 'KIND/NAME',
      help: 'only what happened to this object',
      complete: async (call) => (await import('../shared/live-names.ts')).slashedNames(call),
    },
    {
      name: 'types',
      value: 'TYPES',
      help: 'only these: Normal, Warning, or both with a comma',
      complete: async () => ['Normal', 'Warning'],
    },
    { name: 'watch', short: 'w', help: 'go on with what happens, until Ctrl-C' },
  ],
  load: () => import('./events.ts'),
};

const explain: Command = {
  name: 'explain',
  help: 'say what a kind or one of its fields means',
  examples: [
    { help: 'a kind', line: 'ecsmctl explain services' },
    { help: 'a field', line: 'ecsmctl explain service.spec.template.env' },
    { help: 'all fields below one', line: 'ecsmctl explain service.spec --recursive' },
  ],
  group,
  words: 'KIND[.FIELD...]',
  wordsMin: 1,
  wordsMax: 1,
  flags: [{ name: 'recursive', help: 'all fields below it, without their descriptions' }],
  completeWords: async () => (await import('../shared/live-names.ts')).kindNames(),
  load: () => import('./explain.ts'),
};

const apiResources: Command = {
  name: 'api-resources',
  help: 'list the kinds, and what they may be called',
  examples: [
    { help: 'all of them', line: 'ecsmctl api-resources' },
    { help: 'with what each is', line: 'ecsmctl api-resources -o wide' },
  ],
  group,
  flags: [
    {
      ...outputFlag,
      help: 'table, wide, name, yaml or json',
      complete: async () => ['table', 'wide', 'name', 'yaml', 'json'],
    },
    ...tableFlags.filter(({ name }) => name === 'no-headers'),
  ],
  load: () => import('./api-resources.ts'),
};

const config: Command = {
  name: 'config',
  help: 'look at the settings of ecsmctl',
  examples: [{ help: 'what is set, and who said so', line: 'ecsmctl config view' }],
  group: 'Other',
  commands: [
    {
      name: 'view',
      help: 'show what is set, and who said so',
      more: 'Flags go before variables of the environment, these before the config file, and that before the defaults.',
      examples: [
        { help: 'as a table', line: 'ecsmctl config view' },
        { help: 'as a config file', line: 'ecsmctl config view -o yaml' },
      ],
      flags: [{ ...outputFlag, help: 'table, yaml or json', complete: async () => ['table', 'yaml', 'json'] }],
      load: () => import('./config-view.ts'),
    },
  ],
};

const version: Command = {
  name: 'version',
  help: 'print the version',
  examples: [{ help: 'of this program', line: 'ecsmctl version' }],
  group: 'Other',
  load: () => import('./version.ts'),
};

export const readCommands: readonly Command[] = [get, describe, events, explain, apiResources];

/** About the program itself. */
export const otherCommands: readonly Command[] = [config, version];
