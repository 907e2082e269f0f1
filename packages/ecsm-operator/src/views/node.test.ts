import { describe, expect, it } from 'vitest';
import { nodeFacts, observation, stale } from './facts.kit.ts';
import { nodeOf } from './node.ts';
import { Node } from './node-kind.ts';

/** The columns of `kubectl get nodes -o wide`. */
function columnsOf(node: Node): Record<string, string> {
  return Object.fromEntries(Node.columns.map(({ name, value }) => [name, value(node)]));
}

function readyOf(node: Node) {
  return node.status?.conditions?.find(({ type }) => type === 'Ready');
}

describe('nodeOf', () => {
  it('converts a node that is online', () => {
    const node = nodeOf(nodeFacts({ sinceMs: Date.UTC(2026, 0, 2, 11) }), observation);
    expect(node.metadata).toEqual({
      name: 'node-1',
      uid: 'id-1',
      labels: { 'kubernetes.io/hostname': 'node-1', 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'sylixos' },
      generation: 1,
      resourceVersion: '0',
      creationTimestamp: '2025-12-31T10:00:00Z',
    });
    expect(node.spec).toEqual({ providerID: 'ecsm://id-1' });
    expect(node.status).toMatchObject({
      capacity: { cpu: '4', memory: '4194304Ki', 'ephemeral-storage': '16777216Ki' },
      allocatable: { cpu: '4', memory: '4194304Ki', 'ephemeral-storage': '16777216Ki' },
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'NodeOnline',
          lastHeartbeatTime: '2026-01-02T12:00:00Z',
          lastTransitionTime: '2026-01-02T11:00:00Z',
        },
      ],
      addresses: [
        { type: 'InternalIP', address: '10.0.0.1' },
        { type: 'Hostname', address: 'node-1' },
      ],
    });
    expect(columnsOf(node)).toEqual({
      STATUS: 'Ready',
      ROLES: '<none>',
      AGE: '2025-12-31T10:00:00Z',
      VERSION: '1.3.0',
      'INTERNAL-IP': '10.0.0.1',
      'EXTERNAL-IP': '<none>',
      'OS-IMAGE': 'SylixOS',
      'KERNEL-VERSION': '<unknown>',
      'CONTAINER-RUNTIME': 'ecsd://1.3.0',
    });
    expect(Node.validate(node)).toEqual([]);
  });

  it('never contains the password of the node', () => {
    expect(JSON.stringify(nodeOf(nodeFacts(), observation))).not.toContain('secret');
  });

  it('is not ready while offline, with its last known capacity', () => {
    const facts = nodeFacts();
    const live = { id: 'id-1', status: 'offline', memoryTotal: 0, cpuUsage: 0 } as const;
    const node = nodeOf({ ...facts, live }, observation);
    expect(readyOf(node)).toMatchObject({ status: 'False', reason: 'NodeOffline' });
    expect(node.spec.taints).toEqual([{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }]);
    expect(node.status?.capacity?.['memory']).toBe('4194304Ki');
    expect(columnsOf(node)['STATUS']).toBe('NotReady');
  });

  it('is unknown while the platform cannot be read, with the time of the last read', () => {
    const node = nodeOf(nodeFacts({ heartbeatMs: stale.observedMs - 60_000 }), stale);
    expect(node.metadata.annotations).toEqual({ 'ecsm.sh/observed-at': '2026-01-02T12:00:00Z' });
    expect(readyOf(node)).toMatchObject({
      status: 'Unknown',
      reason: 'PlatformUnreachable',
      lastHeartbeatTime: '2026-01-02T12:00:00Z',
      lastTransitionTime: '2026-01-02T12:00:00Z',
      message: expect.stringContaining('when the node was online: the platform is unavailable'),
    });
    expect(columnsOf(node)['STATUS']).toBe('NotReady');
  });

  it.each([undefined, null, 'maintenance'])('is unknown with the status %j', (status) => {
    const row = { id: 'id-1', name: 'node-1', ...(status !== undefined && { status }) };
    const node = nodeOf({ row, capacity: {}, heartbeatMs: observation.observedMs }, observation);
    expect(readyOf(node)).toMatchObject({ status: 'Unknown', reason: 'StatusUnknown' });
    expect(node.spec.taints?.[0]?.key).toBe('node.kubernetes.io/unreachable');
  });

  it('leaves out what the platform does not report', () => {
    const node = nodeOf({ row: { id: 'id-1', name: 'node-1' }, capacity: {}, heartbeatMs: 0 }, observation);
    expect(node.metadata.creationTimestamp).toBe('2026-01-01T00:00:00Z');
    expect(node.metadata.labels).toEqual({ 'kubernetes.io/hostname': 'node-1' });
    expect(node.status?.capacity).toBeUndefined();
    expect(node.status?.addresses).toEqual([{ type: 'Hostname', address: 'node-1' }]);
    expect(columnsOf(node)).toMatchObject({ VERSION: '', 'INTERNAL-IP': '<none>', 'OS-IMAGE': '<unknown>' });
    expect(Node.validate(node)).toEqual([]);
  });

  it.each([
    ['[fd00::1]:1112', { type: 'InternalIP', address: 'fd00::1' }],
    ['edge.example.com:1112', { type: 'InternalDNS', address: 'edge.example.com' }],
    ['10.0.0.9', { type: 'InternalIP', address: '10.0.0.9' }],
  ])('reads the address %s', (address, expected) => {
    const node = nodeOf(nodeFacts({ row: { ...nodeFacts().row, address } }), observation);
    expect(node.status?.addresses?.[0]).toEqual(expected);
  });

  it('has a valid name for any name on the platform', () => {
    const names = ['Ground', 'ground', '地面站', '节点', '-x-', 'a'.repeat(300), 'node_1', 'node-1.'];
    const nodes = names.map((name) => nodeOf(nodeFacts({ row: { ...nodeFacts().row, name } }), observation));
    for (const node of nodes) expect(Node.validate(node)).toEqual([]);
    expect(new Set(nodes.map(({ metadata }) => metadata.name)).size).toBe(names.length);
    expect(nodes[1]?.metadata.name).toBe('ground');
    expect(nodes[0]?.metadata.annotations).toEqual({ 'ecsm.sh/platform-name': 'Ground' });
  });
});
