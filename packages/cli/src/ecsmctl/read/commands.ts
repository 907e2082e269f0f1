/** The read-only commands, as data. */
import type { Command, Completer } from '@ecsm/command-line';
import {
  allNamespacesFlag,
  fieldSelectorFlag,
  filenameFlag,
  outputFlag,
  platformFlags,
  recursiveFlag,
  selectorFlag,
  showValuesFlag,
  tableFlags,
} from '../shared/flags.ts';

const group = 'Inspect';

/** Completes `KIND [NAME...]` with existing names. */
const completeResources: Completer = async (call, typed) =>
  (await import('../shared/live-names.ts')).completeResourceArgs(call, typed);

const get: Command = {
  name: 'get',
  help: 'list or show objects',
  more: 'Shows all objects of a kind, the named objects, or the objects in files. A kind can be given by any of its names; "ecsmctl api-resources" lists them.',
  examples: [
    { help: 'list services in the namespace', line: 'ecsmctl get services' },
    { help: 'list services in all namespaces, with more columns', line: 'ecsmctl get services -A -o wide' },
    { help: 'show one service as YAML', line: 'ecsmctl get service telemetry -o yaml' },
    {
      help: 'list services with a label, oldest first',
      line: 'ecsmctl get services -l app=telemetry --sort-by .metadata.creationTimestamp',
    },
    {
      help: 'select fields as columns',
      line: 'ecsmctl get services -o custom-columns=NAME:.metadata.name,IMAGE:.spec.template.image',
    },
    {
      help: 'print one value, for a script',
      line: "ecsmctl get service telemetry -o jsonpath='{.status.readyReplicas}'",
    },
  ],
  group,
  words: '(KIND [NAME...] | KIND/NAME... | -f FILE)',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  flags: [
    ...tableFlags,
    { name: 'show-managed-fields', help: 'with -o yaml or json: also show which manager set which fields' },
    allNamespacesFlag,
    selectorFlag,
    fieldSelectorFlag,
    {
      name: 'sort-by',
      value: 'PATH',
      help: 'sort by this field, such as .metadata.name or .spec.deploymentStrategy.replicas',
    },
    { name: 'watch', short: 'w', help: 'list objects, then watch for changes until Ctrl-C' },
    { name: 'watch-only', help: 'watch for changes without listing objects first' },
    { name: 'ignore-not-found', help: 'do not fail if an object does not exist' },
    { name: 'limit', value: 'N', help: 'maximum number of objects to show. Default: all' },
    filenameFlag,
    recursiveFlag,
  ],
  completeWords: completeResources,
  load: () => import('./get.ts'),
};

const describe: Command = {
  name: 'describe',
  help: 'show details of objects: spec, status, conditions, revisions, events',
  examples: [
    { help: 'describe one service', line: 'ecsmctl describe service telemetry' },
    { help: 'describe all services with a label', line: 'ecsmctl describe services -l app=telemetry' },
  ],
  group,
  words: '(KIND [NAME...] | KIND/NAME... | -f FILE)',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  flags: [
    allNamespacesFlag,
    selectorFlag,
    fieldSelectorFlag,
    { name: 'no-events', help: 'omit events' },
    showValuesFlag,
    { name: 'live', help: 'show the status of services that is read from the platform now' },
    ...platformFlags,
    filenameFlag,
    recursiveFlag,
  ],
  completeWords: completeResources,
  load: () => import('./describe.ts'),
};

const events: Command = {
  name: 'events',
  help: 'list events, newest last',
  examples: [
    { help: 'list events in the namespace', line: 'ecsmctl events' },
    { help: 'list events of one service', line: 'ecsmctl events --for service/telemetry' },
    { help: 'list warnings in all namespaces', line: 'ecsmctl events -A --types Warning' },
  ],
  group,
  flags: [
    ...tableFlags.filter(({ name }) => !name.includes('label')),
    allNamespacesFlag,
    {
      name: 'for',
      value: 'KIND/NAME',
      help: 'only events of this object',
      complete: async (call) => (await import('../shared/live-names.ts')).completeKindSlashName(call),
    },
    {
      name: 'types',
      value: 'TYPES',
      help: 'comma-separated event types: Normal, Warning. Default: both',
      complete: async () => ['Normal', 'Warning'],
    },
    { name: 'watch', short: 'w', help: 'list events, then watch for new ones until Ctrl-C' },
  ],
  load: () => import('./events.ts'),
};

const tree: Command = {
  name: 'tree',
  help: 'draw the services that services depend on, with their state',
  more: 'Without names: all services with dependencies. A service that is drawn twice is complete the first time. NEEDED is the condition that has to be met; with Stop the dependent stops while it is not met.',
  examples: [
    { help: 'draw what a service depends on', line: 'ecsmctl tree service/telemetry' },
    { help: 'draw what depends on a service', line: 'ecsmctl tree service/telemetry --dependents' },
    { help: 'draw all dependencies of all namespaces', line: 'ecsmctl tree -A' },
  ],
  group,
  words: '[KIND NAME... | KIND/NAME...]',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  flags: [
    { name: 'dependents', help: 'draw the services that depend on the service instead' },
    allNamespacesFlag,
    ...tableFlags.filter(({ name }) => name === 'no-headers'),
  ],
  completeWords: async (call) => (await import('../shared/live-names.ts')).completeServiceArgs(call),
  load: () => import('./tree.ts'),
};

