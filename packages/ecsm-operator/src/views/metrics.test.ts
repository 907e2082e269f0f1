import { describe, expect, it } from 'vitest';
import { bareRow, containerRow, mark, nodeFacts, observation } from './facts.kit.ts';
import { nodeMetricsOf, podMetricsOf } from './metrics.ts';
import { NodeMetrics, PodMetrics } from './metrics-kinds.ts';
import { instancesOf, podOf } from './pod.ts';

function instanceOf(row = containerRow()) {
  const [facts] = instancesOf([row], () => mark);
  return facts ?? expect.fail('no instance');
}

describe('nodeMetricsOf', () => {
  it('converts percent of all cores and bytes', () => {
    const metrics = nodeMetricsOf(nodeFacts(), observation) ?? expect.fail('no metrics');
    expect(metrics).toMatchObject({
      metadata: { name: 'node-1' },
      timestamp: '2026-01-02T12:00:00Z',
      window: '1s',
      usage: { cpu: '1000000000n', memory: '1048576Ki' },
    });
    expect(NodeMetrics.validate(JSON.parse(JSON.stringify(metrics)))).toEqual([]);
    expect(NodeMetrics.columns.map(({ value }) => value(metrics))).toEqual(['1000000000n', '1048576Ki', '1s']);
  });

  it('uses the known number of cores for a measurement without cores', () => {
    const live = { ...nodeFacts().live, id: 'id-1', status: 'online', cpuUsage: '50%' };
    expect(nodeMetricsOf(nodeFacts({ live }), observation)?.usage['cpu']).toBe('2000000000n');
  });

  it.each([
    ['offline', { id: 'id-1', status: 'offline', memoryTotal: 0, memoryFree: 0, cpuUsage: 0 }],
    ['without measurements', { id: 'id-1', status: 'online' }],
    ['with null for the memory', { id: 'id-1', status: 'online', memoryTotal: null, cpuUsage: { total: 1 } }],
  ] as const)('returns nothing for a node %s', (_, live) => {
    expect(nodeMetricsOf(nodeFacts({ live }), observation)).toBeUndefined();
  });

  it('returns nothing for a node without a live status', () => {
    const { row, capacity, heartbeatMs } = nodeFacts();
    expect(nodeMetricsOf({ row, capacity, heartbeatMs }, observation)).toBeUndefined();
  });
});

describe('podMetricsOf', () => {
  it('converts usage, under the names of the pod', () => {
    const metrics = podMetricsOf(instanceOf(), observation) ?? expect.fail('no metrics');
    const pod = podOf(instanceOf(), observation);
    expect(metrics.metadata).toMatchObject({ namespace: 'space', name: pod.metadata.name });
    expect(metrics.containers).toEqual([
      { name: pod.spec.containers[0]?.name, usage: { cpu: '250000000n', memory: '102400Ki' } },
    ]);
    expect(PodMetrics.validate(JSON.parse(JSON.stringify(metrics)))).toEqual([]);
  });

  it.each([
    ['does not run', containerRow({ status: 'exited' })],
    ['is on an offline node', containerRow({ status: null })],
    ['has no measurements', bareRow],
  ])('returns nothing for a container that %s', (_, row) => {
    expect(podMetricsOf(instanceOf(row), observation)).toBeUndefined();
  });
});
