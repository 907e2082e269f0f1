/** Containers, as `get` and `describe` show them. */

import { type ContainerRow, collect, cpuPercentOf, numberOf } from '@ecsm/client';
import { UsageError } from '@ecsm/command-line';
import { explainedText } from '@ecsm/operator';
import { formatAge, redactText } from '@ecsm/runtime';
import { formatBytes, formatPercent } from '../print/amount.ts';
import type { Cell, Column } from '../print/table.ts';
import { ageCell, containerCells, imageText, none, statusCell, textCell, timeText, unknown } from './cells.ts';
import { notFound, undefinedIfNotFound } from './not-found.ts';
import type { Context, Item, Resource } from './resource.ts';
import { fieldLines, tablePart } from './text.ts';

/** The name is an argument of other commands, so others shrink first. */
export const containerColumns: readonly Column[] = [
  { name: 'name' },
  { name: 'service', shrink: true },
  { name: 'node', shrink: true },
  { name: 'status' },
  { name: 'deployed' },
  { name: 'restarts' },
  { name: 'age' },
  { name: 'image', wide: true },
  { name: 'cpu', wide: true },
  { name: 'memory', wide: true },
  { name: 'task id', wide: true },
];

export const containers: Resource = {
  kind: 'container',
  columns: containerColumns,

  async *list(context) {
    for await (const row of listedContainers(context)) yield containerItem(context, row);
  },

  async find(context, word) {
    return containerItem(context, await findContainer(context, word));
  },
};

const historyMax = 20;

/** Filtered by the flags. The API has no list of all containers, so services are listed first. */
export async function* listedContainers(context: Context): AsyncGenerator<ContainerRow, void, undefined> {
  const { filterOf, platform, signal } = context;
  const key = filterOf('key');
  const options = key === undefined ? { signal } : { signal, key };
  const serviceWord = filterOf('service');
  const nodeWord = filterOf('node');
  if (serviceWord !== undefined && nodeWord !== undefined) {
    // The API filters by one of them, not by both.
    throw new UsageError('--service and --node cannot be combined: use one of them');
  }
  if (nodeWord !== undefined) {
    if (filterOf('namespace') !== undefined) throw new UsageError('--namespace and --node cannot be combined');
    const { findNode } = await import('./nodes.ts');
    yield* platform.ecsm.containers().ofNodes([(await findNode(context, nodeWord)).id], options);
    return;
  }
  const { findService, listedServices } = await import('./services.ts');
  const services =
    serviceWord === undefined ? await collect(listedServices(context, {})) : [await findService(context, serviceWord)];
  const ids = services.map(({ id }) => id);
  yield* platform.ecsm.containers().ofServices(ids, options);
}

/** By name, task id or runtime id. */
export async function findContainer(context: Context, word: string): Promise<ContainerRow> {
  const { platform, signal } = context;
  const all = platform.ecsm.containers();
  const byTask = await undefinedIfNotFound(() => all.get(word, { signal }));
  if (byTask) return byTask;
  const ids = (await collect(platform.ecsm.services().list({}, { signal }))).map(({ id }) => id);
  for await (const row of all.ofServices(ids, { signal, key: word })) {
    if (row.name === word || row.id === word) return row;
  }
  throw await notFound(context, 'container', word, all.ofServices(ids, { signal }));
}

export function containerItem(context: Context, row: ContainerRow): Item {
  const cpu = cpuPercentOf(row.cpuUsage);
  const [status, restarts] = containerCells(row.status, numberOf(row.restartCnt));
  return {
    name: row.name,
    value: row,
    cells: [
      row.name,
      textCell(row.serviceName ?? row.serviceId),
      row.nodeName,
      status,
      statusCell(row.deployStatus),
      restarts,
      ageCell(context, row.createdTime ?? row.taskCreatedTime),
      imageOf(row),
      cpu === undefined ? unknown : formatPercent(cpu / 100),
      memoryOf(row),
      row.taskId,
    ],
    whole: () => context.platform.ecsm.containers().get(row.taskId, { signal: context.signal }),
    describe: () => describe(context, row),
  };
}

async function describe(context: Context, row: ContainerRow): Promise<string> {
  const { platform, signal, call } = context;
  const history: (readonly Cell[])[] = [];
  for await (const { cmd, user, time } of platform.ecsm.containers().history(row.taskId, { signal })) {
    history.push([textCell(time), redactText(textCell(cmd)), textCell(user)]);
    if (history.length >= historyMax) break;
  }
  const cpu = cpuPercentOf(row.cpuUsage);
  const uptime = numberOf(row.uptime);
  const fields = fieldLines([
    ['Name', row.name],
    ['Task id', row.taskId],
    ['Runtime id', textCell(row.id)],
    ['Service', `${textCell(row.serviceName)} (${row.serviceId})`],
    ['Node', row.nodeName],
    ['Address', textCell(row.address)],
    ['Image', imageOf(row)],
    ['Status', row.status ?? unknown],
    ['Deployment', row.deployStatus],
    ['Reason', row.failedMessage ? explainedText(row.failedMessage) : none],
    ['Created', timeText(context, row.createdTime)],
    ['Started', timeText(context, row.startedTime)],
    ['Uptime', uptime === undefined ? unknown : formatAge(uptime * 1000)],
    ['Restarts', textCell(row.restartCnt)],
    ['Deployments', textCell(row.deployNum)],
    ['CPU', cpu === undefined ? unknown : formatPercent(cpu / 100)],
    ['Memory', memoryOf(row)],
  ]);
  const columns = [{ name: 'time' }, { name: 'action' }, { name: 'user' }];
  return fields + tablePart('Actions', { columns, rows: history }, call.terminal.out);
}

function imageOf({ imageName, imageVersion, imageOS }: ContainerRow): string {
  return imageName ? imageText({ name: imageName, tag: imageVersion, os: imageOS }) : none;
}

function memoryOf({ memoryUsage, memoryLimit }: ContainerRow): string {
  const used = numberOf(memoryUsage);
  const limit = numberOf(memoryLimit);
  if (used === undefined) return unknown;
  return limit === undefined || limit <= 0 ? formatBytes(used) : `${formatBytes(used)}/${formatBytes(limit)}`;
}
