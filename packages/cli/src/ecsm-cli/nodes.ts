/** Nodes, as `get` and `describe` show them. The platform returns their passwords, which are never shown. */

import { isOn, type NodeBasicRow, type NodeRow, numberOf } from '@ecsm/client';
import { formatAge } from '@ecsm/runtime';
import { formatBytes, formatPercent } from '../print/amount.ts';
import type { Cell } from '../print/table.ts';
import { ageCell, none, statusCell, textCell, timeText, unknown } from './cells.ts';
import { containerColumns, containerItem } from './containers.ts';
import { notFound, undefinedIfNotFound } from './not-found.ts';
import type { Context, Item, Resource } from './resource.ts';
import { fieldLines, tablePart, without } from './text.ts';

type Row = NodeRow | NodeBasicRow;

export const nodes: Resource = {
  kind: 'node',
  columns: [
    { name: 'name', shrink: true },
    { name: 'status' },
    { name: 'type' },
    { name: 'arch' },
    { name: 'containers' },
    { name: 'uptime' },
    { name: 'age' },
    { name: 'address', wide: true },
    { name: 'tls', wide: true },
    { name: 'id', wide: true },
  ],

  async *list(context) {
    const { filterOf, platform, signal } = context;
    const name = filterOf('name');
    const filter = name === undefined ? {} : { name };
    const all = platform.ecsm.nodes();
    const isBasic = filterOf('basic') !== undefined;
    for await (const row of isBasic ? all.listBasic(filter, { signal }) : all.list(filter, { signal })) {
      yield itemOf(context, row);
    }
  },

  async find(context, word) {
    return itemOf(context, await findNode(context, word));
  },
};

/** By name or id. */
export async function findNode(context: Context, word: string): Promise<NodeRow> {
  const all = context.platform.ecsm.nodes();
  const options = { signal: context.signal };
  const named = await all.byName(word, options);
  if (named) return named;
  const detail = await undefinedIfNotFound(() => all.get(word, options));
  const row = detail && (await all.byName(detail.name, options));
  if (row) return row;
  throw await notFound(context, 'node', word, all.listBasic({}, options));
}

function itemOf(context: Context, row: Row): Item {
  const { name, id, status, type, arch, address, tls, createdTime } = row;
  const running = 'containerRunning' in row ? row.containerRunning : undefined;
  const total = 'containerTotal' in row ? row.containerTotal : undefined;
  const upTime = 'upTime' in row ? row.upTime : undefined;
  return {
    name,
    value: row,
    cells: [
      name,
      statusCell(status),
      textCell(type),
      textCell(arch),
      numberOf(total) === undefined ? unknown : `${numberOf(running) ?? '?'}/${numberOf(total)}`,
      status === 'offline' ? unknown : uptimeOf(upTime),
      ageCell(context, createdTime),
      textCell(address),
      isOn(tls) ? 'yes' : 'no',
      id,
    ],
    whole: async () => {
      const all = context.platform.ecsm.nodes();
      const [live] = await all.status([id], { signal: context.signal });
      return { ...row, ...(await all.get(id, { signal: context.signal })), ...(live && { live }) };
    },
    describe: () => describe(context, row),
  };
}

async function describe(context: Context, row: Row): Promise<string> {
  const { platform, signal, call } = context;
  const detail = await platform.ecsm.nodes().get(row.id, { signal });
  const [measured] = await platform.ecsm.nodes().status([row.id], { signal });
  // The platform returns zeros for an unreachable node.
  const live = measured?.status === 'online' ? measured : undefined;
  const rows: (readonly Cell[])[] = [];
  for await (const container of platform.ecsm.containers().ofNodes([row.id], { signal })) {
    rows.push(containerItem(context, container).cells);
  }
  const fields = fieldLines([
    ['Name', row.name],
    ['Id', row.id],
    ['Status', row.status ?? unknown],
    ['Type', textCell(row.type)],
    ['Architecture', textCell(row.arch)],
    ['Address', textCell(row.address)],
    ['TLS', isOn(row.tls) ? 'yes' : 'no'],
    ['Agent', textCell(detail.ecsdVersion)],
    ['Created', timeText(context, row.createdTime)],
    ['Uptime', uptimeOf(live?.uptime)],
    ['CPU', live?.cpuPercent === undefined ? unknown : formatPercent(live.cpuPercent / 100)],
    ['Memory', usageText(live?.memoryTotal, live?.memoryFree)],
    ['Disk', shareText(live?.diskTotal, live?.diskFree)],
  ]);
  return fields + tablePart('Containers', without('node', { columns: containerColumns, rows }), call.terminal.out);
}

export function uptimeOf(seconds: number | string | null | undefined): string {
  const number = numberOf(seconds);
  return number === undefined ? unknown : formatAge(number * 1000);
}

type Amount = number | string | null | undefined;

/** `1.2Gi of 8Gi (15%)`. */
function usageText(total: Amount, free: Amount): string {
  const [all, left] = [numberOf(total), numberOf(free)];
  if (all === undefined || left === undefined || all <= 0) return unknown;
  return `${formatBytes(all - left)} of ${formatBytes(all)} (${formatPercent((all - left) / all)})`;
}

/** The unit is unknown, so only the percentage is shown. */
function shareText(total: Amount, free: Amount): string {
  const [all, left] = [numberOf(total), numberOf(free)];
  if (all === undefined || left === undefined) return unknown;
  return all <= 0 ? none : formatPercent((all - left) / all);
}