const explain: Command = {
  name: 'explain',
  help: 'document a kind or one of its fields',
  examples: [
    { help: 'document a kind', line: 'ecsmctl explain services' },
    { help: 'document a field', line: 'ecsmctl explain service.spec.template.env' },
    { help: 'list all fields below a field', line: 'ecsmctl explain service.spec --recursive' },
  ],
  group,
  words: 'KIND[.FIELD...]',
  wordsMin: 1,
  wordsMax: 1,
  flags: [{ name: 'recursive', help: 'list all nested fields, without descriptions' }],
  completeWords: async () => (await import('../shared/live-names.ts')).kindNames(),
  load: () => import('./explain.ts'),
};

const apiResources: Command = {
  name: 'api-resources',
  help: 'list the kinds with their names and short names',
  examples: [
    { help: 'list all kinds', line: 'ecsmctl api-resources' },
    { help: 'include descriptions', line: 'ecsmctl api-resources -o wide' },
  ],
  group,
  flags: [
    {
      ...outputFlag,
      help: 'output format: table, wide, name, yaml or json',
      complete: async () => ['table', 'wide', 'name', 'yaml', 'json'],
    },
    ...tableFlags.filter(({ name }) => name === 'no-headers'),
  ],
  load: () => import('./api-resources.ts'),
};

const top: Command = {
  name: 'top',
  help: 'show the use of nodes',
  examples: [{ help: 'show the capacity of nodes', line: 'ecsmctl top capacity' }],
  group,
  commands: [
    {
      name: 'capacity',
      help: 'show the capacity of nodes, and services with too few instances because of it',
      more: 'By declared limits, as the operator last recorded them: at most once a minute, and only while a service has a priority class. Others are foreign containers and the system of the node.',
      examples: [
        { help: 'show memory', line: 'ecsmctl top capacity' },
        { help: 'show memory and disk', line: 'ecsmctl top capacity -o wide' },
      ],
      flags: [
        {
          ...outputFlag,
          help: 'output format: table, wide, yaml or json',
          complete: async () => ['table', 'wide', 'yaml', 'json'],
        },
        ...tableFlags.filter(({ name }) => name === 'no-headers'),
      ],
      load: () => import('./top-capacity.ts'),
    },
    ...['nodes', 'pods', 'containers'].map((name) => ({
      name,
      ...(name === 'containers' ? {} : { aliases: [name.slice(0, -1)] }),
      help: 'on the platform: see ecsm-cli top',
      examples: [],
      hidden: true,
      words: '[NAME...]',
      wordsMin: 0,
      wordsMax: Number.POSITIVE_INFINITY,
      load: () => import('./top-elsewhere.ts'),
    })),
  ],
};

const config: Command = {
  name: 'config',
  help: 'inspect the configuration of ecsmctl, and the contexts of a kubeconfig',
  examples: [{ help: 'show settings and their sources', line: 'ecsmctl config view' }],
  group: 'Other',
  commands: [
    {
      name: 'view',
      help: 'show settings and their sources',
      more: 'Precedence: flags, environment variables, config file, defaults.',
      examples: [
        { help: 'print a table', line: 'ecsmctl config view' },
        { help: 'print a config file', line: 'ecsmctl config view -o yaml' },
      ],
      flags: [
        { ...outputFlag, help: 'output format: table, yaml or json', complete: async () => ['table', 'yaml', 'json'] },
      ],
      load: () => import('./config-view.ts'),
    },
    {
      name: 'get-contexts',
      help: 'list the contexts of the kubeconfig',
      examples: [{ help: 'list the contexts', line: 'ecsmctl config get-contexts' }],
      load: async () => ({ run: (await import('./config-contexts.ts')).getContexts }),
    },
    {
      name: 'current-context',
      help: 'print the current context of the kubeconfig',
      examples: [{ help: 'print the current context', line: 'ecsmctl config current-context' }],
      load: async () => ({ run: (await import('./config-contexts.ts')).currentContext }),
    },
    {
      name: 'use-context',
      help: 'set the current context of the kubeconfig',
      more: 'kubectl uses the same setting. Says so if ecsmctl itself uses another registry.',
      examples: [{ help: 'use the server of another site', line: 'ecsmctl config use-context site-8' }],
      words: 'NAME',
      completeWords: async (call) => (await import('../shared/contexts.ts')).contextNames(call),
      load: async () => ({ run: (await import('./config-contexts.ts')).use }),
    },
  ],
};

const version: Command = {
  name: 'version',
  help: 'print the version',
  examples: [
    { help: 'print the version of ecsmctl', line: 'ecsmctl version' },
    { help: 'print it for a program', line: 'ecsmctl version -o json' },
  ],
  group: 'Other',
  flags: [
    { ...outputFlag, help: 'output format: yaml or json', complete: async () => ['yaml', 'json'] },
    { name: 'client', help: 'print only the version of ecsmctl, which is always so: accepted for scripts' },
  ],
  load: () => import('./version.ts'),
};

export const readCommands: readonly Command[] = [get, describe, events, tree, top, explain, apiResources];

/** Commands about the program itself. */
export const otherCommands: readonly Command[] = [config, version];
