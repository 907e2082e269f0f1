/** The operator with its controllers, on a registry in memory and a scripted etcd. */
import { ConfigMap, Secret } from '@ecsm/apiserver';
import { PodDisruptionBudget, Service, StatefulSet } from '@ecsm/kubernetes';
import {
  type Clock,
  EmbeddedRegistry,
  Event,
  type Kind,
  MemoryStore,
  MetricRegistry,
  type Registry,
  systemClock,
} from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { EtcdCluster, type EtcdClusterInput, type EtcdClusterStatus } from '../apis/etcd-cluster.ts';
import { createCluster, ToyIssuer, withoutTls } from '../resource/cluster.kit.ts';
import { Lab } from './lab.kit.ts';
import { EtcdOperator, operatorKinds, whyUnsettled } from './operator.ts';

function openRegistry(clock: Clock = systemClock) {
  return new EmbeddedRegistry({ store: new MemoryStore(), kinds: operatorKinds, clock });
}

/** Runs until the test ends. */
function run(registry: Registry, options: Partial<ConstructorParameters<typeof EtcdOperator>[0]> = {}) {
  const operator = new EtcdOperator({
    registry,
    issuer: new ToyIssuer(systemClock),
    settings: { busyMs: 10, restMs: 50 },
    ...options,
  });
  const stop = new AbortController();
  const running = operator.run({ signal: stop.signal });
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  return operator;
}

describe('EtcdOperator', () => {
  it('forms a cluster, reports it as settled, and deletes it', async () => {
    const lab = new Lab(openRegistry());
    await lab.create({ size: 1, version: '3.5.30' });
    const metrics = new MetricRegistry();
    const operator = run(lab.registry, { connect: lab.options.connect, metrics });
    const sets = lab.registry.resource(StatefulSet);
    await expect.poll(async () => (await sets.list()).items.length).toBe(1);
    expect(await operator.unsettled()).toEqual([{ namespace: 'default', name: 'main', why: expect.any(String) }]);
    const { spec } = await sets.get('main');
    await lab.start(1, spec.template.metadata?.annotations?.['etcd.ecsm.sh/template-hash']);
    await expect.poll(() => operator.unsettled()).toEqual([]);
    expect((await lab.get()).status).toMatchObject({ phase: 'Running', clusterID: 'c1', readyReplicas: 1 });
    const reasons = async () =>
      (await lab.registry.resource(Event).list()).items.map((event) => Event.fieldsOf(event).reason);
    await expect.poll(reasons).toContain('ClusterCreated');
    expect(metrics.render()).toContain('etcd_cluster_has_leader{namespace="default",cluster="main"} 1');

    await lab.registry.resource(EtcdCluster).delete('main');
    await expect.poll(async () => (await sets.list()).items.length).toBe(0);
    await lab.stop(0);
    await expect.poll(async () => (await lab.registry.resource(EtcdCluster).list()).items).toEqual([]);
  });

  it('exposes no cluster when its term has ended: the next leader does', async () => {
    const registry = openRegistry();
    await createCluster({ ...withoutTls, size: 0 }, { registry });
    const metrics = new MetricRegistry();
    const operator = new EtcdOperator({
      registry,
      issuer: new ToyIssuer(systemClock),
      settings: { busyMs: 10, restMs: 50 },
      metrics,
    });
    for (let term = 0; term < 2; term++) {
      const stop = new AbortController();
      const running = operator.run({ signal: stop.signal });
      await expect.poll(() => metrics.render()).toContain('etcd_cluster_members{namespace="default",cluster="main"}');
      stop.abort();
      await running;
      expect(metrics.render()).not.toContain('cluster="main"');
    }
  });

  it('starts nothing for a cluster of size 0', async () => {
    const registry = openRegistry();
    await createCluster({ ...withoutTls, size: 0 }, { registry });
    const operator = run(registry);
    await expect.poll(() => operator.unsettled()).toEqual([]);
    expect((await registry.resource(StatefulSet).list()).items).toEqual([]);
  });

  it('leaves clusters of other namespaces alone', async () => {
    const registry = openRegistry();
    const other = await createCluster({ size: 0 }, { registry, name: 'other', metadata: { namespace: 'other' } });
    await createCluster({ ...withoutTls, size: 0 }, { registry });
    const operator = run(registry, { namespace: 'default' });
    await expect.poll(() => operator.unsettled()).toEqual([]);
    expect(await registry.resource(EtcdCluster).get('other', { namespace: 'other' })).toEqual(other);
  });

  it.each([
    ['workers', 0],
    ['callTimeoutMs', 1.5],
    ['restMs', Number.NaN],
  ])('refuses the setting %s: %d', (name, value) => {
    const settings = { [name]: value };
    expect(() => new EtcdOperator({ registry: openRegistry(), settings })).toThrow(
      `${name} must be a positive whole number, not ${value}`,
    );
  });
});

