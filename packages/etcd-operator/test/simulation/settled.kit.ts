/**
 * Clusters that have settled, to start runs with. Their creation would take half of the time of a run, and most of the
 * time in which faults are injected. They are created once in a process, by the operator, without faults.
 */
import { type Entry, keyOf, Lease, sleep } from '@ecsm/runtime';
import { runScenario } from '@ecsm/runtime/simulation';
import { EtcdCluster } from '../../src/apis/etcd-cluster.ts';
import type { DataDirectory } from '../../src/client/etcd/simulated/model.kit.ts';
import { whyUntrue } from './outcome.kit.ts';
import { clusterName } from './view.kit.ts';
import { buildWorld, operate, settings, type World } from './world.kit.ts';

/** A cluster that a run starts with. */
export interface StoredCluster {
  readonly entries: readonly Pick<Entry, 'key' | 'value'>[];
  /** By uid of the claim. */
  readonly volumes: ReadonlyMap<string, DataDirectory>;
  readonly uid: string;
  readonly voters: readonly string[];
  /** How many addresses its pods have had: later ones are different. */
  readonly addresses: number;
  /** How old it is. */
  readonly ageMs: number;
}

/** Not one of a run: uids that are generated from it must not be generated again. */
const seed = 2_000_000_011;
const settleMsMax = 600_000;
const settled = new Map<string, StoredCluster>();

/** The spec of every cluster of the simulation, unless a story says otherwise. */
export const specOf = (size: number, isTls: boolean) => ({
  size,
  version: 'v3.5.30',
  security: { tls: { enabled: isTls } },
});

/** Creates all that stories start with. To be awaited before `restoreSettled`, and without a planted defect. */
export async function prepareSettled(): Promise<void> {
  if (settled.size > 0) return;
  for (const isTls of [false, true]) {
    for (const size of isTls ? [1, 3] : [1, 3, 5, 7]) settled.set(keyFor(size, isTls), await settle(size, isTls));
  }
}

export async function restoreSettled(world: World, size: number, isTls: boolean): Promise<void> {
  const found = settled.get(keyFor(size, isTls));
  if (found === undefined) throw new RangeError(`no cluster of size ${size} was prepared`);
  await restoreStored(world, found);
}

/** As if all nodes had just started: members start with their data, and pods have new addresses. */
export async function restoreStored(world: World, stored: StoredCluster): Promise<void> {
  const { simulation, kubelet, watchdog } = world;
  simulation.clock.step(stored.ageMs);
  for (const process of simulation.processes.values()) process.stepClock(stored.ageMs);
  watchdog.startsWith(stored.uid, stored.voters);
  kubelet.addresses = stored.addresses;
  for (const [uid, data] of stored.volumes) kubelet.volumeOf(uid).data = { ...data, log: [...data.log] };
  await simulation.store.commit(stored.entries.map(({ key, value }) => ({ type: 'put', key, value })));
}

function keyFor(size: number, isTls: boolean): string {
  return `${size}${isTls ? ' with TLS' : ''}`;
}

async function settle(size: number, isTls: boolean): Promise<StoredCluster> {
  let result: StoredCluster | undefined;
  const { failure } = await runScenario(
    {
      name: `settle ${keyFor(size, isTls)}`,
      endMs: settleMsMax,
      build(simulation) {
        const world = buildWorld(simulation);
        simulation.process('operator').start((doors) => operate(world, doors, false));
        simulation.always('safety', () => void world.watchdog.check());
        const work = async () => {
          await world.registry.resource(EtcdCluster).create({
            metadata: { name: clusterName },
            spec: specOf(size, isTls),
          });
          while (whyUntrue(world.view) !== undefined) await sleep(simulation.clock, 1_000);
          await sleep(simulation.clock, settings.restMs + 10_000);
          result = capture(world);
          simulation.scheduler.stop();
        };
        work().catch((error: unknown) => simulation.fail('settles', String(error)));
      },
    },
    seed,
    [],
  );
  if (failure || result === undefined) throw new Error(`size ${size}: ${failure?.message ?? 'does not settle'}`);
  return result;
}

function capture({ simulation, kubelet, view }: World): StoredCluster {
  const leases = keyOf(Lease, 'default', '');
  const isKept = (key: string) => !key.startsWith(leases) && !key.startsWith('fences/');
  return {
    entries: [...simulation.store.contents.values()].filter(({ key }) => isKept(key)),
    volumes: new Map(
      [...kubelet.volumes].flatMap(([uid, { data }]) => (data ? [[uid, { ...data, log: [...data.log] }]] : [])),
    ),
    uid: view.cluster?.metadata.uid ?? '',
    voters: view.truth?.state.voters.map(({ id }) => id) ?? [],
    addresses: kubelet.addresses,
    ageMs: simulation.nowMs,
  };
}
