/** The tables of `top`: resource usage of nodes and containers. */
import { collect, cpuPercentOf, numberOf } from '@ecsm/client';
import type { Terminal } from '@ecsm/command-line';
import { formatBytes, formatPercent } from '../print/amount.ts';
import { bar } from '../print/bar.ts';
import type { Cell } from '../print/table.ts';
import { supportsUnicode } from '../print/unicode.ts';
import { statusCell } from './cells.ts';
import { listedContainers } from './containers.ts';
import { uptimeOf } from './nodes.ts';
import type { UsageTable } from './top.ts';

const barColumns = 6;
/** Cell of an unknown measurement. Many cells of `<unknown>` would hide the known ones. */
const notMeasured = '-';
const warnAbove = 0.8;
const badAbove = 0.95;

export const nodeUsage: UsageTable = {
  flags: ['name'],
  columns: [
    { name: 'name', shrink: true },
    { name: 'status' },
    { name: 'cpu' },
    { name: 'memory' },
    { name: 'disk' },
    { name: 'containers' },
    { name: 'uptime' },
    { name: 'memory used', wide: true },
    { name: 'processes', wide: true },
  ],
  async measure({ platform, filterOf, signal, call: { terminal } }, withBars) {
    const name = filterOf('name');
    const rows = await collect(platform.ecsm.nodes().listBasic(name === undefined ? {} : { name }, { signal }));
    const live = await platform.ecsm.nodes().status(
      rows.map(({ id }) => id),
      { signal },
    );
    const byId = new Map(live.map((one) => [one.id, one]));
    return rows.map((row) => {
      const now = byId.get(row.id);
      const total = numberOf(now?.memoryTotal);
      const free = numberOf(now?.memoryFree);
      const isKnown = now?.status === 'online';
      const memory = isKnown ? usedShare(total, free) : undefined;
      const disk = isKnown ? usedShare(numberOf(now.diskTotal), numberOf(now.diskFree)) : undefined;
      const cpu = isKnown && now.cpuPercent !== undefined ? now.cpuPercent / 100 : undefined;
      const used = memory === undefined || total === undefined || free === undefined ? undefined : total - free;
      return {
        name: `node/${row.name}`,
        value: { name: row.name, id: row.id, status: now?.status ?? null, cpu, memory, disk, memoryBytes: used },
        cells: [
          row.name,
          statusCell(now?.status),
          shareCell(terminal, cpu, withBars),
          shareCell(terminal, memory, withBars),
          shareCell(terminal, disk, withBars),
          isKnown ? `${numberOf(now.containerRunning) ?? '?'}/${numberOf(now.containerTotal) ?? '?'}` : notMeasured,
          isKnown ? uptimeOf(now.uptime) : notMeasured,
          used === undefined ? notMeasured : formatBytes(used),
          isKnown ? String(numberOf(now.processCount) ?? notMeasured) : notMeasured,
        ],
      };
    });
  },
};

export const containerUsage: UsageTable = {
  flags: ['service', 'node', 'namespace'],
  columns: [
    { name: 'name', shrink: true },
    { name: 'service', shrink: true },
    { name: 'node', shrink: true },
    { name: 'status' },
    { name: 'cpu' },
    { name: 'memory' },
    { name: 'memory used', align: 'right' },
    { name: 'disk', wide: true },
    { name: 'uptime', wide: true },
  ],
  async measure(context, withBars) {
    const { terminal } = context.call;
    const items = [];
    for await (const row of listedContainers(context)) {
      const isRunning = row.status === 'running';
      const percent = isRunning ? cpuPercentOf(row.cpuUsage) : undefined;
      const cpu = percent === undefined ? undefined : percent / 100;
      const used = isRunning ? numberOf(row.memoryUsage) : undefined;
      const limit = numberOf(row.memoryLimit);
      const memory = used === undefined || !limit ? undefined : used / limit;
      const disk = numberOf(row.sizeUsage);
      const { name, taskId, serviceName, serviceId, nodeName, status } = row;
      items.push({
        name: `container/${name}`,
        value: {
          name,
          taskId,
          service: serviceName ?? serviceId,
          node: nodeName,
          status,
          cpu,
          memory,
          memoryBytes: used,
        },
        cells: [
          name,
          serviceName ?? serviceId,
          nodeName,
          statusCell(status),
          shareCell(terminal, cpu, withBars),
          shareCell(terminal, memory, withBars),
          used === undefined ? notMeasured : formatBytes(used),
          disk === undefined ? notMeasured : formatBytes(disk),
          isRunning ? uptimeOf(row.uptime) : notMeasured,
        ],
      });
    }
    return items;
  },
};

function usedShare(total: number | undefined, free: number | undefined): number | undefined {
  return total === undefined || free === undefined || total <= 0 ? undefined : Math.max(0, (total - free) / total);
}

function shareCell(terminal: Terminal, share: number | undefined, withBars: boolean): Cell {
  if (share === undefined) return notMeasured;
  const percent = formatPercent(share);
  const text = withBars
    ? `${percent.padEnd(4)} ${bar(share, barColumns, { ascii: !supportsUnicode(terminal) })}`
    : percent;
  const style = share > badAbove ? 'bad' : share > warnAbove ? 'warn' : undefined;
  return style === undefined ? text : { text, style };
}
