/** `node check`: whether nodes are reachable and have the recorded type. */
import type { NodeRow } from '@ecsm/client';
import type { Call } from '@ecsm/command-line';
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
      return rows.map((row) => verdictOf(row, changes.get(row.id)));
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

function verdictOf(row: NodeRow, newType: string | null | undefined) {
  const problems = [
    ...(row.status === 'online' ? [] : ['not reachable from the platform']),
    ...(newType && newType.toLowerCase() !== row.type?.toLowerCase() ? ['type has changed'] : []),
  ];
  return { row, newType, verdict: problems.join('; ') || noProblem };
}
