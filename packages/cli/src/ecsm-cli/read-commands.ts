/** The commands that look, as data. */
import type { Call, Command, Flag } from '@ecsm/command-line';
import { filterFlags, nameFilter, nodeFilter, serviceFilter } from './filters.ts';
import { intervalFlag, limitFlag, namespaceFlag, noHeadersFlag, outputFlag, sortFlag } from './flags.ts';

const group = 'See';
const onceFlag: Flag = { name: 'once', help: 'one table, also on a terminal' };

async function kindsThenNames(call: Call): Promise<readonly string[]> {
  return (await import('./live-names.ts')).kindsThenNames(call);
}

const get: Command = {
  name: 'get',
  aliases: ['list'],
  help: 'show nodes, services, containers, images or records',
  more: 'Kinds: nodes (no), services (svc), containers (co), images (img), records (rec). Names may be ids. Pages of the platform are put together. The filters are those of the platform: a name finds all that looks like it.',
  examples: [
    { help: 'all services', line: 'ecsm-cli get services' },
    { help: 'the services of a namespace of the operator', line: 'ecsm-cli get services -n orbit' },
    { help: 'one service, to be edited and sent back with update', line: 'ecsm-cli get service telemetry -o yaml' },
    { help: 'what runs on a node', line: 'ecsm-cli get containers --node node-1 -o wide' },
    { help: 'the past of a service', line: 'ecsm-cli get records --service telemetry' },
    { help: 'names alone, for scripts', line: "ecsm-cli get nodes -o jsonpath='{.items[*].name}'" },
    { help: 'several kinds', line: 'ecsm-cli get nodes,services --sort-by .name' },
    { help: 'images for a system', line: 'ecsm-cli get images --os sylixos --limit 5' },
  ],
  words: 'KIND [NAME...]',
  group,
  flags: [outputFlag, ...filterFlags, limitFlag, sortFlag, noHeadersFlag],
  completeWords: kindsThenNames,
  load: () => import('./get.ts'),
};

const describe: Command = {
  name: 'describe',
  help: 'show all that matters of one thing',
  examples: [
    { help: 'a service with its containers and its past', line: 'ecsm-cli describe service telemetry' },
    { help: 'a node with what it uses and what runs there', line: 'ecsm-cli describe node/node-1' },
    { help: 'an image with its configuration', line: 'ecsm-cli describe image telemetry@1.0.0#sylixos' },
  ],
  words: 'KIND NAME...',
  wordsMin: 1,
  group,
  flags: [namespaceFlag, { name: 'registry', value: 'ID', help: 'of images: in this registry. Default local' }],
  completeWords: kindsThenNames,
  load: () => import('./describe.ts'),
};

const topFlags = [outputFlag, onceFlag, intervalFlag, sortFlag, noHeadersFlag];

const top: Command = {
  name: 'top',
  help: 'show what nodes or containers use, live',
  examples: [{ help: 'nodes, on a terminal until Ctrl-C', line: 'ecsm-cli top nodes' }],
  group,
  commands: [
    {
      name: 'nodes',
      aliases: ['node', 'no'],
      help: 'processor, memory and disk of nodes',
      examples: [
        { help: 'one table, for a script', line: 'ecsm-cli top nodes --once' },
        { help: 'as JSON', line: 'ecsm-cli top nodes -o json' },
      ],
      flags: [...topFlags, { ...nameFilter, help: 'names that look like it' }],
      load: async () => ({
        run: (await import('./top.ts')).top(async () => (await import('./measure.ts')).measuredNodes),
      }),
    },
    {
      name: 'containers',
      aliases: ['container', 'co'],
      help: 'processor and memory of containers',
      examples: [
        { help: 'of one service', line: 'ecsm-cli top containers --service telemetry --once' },
        { help: 'the hungriest last', line: 'ecsm-cli top containers --sort-by .memoryBytes --once' },
      ],
      flags: [
        ...topFlags,
        { ...serviceFilter, help: 'those of this service' },
        { ...nodeFilter, help: 'those on this node' },
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
  help: 'show services, containers or nodes as they change',
  more: 'A terminal shows all of them, painted again when something changes; a pipe gets a line for each change. Without a kind: services. The platform tells nobody of changes, so it is asked again and again.',
  examples: [
    { help: 'services, for two seconds; without --for until Ctrl-C', line: 'ecsm-cli watch --for 2s' },
    {
      help: 'the containers of a namespace, each second, for a while',
      line: 'ecsm-cli watch containers -n orbit --interval 1s --for 2s',
    },
  ],
  words: '[KIND] [NAME...]',
  group,
  flags: [
    { ...outputFlag, help: 'table or wide. Default table', complete: async () => ['table', 'wide'] },
    intervalFlag,
    { name: 'for', value: 'TIME', help: 'end after so long. Default: when Ctrl-C is pressed' },
    namespaceFlag,
    { ...nameFilter, help: 'names that look like it' },
  ],
  completeWords: kindsThenNames,
  load: () => import('./watch.ts'),
};

export const readCommands: readonly Command[] = [get, describe, top, watch];
