/** `node check`: whether nodes are reachable, have the recorded type, and have memory and disk left. */
import { type NodeRow, type NodeStatus, numberOf } from '@ecsm/client';
import type { Call } from '@ecsm/command-line';
import { formatPercent } from '../print/amount.ts';
import type { Column } from '../print/table.ts';
import { statusCell, textCell, unknown } from './cells.ts';
import { callPlatform } from './change.ts';
import { findNode, uptimeOf } from './nodes.ts';
import { formatOf, print } from './output.ts';
import { withPlatform } from './platform.ts';

const columns: readonly Column[] = [
  { name: 'name', shrink: true },
  { name: 'status' },
  { name: 'type' },
  { name: 'found type' },
  { name: 'uptime' },
  { name: 'verdict', shrink: true },
];

/** Returns exit code 1 if a node has a problem. */
export async function run(call: Call): Promise<number> {
  const format = formatOf(call);
  const checked = await withPlatform(call, (platform) =>
    callPlatform(call, platform, 'check its nodes', async (context) => {
      const { signal } = context;
      const all = platform.ecsm.nodes();
      if (call.flag('refresh') !== undefined) await all.refreshTypes({ signal });
      const rows: NodeRow[] = [];
      for (const word of new Set(call.words)) rows.push(await findNode(context, word));
      if (rows.length === 0) for await (const row of all.list({}, { signal })) rows.push(row);
      const changes = new Map((await all.typeChanges({ signal })).map((change) => [change.id, change.newType]));
      const ids = rows.map(({ id }) => id);
      const live = new Map((await all.status(ids, { signal })).map((status) => [status.id, status]));
      return rows.map((row) => verdictOf(row, changes.get(row.id), live.get(row.id)));
    }),
  );
  const items = checked.map(({ row, newType, verdict }) => ({
    name: `node/${row.name}`,
    value: { name: row.name, id: row.id, status: row.status, type: row.type, newType, verdict },
    cells: [
      row.name,
      statusCell(row.status),
      textCell(row.type),
      textCell(newType ?? row.type),
      row.status === 'offline' ? unknown : uptimeOf(row.upTime),
      { text: verdict, style: verdict === noProblem ? 'good' : 'bad' } as const,
    ],
  }));
  await print(call, format, [{ columns, items }], { headers: call.flag('no-headers') === undefined });
  return checked.every(({ verdict }) => verdict === noProblem) ? 0 : 1;
}

const noProblem = 'ok';

/** A node that is used more than this has no room for the peaks of its programs. */
const usedPartMax = 0.95;

function verdictOf(row: NodeRow, newType: string | null | undefined, live: NodeStatus | undefined) {
  const problems = [
    ...(row.status === 'online' ? [] : ['not reachable from the platform']),
    ...(newType && newType.toLowerCase() !== row.type?.toLowerCase() ? ['type has changed'] : []),
    ...fullness('memory', live?.memoryTotal, live?.memoryFree),
    ...fullness('disk', live?.diskTotal, live?.diskFree),
  ];
  return { row, newType, verdict: problems.join('; ') || noProblem };
}

/** The platform returns zeros for an unreachable node. */
function fullness(what: string, total: NodeStatus['memoryTotal'], free: NodeStatus['memoryFree']): readonly string[] {
  const [all, left] = [numberOf(total), numberOf(free)];
  if (all === undefined || left === undefined || all <= 0) return [];
  const used = (all - left) / all;
  return used > usedPartMax ? [`${what} ${formatPercent(used)} used`] : [];
}
