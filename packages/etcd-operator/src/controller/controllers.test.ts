/**
 * Goal: a cluster that needs a controller gets it, whatever the informer saw. Method: a store whose watches deliver
 * nothing, on a virtual clock.
 */
import { EmbeddedRegistry, Informers, MemoryStore, silentLog } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { afterEach, expect, it, vi } from 'vitest';
import { EtcdCluster } from '../apis/etcd-cluster.ts';
import { SimulatedEtcd } from '../client/etcd/simulated/world.kit.ts';
import { x509Issuer } from '../resource/certificates.ts';
import { MonitoringService } from '../service/monitoring/monitoring.ts';
import { createControllers } from './controllers.ts';
import { operatorKinds, settingsDefault } from './operator.ts';
import { Passes } from './passes.ts';
import { seatOf } from './seats.ts';

class SilentStore extends MemoryStore {
  override watch(): AsyncIterable<never> {
    return { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };
  }
}

afterEach(() => void vi.restoreAllMocks());

it('resumes a cluster whose status left a controller and came back unseen: it was never looked at again', async () => {
  const clock = new VirtualClock();
  const registry = new EmbeddedRegistry({ store: new SilentStore(), kinds: operatorKinds, clock });
  const clusters = registry.resource(EtcdCluster);
  const { metadata } = await clusters.create({ metadata: { name: 'main' }, spec: { size: 3 } });
  const status = { observedGeneration: metadata.generation, clusterID: 'a', phase: 'Running' } as const;
  await clusters.updateStatus({ metadata, status });
  const passes = new Passes({
    connect: new SimulatedEtcd(clock).connect,
    issuer: x509Issuer(clock),
    clock,
    settings: settingsDefault,
    callTimeoutMs: 1_000,
    monitoring: new MonitoringService(undefined),
  });
  const seats: string[] = [];
  vi.spyOn(Passes.prototype, 'run').mockImplementation(async (_, { get }, isWanted = () => true) => {
    const cluster = await get();
    if (cluster && !isWanted(cluster)) return { requeueAfterMs: undefined, isSkipped: true };
    if (cluster) seats.push(seatOf(cluster));
    return { requeueAfterMs: undefined };
  });
  const end = new AbortController();
  const controllers = createControllers({
    passes,
    events: () => undefined,
    workers: 1,
    lookMs: 30_000,
    log: silentLog,
  });
  const informers = new Informers({ registry, log: silentLog });
  for (const controller of controllers) {
    void controller.run({ registry, informers, signal: end.signal }).catch(() => {});
  }
  await clock.advance(1_000);
  expect(new Set(seats)).toEqual(new Set(['health']));
  await clusters.updateStatus({ metadata, status: { ...status, stoppedSize: 3 } });
  await clock.advance(31_000);
  expect(seats).toContain('scaling');
  end.abort();
  await clock.advance(40_000);
});