describe('an object of a cluster at rest', () => {
  const clock = new VirtualClock();
  const lab = new Lab(openRegistry(clock));
  const stop = new AbortController();
  let running: Promise<void> = Promise.resolve();

  beforeAll(async () => {
    const { registry } = lab;
    const operator = new EtcdOperator({ registry, issuer: new ToyIssuer(clock), connect: lab.options.connect });
    running = operator.run({ signal: stop.signal });
    await lab.create({ size: 1, version: '3.5.30', security: { tls: { enabled: true } } });
    const sets = registry.resource(StatefulSet);
    await clock.until(async () => (await sets.list()).items.length === 1);
    const { spec } = await sets.get('main');
    await lab.start(1, spec.template.metadata?.annotations?.['etcd.ecsm.sh/template-hash']);
    await clock.until(async () => (await operator.unsettled()).length === 0);
    await clock.advance(600_000);
  });
  afterAll(async () => {
    stop.abort();
    await clock.until(() => running.then(() => true));
  });

  it.each<[string, Kind]>([
    ['main-server-tls', Secret],
    ['main-peer-tls', Secret],
    ['main-client-tls', Secret],
    ['main-ca', Secret],
    ['main-client', Service],
    ['main-peer', Service],
    ['main-config', ConfigMap],
    ['main', PodDisruptionBudget],
  ])('is created again within seconds after it was deleted: %s', async (name, kind) => {
    const objects = lab.registry.resource(kind);
    const { uid } = (await objects.get(name)).metadata;
    await objects.delete(name);
    // Between the passes of a cluster at rest, which are 30 seconds apart.
    const isBack = async () =>
      (await objects.list()).items.some(({ metadata }) => metadata.name === name && metadata.uid !== uid);
    expect(await clock.until(isBack)).toBeLessThan(5_000);
  });

  it('causes no write when it has been created again', async () => {
    await clock.advance(60_000);
    const before = await lab.registry.revision();
    await clock.advance(600_000);
    expect(await lab.registry.revision()).toBe(before);
  });
});

describe('a cluster is not settled', () => {
  const ready = { type: 'Ready', status: 'True', reason: 'Running', message: '', lastTransitionTime: '' } as const;
  const settled: EtcdClusterStatus = { observedGeneration: 1, conditions: [ready] };
  const why = async (status: EtcdClusterStatus | undefined, spec: EtcdClusterInput['spec'] = {}, metadata = {}) => {
    const cluster = await createCluster(spec);
    return whyUnsettled({ ...cluster, metadata: { ...cluster.metadata, ...metadata }, ...(status ? { status } : {}) });
  };

  it.each<[string | undefined, EtcdClusterStatus | undefined]>([
    [undefined, settled],
    ['its newest spec has not been observed yet', undefined],
    ['its newest spec has not been observed yet', { ...settled, observedGeneration: 0 }],
    ['not reconciled yet', { observedGeneration: 1 }],
    ['waiting', { ...settled, conditions: [{ ...ready, status: 'False', message: 'waiting' }] }],
  ])('%s', async (expected, status) => {
    expect(await why(status)).toBe(expected);
  });

  it('while it is deleted, and at size 0 until it is stopped', async () => {
    expect(await why(settled, {}, { deletionTimestamp: '2026-01-01T00:00:00Z' })).toBe('it is being deleted');
    expect(await why({ ...settled, phase: 'Scaling' }, { size: 0 })).toBe('it is being stopped');
    expect(await why({ ...settled, phase: 'Stopped' }, { size: 0 })).toBeUndefined();
  });
});
