/** The commands that look, as data. */
import type { Call, Command, Flag } from '@ecsm/command-line';
import { filterFlags, nameFilter, nodeFilter, serviceFilter } from './filters.ts';
import { intervalFlag, limitFlag, namespaceFlag, noHeadersFlag, outputFlag, sortFlag } from './flags.ts';

const group = 'See';
const onceFlag: Flag = { name: 'once', says: 'one table, also on a terminal' };

async function kindsThenNames(call: Call): Promise<readonly string[]> {
  return (await import('./live-names.ts')).kindsThenNames(call);
}

const get: Command = {
  name: 'get',
  aliases: ['list'],
  says: 'show nodes, services, containers, images or records',
  more: 'Kinds: nodes (no), services (svc), containers (co), images (img), records (rec). Names may be ids. Pages of the platform are put together. The filters are those of the platform: a name finds all that looks like it.',
  examples: [
    { says: 'all services', line: 'ecsm-cli get services' },
    { says: 'the services of a namespace of the operator', line: 'ecsm-cli get services -n orbit' },
    { says: 'one service, to be edited and sent back with update', line: 'ecsm-cli get service telemetry -o yaml' },
    { says: 'what runs on a node', line: 'ecsm-cli get containers --node node-1 -o wide' },
    { says: 'the past of a service', line: 'ecsm-cli get records --service telemetry' },
    { says: 'names alone, for scripts', line: "ecsm-cli get nodes -o jsonpath='{.items[*].name}'" },
    { says: 'several kinds', line: 'ecsm-cli get nodes,services --sort-by .name' },
    { says: 'images for a system', line: 'ecsm-cli get images --os sylixos --limit 5' },
  ],
  words: 'KIND [NAME...]',
  group,
  flags: [outputFlag, ...filterFlags, limitFlag, sortFlag, noHeadersFlag],
  completeWords: kindsThenNames,
  load: () => import('./get.ts'),
};

const describe: Command = {
  name: 'describe',
  says: 'show all that matters of one thing',
  examples: [
    { says: 'a service with its containers and its past', line: 'ecsm-cli describe service telemetry' },
    { says: 'a node with what it uses and what runs there', line: 'ecsm-cli describe node/node-1' },
    { says: 'an image with its configuration', line: 'ecsm-cli describe image telemetry@1.0.0#sylixos' },
  ],
  words: 'KIND NAME...',
  wordsMin: 1,
  group,
  flags: [namespaceFlag, { name: 'registry', value: 'ID', says: 'of images: in this registry. Default local' }],
  completeWords: kindsThenNames,
  load: () => import('./describe.ts'),
};

const topFlags = [outputFlag, onceFlag, intervalFlag, sortFlag, noHeadersFlag];

const top: Command = {
  name: 'top',
  says: 'show what nodes or containers use, live',
  examples: [{ says: 'nodes, on a terminal until Ctrl-C', line: 'ecsm-cli top nodes' }],
  group,
  commands: [
    {
      name: 'nodes',
      aliases: ['node', 'no'],
      says: 'processor, memory and disk of nodes',
      examples: [
        { says: 'one table, for a script', line: 'ecsm-cli top nodes --once' },
        { says: 'as JSON', line: 'ecsm-cli top nodes -o json' },
      ],
      flags: [...topFlags, { ...nameFilter, says: 'names that look like it' }],
      load: async () => ({
        run: (await import('./top.ts')).top(async () => (await import('./measure.ts')).measuredNodes),
      }),
    },
    {
      name: 'containers',
      aliases: ['container', 'co'],
      says: 'processor and memory of containers',
      examples: [
        { says: 'of one service', line: 'ecsm-cli top containers --service telemetry --once' },
        { says: 'the hungriest last', line: 'ecsm-cli top containers --sort-by .memoryBytes --once' },
      ],
      flags: [
        ...topFlags,
        { ...serviceFilter, says: 'those of this service' },
        { ...nodeFilter, says: 'those on this node' },
        namespaceFlag,
      ],
      load: async () => ({
        run: (await import('./top.ts')).top(async () => (await import('./measure.ts')).measuredContainers),
      }),
    },
  ],
};

const watch: Command = {
  name: 'watch',
  says: 'show services, containers or nodes as they change',
  more: 'A terminal shows all of them, painted again when something changes; a pipe gets a line for each change. Without a kind: services. The platform tells nobody of changes, so it is asked again and again.',
  examples: [
    { says: 'services, for two seconds; without --for until Ctrl-C', line: 'ecsm-cli watch --for 2s' },
    {
      says: 'the containers of a namespace, each second, for a while',
      line: 'ecsm-cli watch containers -n orbit --interval 1s --for 2s',
    },
  ],
  words: '[KIND] [NAME...]',
  group,
  flags: [
    { ...outputFlag, says: 'table or wide. Default table', complete: async () => ['table', 'wide'] },
    intervalFlag,
    { name: 'for', value: 'TIME', says: 'end after so long. Default: when Ctrl-C is pressed' },
    namespaceFlag,
    { ...nameFilter, says: 'names that look like it' },
  ],
  completeWords: kindsThenNames,
  load: () => import('./watch.ts'),
};

export const readCommands: readonly Command[] = [get, describe, top, watch];
