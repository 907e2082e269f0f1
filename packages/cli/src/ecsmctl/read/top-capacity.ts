/** `top capacity`: the free capacity of each node by declared limits, and the services with too few instances because of it. */

import type { Call, Run } from '@ecsm/command-line';
import { type CapacityStatus, ECSMService, OperatorIdentity } from '@ecsm/operator';
import { findCondition, PriorityClass } from '@ecsm/runtime';
import { formatBytes } from '../../print/amount.ts';
import { formatJson, formatYaml } from '../../print/documents.ts';
import { paintOf } from '../../print/paint.ts';
import { type Column, formatTable } from '../../print/table.ts';
import { ageOf, none } from '../shared/columns.ts';
import { formatOf } from '../shared/printing.ts';
import { type Session, withSession } from '../shared/session.ts';
import { isOn } from '../shared/targets.ts';

type Node = CapacityStatus['nodes'][number];

/** A service with fewer instances than desired, because of a higher priority or of insufficient capacity. */
interface Short {
  readonly service: string;
  readonly priority: number;
  readonly desired: number;
  readonly existing: number;
  readonly held: number;
  readonly by?: string;
  readonly reason?: string;
}

export const run: Run = async (call) => {
  const format = formatOf(call, ['table', 'wide', 'yaml', 'json']);
  return withSession(call, async (session) => {
    const { items } = await session.registry.resource(OperatorIdentity).list();
    const capacity = items[0]?.status?.capacity;
    const services = await shortOf(session);
    const { out, err } = call.terminal;
    if (format.kind === 'json') out.write(formatJson({ ...capacity, services }));
    else if (format.kind === 'yaml') out.write(await formatYaml({ ...capacity, services }));
    else if (capacity === undefined) {
      out.write('No capacity is known: the operator reads it while a service has a priority class.\n');
    } else {
      out.write(nodesTable(call, capacity.nodes, format.kind === 'wide'));
      if (services.length > 0) out.write(`\n${servicesTable(call, services, format.kind === 'wide')}`);
      err.write(`As of ${ageOf(capacity.observedTime, call.terminal.clock.now())} ago.\n`);
    }
    await out.drained();
  });
};

function nodesTable(call: Call, nodes: readonly Node[], wide: boolean): string {
  const amounts = (prefix: string, isWide: boolean): Column[] =>
    [prefix, `${prefix} OTHERS`, `${prefix} DECLARED`, `${prefix} FREE`].map((name) => ({
      name,
      align: 'right',
      wide: isWide,
    }));
  return tableOf(
    call,
    [{ name: 'NODE' }, { name: 'STATUS' }, ...amounts('MEMORY', false), ...amounts('DISK', true)],
    nodes.map((one) => [
      one.name,
      one.isOnline ? 'online' : 'offline',
      ...cells(one.isOnline, one.memoryBytes, one.memoryOthersBytes, one.memoryDeclaredBytes),
      ...cells(one.isOnline, one.diskBytes, one.diskOthersBytes, one.diskDeclaredBytes),
    ]),
    wide,
  );
}

/** An unknown total limits nothing, and an offline node has no room. */
function cells(isOnline: boolean, total: number | undefined, others = 0, declared = 0): readonly string[] {
  if (total === undefined) return ['unknown', formatBytes(others), formatBytes(declared), 'unlimited'];
  const free = isOnline ? Math.max(total - others - declared, 0) : 0;
  return [formatBytes(total), formatBytes(others), formatBytes(declared), formatBytes(free)];
}

function servicesTable(call: Call, services: readonly Short[], wide: boolean): string {
  const columns: readonly Column[] = [
    { name: 'SERVICE' },
    { name: 'PRIORITY', align: 'right' },
    { name: 'DESIRED', align: 'right' },
    { name: 'EXISTING', align: 'right' },
    { name: 'HELD', align: 'right' },
    { name: 'BY' },
    { name: 'REASON', shrink: true },
  ];
  const rows = services.map(({ service, priority, desired, existing, held, by = none, reason = none }) => [
    service,
    ...[priority, desired, existing, held].map(String),
    by,
    reason,
  ]);
  return tableOf(call, columns, rows, wide);
}

function tableOf(call: Call, columns: readonly Column[], rows: readonly (readonly string[])[], wide: boolean): string {
  const { out } = call.terminal;
  return formatTable({
    columns,
    rows,
    wide,
    headers: !isOn(call, 'no-headers'),
    columnsMax: wide ? undefined : out.columns,
    paint: paintOf(out.isColoured),
  });
}

/** Services of all namespaces: nodes are shared by all of them. Highest priority first. */
async function shortOf({ registry }: Session): Promise<readonly Short[]> {
  const classes = (await registry.resource(PriorityClass).list()).items.map((one) => ({
    name: one.metadata.name,
    ...PriorityClass.fieldsOf(one),
  }));
  const fallback = Math.min(...classes.filter((one) => one.globalDefault === true).map(({ value }) => value));
  const values = new Map(classes.map(({ name, value }) => [name, value]));
  const { items } = await registry.resource(ECSMService).list();
  const found = items.flatMap(({ metadata, spec, status }) => {
    const condition = findCondition(status?.conditions, 'Unschedulable');
    const isShort = condition?.status === 'True';
    if (status?.preempted === undefined && !isShort) return [];
    const { type, replicas = 0, nodes = [] } = spec.deploymentStrategy;
    const priority = spec.priorityClassName === undefined ? fallback : values.get(spec.priorityClassName);
    return [
      {
        service: `${metadata.namespace}/${metadata.name}`,
        priority: priority !== undefined && Number.isFinite(priority) ? priority : 0,
        desired: type === 'Static' ? nodes.length : replicas,
        existing: status?.replicas ?? 0,
        held: status?.preempted?.replicas ?? 0,
        ...(status?.preempted?.by === undefined ? {} : { by: status.preempted.by }),
        ...(isShort ? { reason: condition.message } : {}),
      },
    ];
  });
  return found.sort((left, right) => right.priority - left.priority || (left.service < right.service ? -1 : 1));
}
