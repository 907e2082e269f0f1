/** The read commands, as data. */
import type { Call, Command, Flag } from '@ecsm/command-line';
import { filterFlags, nameFilter, nodeFilter, serviceFilter } from './filters.ts';
import { intervalFlag, limitFlag, namespaceFlag, noHeadersFlag, outputFlag, sortFlag } from './flags.ts';

const group = 'Inspect';
const onceFlag: Flag = { name: 'once', help: 'print one table and exit, also on a terminal' };

async function kindsThenNames(call: Call): Promise<readonly string[]> {
  return (await import('./live-names.ts')).kindsThenNames(call);
}

const get: Command = {
  name: 'get',
  aliases: ['list'],
  help: 'show nodes, services, containers, images or records',
  more: 'Kinds: nodes (no), services (svc), containers (co), images (img), records (rec). An id can be used in place of a name. All pages of a list are shown. Filters are applied by the platform.',
  examples: [
    { help: 'all services', line: 'ecsm-cli get services' },
    { help: 'the services of a namespace of the operator', line: 'ecsm-cli get services -n orbit' },
    { help: 'one service, to edit and send with update', line: 'ecsm-cli get service telemetry -o yaml' },
    { help: 'the containers on a node', line: 'ecsm-cli get containers --node node-1 -o wide' },
    { help: 'the deployment records of a service', line: 'ecsm-cli get records --service telemetry' },
    { help: 'only names, for scripts', line: "ecsm-cli get nodes -o jsonpath='{.items[*].name}'" },
    { help: 'several kinds', line: 'ecsm-cli get nodes,services --sort-by .name' },
    { help: 'images for an operating system', line: 'ecsm-cli get images --os sylixos --limit 5' },
  ],
  words: 'KIND [NAME...]',
  group,
  flags: [
    outputFlag,
    ...filterFlags,
    limitFlag,
    sortFlag,
    noHeadersFlag,
    { name: 'watch', short: 'w', help: 'print the objects, then a line for each change until Ctrl-C' },
    { ...intervalFlag, help: 'with -w: polling interval; a shorter one causes more traffic' },
  ],
  completeWords: kindsThenNames,
  load: () => import('./get.ts'),
};

const describe: Command = {
  name: 'describe',
  help: 'show the details of objects',
  examples: [
    { help: 'a service with its containers and records', line: 'ecsm-cli describe service telemetry' },
    { help: 'a node with its resource usage and containers', line: 'ecsm-cli describe node/node-1' },
    { help: 'an image with its configuration', line: 'ecsm-cli describe image telemetry@1.0.0#sylixos' },
  ],
  words: 'KIND NAME...',
  wordsMin: 1,
  group,
  flags: [namespaceFlag, { name: 'registry', value: 'ID', help: 'registry of an image. Default local' }],
  completeWords: kindsThenNames,
  load: () => import('./describe.ts'),
};

const topFlags = [outputFlag, onceFlag, intervalFlag, sortFlag, noHeadersFlag];

const top: Command = {
  name: 'top',
  help: 'show resource usage of nodes or containers, live',
  examples: [{ help: 'nodes, on a terminal until Ctrl-C', line: 'ecsm-cli top nodes' }],
  group,
  commands: [
    {
      name: 'nodes',
      aliases: ['node', 'no'],
      help: 'CPU, memory and disk usage of nodes',
      examples: [
        { help: 'one table, for a script', line: 'ecsm-cli top nodes --once' },
        { help: 'as JSON', line: 'ecsm-cli top nodes -o json' },
      ],
      flags: [...topFlags, { ...nameFilter, help: 'only names that contain TEXT' }],
      load: async () => ({
        run: (await import('./top.ts')).top(async () => (await import('./usage.ts')).nodeUsage),
      }),
    },
    {
      name: 'containers',
      aliases: ['container', 'co'],
      help: 'CPU and memory usage of containers',
      examples: [
        { help: 'of one service', line: 'ecsm-cli top containers --service telemetry --once' },
        { help: 'sorted by memory usage', line: 'ecsm-cli top containers --sort-by .memoryBytes --once' },
      ],
      flags: [
        ...topFlags,
        { ...serviceFilter, help: 'only those of this service' },
        { ...nodeFilter, help: 'only those on this node' },
        namespaceFlag,
      ],
      load: async () => ({
        run: (await import('./top.ts')).top(async () => (await import('./usage.ts')).containerUsage),
      }),
    },
  ],
};

const watch: Command = {
  name: 'watch',
  help: 'show services, containers or nodes as they change',
  more: 'On a terminal the table is refreshed; otherwise each change is one line. Default kind: services. The platform sends no notifications, so it is polled.',
  examples: [
    { help: 'services, for two seconds; without --for until Ctrl-C', line: 'ecsm-cli watch --for 2s' },
    {
      help: 'the containers of a namespace, every second, for two seconds',
      line: 'ecsm-cli watch containers -n orbit --interval 1s --for 2s',
    },
  ],
  words: '[KIND] [NAME...]',
  group,
  flags: [
    { ...outputFlag, help: 'table or wide. Default table', complete: async () => ['table', 'wide'] },
    intervalFlag,
    { name: 'for', value: 'TIME', help: 'exit after this time. Default: at Ctrl-C' },
    namespaceFlag,
    { ...nameFilter, help: 'only names that contain TEXT' },
  ],
  completeWords: kindsThenNames,
  load: () => import('./watch.ts'),
};

export const readCommands: readonly Command[] = [get, describe, top, watch];
