/** The placement of 1,000 services on 100 nodes: at rest, when a node is lost with everything full, and from nothing. */
import { type PlacementNode, type PlacementService, place } from '@ecsm/operator';
import { deliver, type Measurement, median } from '../report.ts';

const mebibyte = 2 ** 20;
const serviceCount = 1_000;
const nodeCount = 100;
const replicas = 3;
const poolSize = 20;
const rounds = 31;
const restoreMs = 60_000;
/** Three instances of a hundred and twenty mebibytes for each service fill the nodes. */
const memory = 120;
const capacity = (serviceCount * replicas * memory) / nodeCount;

const nodes: readonly PlacementNode[] = Array.from({ length: nodeCount }, (_, n) => ({
  name: `node-${n}`,
  memoryBytes: capacity * mebibyte,
  diskBytes: 1_000_000 * mebibyte,
}));
const names = nodes.map(({ name }) => name);

function service(n: number, isCreated: boolean): PlacementService {
  const nodeNames = Array.from({ length: poolSize }, (_, at) => names[(n + at * 5) % nodeCount] ?? '');
  const placed = isCreated ? nodeNames.slice(0, replicas).map((name) => [name, 1] as const) : [];
  return {
    key: `service-${n}`,
    name: `default/service-${n}`,
    createdTime: `2026-01-01T00:00:00.${String(n).padStart(3, '0')}Z`,
    priority: n % 5,
    mayPreempt: true,
    limits: { memoryBytes: memory * mebibyte, diskBytes: mebibyte },
    policy: 'Dynamic',
    desired: replicas,
    surge: 0,
    isSurgeNeeded: false,
    nodeNames,
    placed: new Map(placed),
    floating: 0,
    floatingNodes: [],
  };
}

const all = (isCreated: boolean) => Array.from({ length: serviceCount }, (_, n) => service(n, isCreated));

function measure(name: string, online: readonly PlacementNode[], services: readonly PlacementService[]): Measurement {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    place({ nodes: online, services, nowMs: 0, restoreMs });
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
  }
  const value = median(times);
  return {
    name: `placement of 1,000 services on 100 nodes: ${name}`,
    value,
    unit: 'ms',
    bar: { text: 'under 10 ms', met: value < 10 },
  };
}

deliver([
  measure('at rest', nodes, all(true)),
  measure('a node is lost, everything full', nodes.slice(1), all(true)),
  measure('from nothing', nodes, all(false)),
]);
