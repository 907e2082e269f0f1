/** The simulated cluster with the suite of the client; what a client cannot see is tested in world.test.ts. */
import { VirtualClock } from '@ecsm/runtime/testing';
import { describeEtcd } from '../etcd.suite.ts';
import type { SuiteCluster } from '../suite.kit.ts';
import { EtcdVolume } from './model.kit.ts';
import { SimulatedEtcd } from './world.kit.ts';

const stepMs = 10;

function create(version: string, options: { readonly quotaBytes?: number }): SuiteCluster {
  // Time passes with the work of the process, so that no deadline is missed on a slow machine.
  const clock = new VirtualClock();
  let isClosed = false;
  const run = async () => {
    while (!isClosed) await clock.advance(stepMs);
  };
  const running = run();
  const world = new SimulatedEtcd(clock);
  const client = world.connect(undefined);
  const volumes = new Map<number, EtcdVolume>();
  const starts = new Map<number, Parameters<SuiteCluster['start']>[1]>();
  const peerURL = (slot: number) => `https://etcd-${slot}.etcd-peer.test.svc:2380`;
  const start: SuiteCluster['start'] = (slot, { state, slots }) => {
    starts.set(slot, { state, slots });
    const volume = volumes.get(slot) ?? new EtcdVolume();
    volumes.set(slot, volume);
    world.start({
      name: `etcd-${slot}`,
      peerURL: peerURL(slot),
      clientURL: `https://etcd-${slot}.etcd-peer.test.svc:2379`,
      address: `10.0.0.${slot}`,
      version,
      volume,
      initialCluster: slots.map((other) => ({ name: `etcd-${other}`, peerURL: peerURL(other) })),
      initialClusterState: state,
      initialClusterToken: 'test',
      ...options,
    });
  };
  return {
    client,
    endpoint: (slot) => ({ host: `etcd-${slot}.etcd-peer.test.svc`, address: `10.0.0.${slot}`, port: 2379 }),
    peerURL,
    start,
    restart(slot) {
      const before = starts.get(slot);
      if (before) start(slot, before);
    },
    async stop(slot) {
      world.stop(peerURL(slot));
    },
    freeze: (slot, isFrozen) => world.freeze(peerURL(slot), isFrozen),
    wipe: (slot) => volumes.get(slot)?.wipe(),
    isRunning: (slot) => world.isRunning(peerURL(slot)),
    async close() {
      client.close();
      isClosed = true;
      await running;
      for (const slot of volumes.keys()) world.stop(peerURL(slot));
    },
  };
}

for (const version of ['3.5.16', '3.6.16']) {
  describeEtcd({ name: `simulated ${version}`, version, create: (options) => create(version, options) });
}
