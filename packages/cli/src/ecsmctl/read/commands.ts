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
  says: 'show objects',
  more: 'Shows the objects of a kind, those that are named, or those of files. A kind may be said by any of its names: see "ecsmctl api-resources".',
  examples: [
    { says: 'the services of the namespace', line: 'ecsmctl get services' },
    { says: 'of all namespaces, with more columns', line: 'ecsmctl get services -A -o wide' },
    { says: 'one of them, as YAML', line: 'ecsmctl get service telemetry -o yaml' },
    {
      says: 'those with a label, the oldest first',
      line: 'ecsmctl get services -l app=telemetry --sort-by .metadata.creationTimestamp',
    },
    {
      says: 'a few fields',
      line: 'ecsmctl get services -o custom-columns=NAME:.metadata.name,IMAGE:.spec.template.image',
    },
    { says: 'one value, for a script', line: "ecsmctl get service telemetry -o jsonpath='{.status.readyReplicas}'" },
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
      says: 'in the order of a field: .metadata.name, .spec.deploymentStrategy.replicas',
    },
    { name: 'watch', short: 'w', says: 'go on with changes, until Ctrl-C' },
    { name: 'watch-only', says: 'only changes, until Ctrl-C' },
    { name: 'ignore-not-found', says: 'a name that is not there is no error' },
    { name: 'limit', value: 'N', says: 'at most so many objects. Default: all' },
    filenameFlag,
    recursiveFlag,
  ],
  completeWords: completeResources,
  load: () => import('./get.ts'),
};

const describe: Command = {
  name: 'describe',
  says: 'show everything about objects: spec, status, conditions, revisions, events',
  examples: [
    { says: 'one service', line: 'ecsmctl describe service telemetry' },
    { says: 'all services with a label', line: 'ecsmctl describe services -l app=telemetry' },
  ],
  group,
  words: '(KIND [NAME...] | KIND/NAME... | -f FILE)',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  flags: [
    allNamespacesFlag,
    selectorFlag,
    fieldSelectorFlag,
    { name: 'no-events', says: 'leave out the events' },
    filenameFlag,
    recursiveFlag,
  ],
  completeWords: completeResources,
  load: () => import('./describe.ts'),
};

const events: Command = {
  name: 'events',
  says: 'show what happened, the newest last',
  examples: [
    { says: 'in the namespace', line: 'ecsmctl events' },
    { says: 'to one service', line: 'ecsmctl events --for service/telemetry' },
    { says: 'what somebody should look at, anywhere', line: 'ecsmctl events -A --types Warning' },
  ],
  group,
  flags: [
    ...tableFlags.filter(({ name }) => name !== 'show-labels'),
    allNamespacesFlag,
    {
      name: 'for',
      value: 'KIND/NAME',
      says: 'only what happened to this object',
      complete: async (call) => (await import('../shared/live-names.ts')).slashedNames(call),
    },
    {
      name: 'types',
      value: 'TYPES',
      says: 'only these: Normal, Warning, or both with a comma',
      complete: async () => ['Normal', 'Warning'],
    },
    { name: 'watch', short: 'w', says: 'go on with what happens, until Ctrl-C' },
  ],
  load: () => import('./events.ts'),
};

const explain: Command = {
  name: 'explain',
  says: 'say what a kind or one of its fields means',
  examples: [
    { says: 'a kind', line: 'ecsmctl explain services' },
    { says: 'a field', line: 'ecsmctl explain service.spec.template.env' },
    { says: 'all fields below one', line: 'ecsmctl explain service.spec --recursive' },
  ],
  group,
  words: 'KIND[.FIELD...]',
  wordsMin: 1,
  wordsMax: 1,
  flags: [{ name: 'recursive', says: 'all fields below it, without their descriptions' }],
  completeWords: async () => (await import('../shared/live-names.ts')).kindNames(),
  load: () => import('./explain.ts'),
};

const apiResources: Command = {
  name: 'api-resources',
  says: 'list the kinds, and what they may be called',
  examples: [
    { says: 'all of them', line: 'ecsmctl api-resources' },
    { says: 'with what each is', line: 'ecsmctl api-resources -o wide' },
  ],
  group,
  flags: [
    {
      ...outputFlag,
      says: 'table, wide, name, yaml or json',
      complete: async () => ['table', 'wide', 'name', 'yaml', 'json'],
    },
    ...tableFlags.filter(({ name }) => name === 'no-headers'),
  ],
  load: () => import('./api-resources.ts'),
};

const config: Command = {
  name: 'config',
  says: 'look at the settings of ecsmctl',
  examples: [{ says: 'what is set, and who said so', line: 'ecsmctl config view' }],
  group: 'Other',
  commands: [
    {
      name: 'view',
      says: 'show what is set, and who said so',
      more: 'Flags go before variables of the environment, these before the config file, and that before the defaults.',
      examples: [
        { says: 'as a table', line: 'ecsmctl config view' },
        { says: 'as a config file', line: 'ecsmctl config view -o yaml' },
      ],
      flags: [{ ...outputFlag, says: 'table, yaml or json', complete: async () => ['table', 'yaml', 'json'] }],
      load: () => import('./config-view.ts'),
    },
  ],
};

const version: Command = {
  name: 'version',
  says: 'print the version',
  examples: [{ says: 'of this program', line: 'ecsmctl version' }],
  group: 'Other',
  load: () => import('./version.ts'),
};

export const readCommands: readonly Command[] = [get, describe, events, explain, apiResources];

/** About the program itself. */
export const otherCommands: readonly Command[] = [config, version];
