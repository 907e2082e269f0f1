/** Whole passes, with a scripted etcd and a registry in memory: what is written, when, and what is done. */
import { Secret } from '@ecsm/apiserver';
import { PersistentVolumeClaim, Pod, Service, StatefulSet } from '@ecsm/kubernetes';
import { ApiError, isApiError, keyOf, type Log, MetricRegistry, type Registry } from '@ecsm/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import { EtcdCluster, type EtcdClusterInput } from '../apis/etcd-cluster.ts';
import { FINALIZER, annotations as wellKnown } from '../apis/well-known.ts';
import { MetricsClient } from '../client/metrics/client.ts';
import { MonitoringService } from '../service/monitoring/monitoring.ts';
import { certificateUsesMax, clusterOperation } from './cluster.ts';
import { Lab } from './lab.kit.ts';

let lab: Lab;
let metrics: MetricRegistry;
let operation: ReturnType<typeof clusterOperation>;
let lines: string[];
beforeEach(() => {
  lab = new Lab();
  metrics = new MetricRegistry();
  operation = clusterOperation({ ...lab.options, monitoring: new MonitoringService(new MetricsClient(metrics)) }, {});
  lines = [];
});

const log: Log = {
  write: (level, message) => void lines.push(`${level} ${message}`),
};

async function find(name: string): Promise<EtcdCluster | undefined> {
  try {
    return await lab.registry.resource(EtcdCluster).get(name);
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

const main = { namespace: 'default', name: 'main' };

/** One pass; what it reads of the cluster may be older than what is stored. */
async function pass(
  registry: Registry = lab.registry,
  get: () => Promise<EtcdCluster | undefined> = () => find('main'),
) {
  const request = { key: keyOf(EtcdCluster, 'default', 'main'), ...main };
  const { signal } = new AbortController();
  return (await operation.reconcile(request, { get, registry, signal, log, reason: 'test', attempt: 0 })) ?? {};
}

/** The registry of the lab as a plain object, to replace parts of it. */
function delegating(): Registry {
  const { registry } = lab;
  return {
    kinds: registry.kinds,
    clock: registry.clock,
    random: registry.random,
    capabilities: registry.capabilities,
    resource: (kind) => registry.resource(kind),
    locate: (key) => registry.locate(key),
    isNewer: (version, than) => registry.isNewer(version, than),
    checkFence: () => registry.checkFence(),
    observedBy: (observer) => registry.observedBy(observer),
    close: () => registry.close(),
  };
}

/** A registry in which one method of one kind is another one. */
function replacing(kindName: string, method: string, by: (...args: never[]) => Promise<unknown>): Registry {
  return {
    ...delegating(),
    resource: (kind) => {
      const resource = lab.registry.resource(kind);
      if (kind.kind !== kindName) return resource;
      return new Proxy(resource, {
        get(target, name) {
          if (name === method) return by;
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    },
  };
}

/** A registry in which one method of one kind fails. */
function failing(kindName: string, method: string, error: Error): Registry {
  return replacing(kindName, method, () => Promise.reject(error));
}

/** A registry that reads the cluster before it writes a status, as a server does. */
function unknowing(): Registry {
  const clusters = lab.registry.resource(EtcdCluster);
  type Update = Parameters<typeof clusters.updateStatus>;
  return replacing(EtcdCluster.kind, 'updateStatus', (update: Update[0], options: Update[1]) => {
    const { resourceVersion } = options ?? {};
    return clusters.updateStatus(update, resourceVersion === undefined ? {} : { resourceVersion });
  });
}

async function passUntil(isReached: () => Promise<boolean>): Promise<void> {
  for (let count = 0; count < 20; count++) {
    if (await isReached()) return;
    await pass();
  }
  throw new Error(`not reached: ${JSON.stringify((await lab.get()).status)}`);
}

const operationOf = async () => (await lab.get()).status?.operation;
const reasonOf = async (type: string) =>
  (await lab.get()).status?.conditions?.find((condition) => condition.type === type)?.reason;
const sets = async () => (await lab.registry.resource(StatefulSet).list()).items;

const atRestMs = 30_000;

/** A cluster of one member that has formed and is at rest. */
async function formed(spec: EtcdClusterInput['spec'] = {}) {
  await lab.create({ size: 1, version: '3.5.30', ...spec });
  await passUntil(async () => (await sets()).length === 1);
  const hash = (await sets())[0]?.spec.template.metadata?.annotations?.['etcd.ecsm.sh/template-hash'];
  await lab.start(1, hash);
  for (let count = 0; (await pass()).requeueAfterMs !== atRestMs; count++) expect(count).toBeLessThan(20);
}

describe('a pass', () => {
  it('stores the finalizer with its first intent, and keeps those of others', async () => {
    await lab.create({}, { finalizers: ['test/other'] });
    await expect(pass(failing(Service.kind, 'apply', new Error('down')))).rejects.toThrow('down');
    const { metadata, status } = await lab.get();
    expect(metadata.finalizers).toEqual(['test/other', FINALIZER]);
    expect(status?.phase).toBe('Creating');
  });

  it('forms a cluster, one action after another', async () => {
    await formed();
    expect((await lab.get()).status).toMatchObject({ phase: 'Running', clusterID: 'c1', readyReplicas: 1 });
    expect(lines).toEqual(['info applyObjects', 'info applyObjects', 'info createSet', 'info applyObjects']);
  });

  it('writes nothing when nothing changed', async () => {
    await formed();
    const { metadata } = await lab.get();
    const revision = await lab.registry.store.revision();
    lab.clock.step(60_000);
    expect(await pass()).toMatchObject({ requeueAfterMs: atRestMs });
    expect((await lab.get()).metadata.resourceVersion).toBe(metadata.resourceVersion);
    expect(await lab.registry.store.revision()).toBe(revision);
    // Not even asked for: a real server may not notice that nothing differs.
    expect(await pass(failing(EtcdCluster.kind, 'updateStatus', new Error('written')))).toMatchObject({
      requeueAfterMs: atRestMs,
    });
  });

  it('writes its intent before it acts, so that another process can continue', async () => {
    await formed();
    await lab.registry.resource(EtcdCluster).patch('main', { spec: { size: 3 } });
    await passUntil(async () => (await operationOf())?.type === 'AddMember');
    expect(lab.etcd.changes).toEqual([]);
    await passUntil(async () => {
      lab.etcd.failure = 'Timeout';
      return (await operationOf())?.step === 'addLearner';
    }).catch((error: unknown) => expect(error).toMatchObject({ code: 'Timeout' }));
    expect(await operationOf()).toMatchObject({ type: 'AddMember', slot: 1, step: 'addLearner' });
    expect(lab.etcd.changes).toEqual([]);
    lab.etcd.failure = undefined;
    await pass();
    expect(lab.etcd.changes).toEqual(['addLearner http://main-1.main-peer.default.svc:2380 at 10.0.0.0']);
  });

  it('does not act if the intent could not be written', async () => {
    await formed();
    await lab.registry.resource(EtcdCluster).patch('main', { spec: { size: 3 } });
    await passUntil(async () => (await operationOf())?.type === 'AddMember');
    const stale = await lab.get();
    await lab.registry.resource(EtcdCluster).patch('main', { metadata: { annotations: { note: 'b' } } });
    await expect(pass(lab.registry, async () => stale)).rejects.toMatchObject({ code: 'Conflict' });
    expect(lab.etcd.changes).toEqual([]);
  });

  it('removes the permission to recover before the recovery is over: a crash in between allowed another one', async () => {
    const annotations = { [wellKnown.recoverQuorumFrom]: 'main-0' };
    await lab.create({ size: 1 }, { finalizers: [FINALIZER], annotations });
    await passUntil(async () => (await sets()).length === 1);
    await lab.start(1);
    await passUntil(async () => (await lab.get()).status?.clusterID !== undefined);
    const { metadata, status } = await lab.get();
    const recovery = { survivor: 0, phase: 'Cleaning', startedAt: metadata.creationTimestamp } as const;
    await lab.registry.resource(EtcdCluster).updateStatus({ metadata, status: { ...status, recovery } });
    const mark = async () => (await lab.get()).metadata.annotations?.[wellKnown.recoverQuorumFrom];
    await passUntil(async () => (await mark()) === undefined);
    expect((await lab.get()).status?.recovery).toBeDefined();
    await passUntil(async () => (await lab.get()).status?.recovery === undefined);
  });

  it('does not act for a former leader', async () => {
    await formed();
    await lab.registry.resource(EtcdCluster).patch('main', { spec: { size: 3 } });
    await passUntil(async () => (await operationOf())?.type === 'AddMember');
    const fenced = {
      ...delegating(),
      checkFence: () => Promise.reject(new ApiError('Fenced', { fence: 'f', epoch: 1 })),
    };
    await expect(pass(fenced)).rejects.toMatchObject({ code: 'Fenced' });
    expect(lab.etcd.changes).toEqual([]);
  });

  it('tries again soon if etcd refuses, and does not count that as done', async () => {
    await formed();
    await lab.registry.resource(EtcdCluster).patch('main', { spec: { size: 3 } });
    await passUntil(async () => (await operationOf())?.type === 'AddMember');
    lab.etcd.failure = 'Unhealthy';
    await passUntil(async () => lines.at(-1) === 'info addLearner was refused');
    expect(metrics.render()).toContain('etcd_operator_actions_total{action="addLearner",outcome="refused"} 1');
    expect(lab.etcd.changes).toEqual([]);
    expect(await pass()).toMatchObject({ requeueAfterMs: 0 });
    expect(lab.etcd.changes).toHaveLength(1);
  });

  it('records a step that is done, and not one that was not: a database was left full', async () => {
    await formed();
    for (const [host, script] of lab.etcd.members) {
      lab.etcd.members.set(host, { ...script, alarms: [{ type: 'NOSPACE', memberId: 'a' }] });
    }
    const compacted = async () => (await lab.get()).status?.space?.compactedSlots;
    await passUntil(async () => (await compacted()) !== undefined);
    lab.etcd.failure = 'Timeout';
    await pass();
    expect(lines.at(-1)).toBe('info compact was refused');
    expect(await compacted()).toEqual([]);
    await pass();
    expect(lab.etcd.changes).toEqual(['compact 7 at 10.0.0.0']);
    expect(await compacted()).toEqual([0]);
  });

  it('reports a spec that is not valid, and changes nothing', async () => {
    await formed();
    const { metadata, spec } = await lab.get();
    // As a server without our rules would store it.
    const changed = { ...metadata, generation: (metadata.generation ?? 0) + 1 };
    const invalid = { ...(await lab.get()), metadata: changed, spec: { ...spec, size: 2 } };
    expect(await pass(unknowing(), async () => invalid)).toMatchObject({ requeueAfterMs: atRestMs });
    expect(await reasonOf('Ready')).toBe('InvalidSpec');
    expect((await lab.get()).status).toMatchObject({ clusterID: 'c1' });
  });

  it('closes its connections, also when it fails', async () => {
    await formed();
    expect(lab.connections).toBe(0);
    await lab.registry.resource(EtcdCluster).patch('main', { spec: { size: 3 } });
    await passUntil(async () => (await operationOf())?.type === 'AddMember');
    lab.etcd.failure = 'Timeout';
    await passUntil(async () => lab.etcd.failure === undefined).catch(() => undefined);
    expect(lab.connections).toBe(0);
  });
});

describe('a deletion', () => {
  it('ends with the finalizer, after the StatefulSet', async () => {
    await formed();
    await lab.registry.resource(EtcdCluster).delete('main');
    await passUntil(async () => (await sets()).length === 0);
    expect((await lab.get()).status?.phase).toBe('Deleting');
    await lab.registry.resource(Pod).delete('main-0');
    while ((await find('main')) !== undefined) await pass();
    expect(await lab.registry.resource(PersistentVolumeClaim).get('data-main-0')).toBeDefined();
    expect(metrics.render()).toContain('etcd_cluster_members{');
    expect(await pass()).toEqual({});
    expect(metrics.render()).not.toContain('etcd_cluster_members{');
  });

  it('is left to others if the cluster has only their finalizers', async () => {
    await lab.create({}, { finalizers: ['test/other'] });
    await lab.registry.resource(EtcdCluster).delete('main');
    expect(await pass()).toEqual({});
    expect((await lab.get()).metadata.finalizers).toEqual(['test/other']);
  });

  it('during a pass creates nothing afterwards, and is looked for again: after a stale read it was not', async () => {
    await formed();
    const [set] = await sets();
    await lab.registry.resource(StatefulSet).delete('main');
    const before = await lab.get();
    await lab.registry.resource(EtcdCluster).patch('main', { metadata: { finalizers: null } });
    await lab.registry.resource(EtcdCluster).delete('main');
    expect(set).toBeDefined();
    expect(await pass(lab.registry, async () => before)).toEqual({ requeueAfterMs: 1_000 });
    expect(await sets()).toEqual([]);
    expect(await pass()).toEqual({});
  });
});

describe('a volume that cannot be enlarged', () => {
  /** A server whose StorageClass allows no growth. */
  const refusing = () =>
    failing(PersistentVolumeClaim.kind, 'patch', new ApiError('Forbidden', { reason: 'no resize' }));
  const refusals = () => lines.filter((line) => /^(?:info|debug) enlargeVolume was refused$/u.test(line)).length;
  const rest = async () => {
    for (let count = 0; (await pass(refusing())).requeueAfterMs !== atRestMs; count++) expect(count).toBeLessThan(9);
  };
  const resize = (size: string) => lab.registry.resource(EtcdCluster).patch('main', { spec: { storage: { size } } });

  it('is reported, and tried again when the size changes or some time has passed', async () => {
    await formed();
    await resize('20Gi');
    await rest();
    expect(refusals()).toBe(1);
    expect(await reasonOf('Degraded')).toBe('StorageResizeBlocked');
    await rest();
    expect(refusals()).toBe(1);
    await resize('30Gi');
    await rest();
    expect(refusals()).toBe(2);
    lab.clock.step(600_000);
    await rest();
    expect(refusals()).toBe(3);
    lab.clock.step(600_000);
    await passUntil(async () => (await reasonOf('Degraded')) === 'AsExpected');
    const { spec } = await lab.registry.resource(PersistentVolumeClaim).get('data-main-0');
    expect(spec.resources?.requests).toEqual({ storage: '30Gi' });
  });
});

describe('the Secrets of a cluster at rest', () => {
  const tls = { security: { tls: { enabled: true } } };
  let reads = 0;
  const counting = (): Registry => ({
    ...delegating(),
    resource: (kind) => {
      if (kind.kind === Secret.kind) reads++;
      return lab.registry.resource(kind);
    },
  });
  const changed = () => {
    const memory = operation.memoryOf(main);
    if (memory) memory.hasChanged = true;
  };
  beforeEach(async () => {
    await formed(tls);
    reads = 0;
  });

  it('are read in every tenth pass', async () => {
    for (let count = 0; count < certificateUsesMax; count++)
      expect(await pass(counting())).toMatchObject({ requeueAfterMs: atRestMs });
    expect(reads).toBe(0);
    await pass(counting());
    expect(reads).toBe(4);
    await pass(counting());
    expect(reads).toBe(4);
  });

  it('are restored if they are deleted', async () => {
    await lab.registry.resource(Secret).delete('main-peer-tls');
    for (let count = 0; count < 10; count++) await pass();
    expect(lines.at(-1)).toBe('info certificates');
    expect(await lab.registry.resource(Secret).get('main-peer-tls')).toBeDefined();
  });

  it('are read again after a change, also one during a pass', async () => {
    changed();
    expect(await pass(counting())).toMatchObject({ requeueAfterMs: atRestMs });
    expect(reads).toBe(4);
    changed();
    await pass({
      ...delegating(),
      resource: (kind) => {
        if (kind.kind === Secret.kind) changed();
        return counting().resource(kind);
      },
    });
    expect(reads).toBe(8);
    await pass(counting());
    expect(reads).toBe(12);
    await pass(counting());
    expect(reads).toBe(12);
  });

  it('are read before anything is done', async () => {
    await lab.registry.resource(Secret).delete('main-peer-tls');
    expect(await pass()).toMatchObject({ requeueAfterMs: atRestMs });
    await lab.registry.resource(EtcdCluster).patch('main', { spec: { size: 3 } });
    await pass(counting());
    expect(reads).toBeGreaterThanOrEqual(4);
    expect(lines.at(-1)).toBe('info certificates');
  });
});
