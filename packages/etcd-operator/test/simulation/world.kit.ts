/**
 * The operator in one process on a virtual clock, with a registry, the controllers of Kubernetes, a simulated kubelet and
 * simulated etcd servers. Faults are injected into the operator's calls; the rest works, or fails when a story says so.
 */
import { processNodeKinds, runClusterControllers } from '@ecsm/process-node';
import { collectGarbage, EmbeddedRegistry, type Kind, LeaderElection, Manager, silentLog } from '@ecsm/runtime';
import { type ProcessDependencies, SeededRandom, type Simulation } from '@ecsm/runtime/simulation';
import { SimulatedEtcd } from '../../src/client/etcd/simulated/world.kit.ts';
import { SimulatedStorage } from '../../src/client/storage/simulated/store.kit.ts';
import { EtcdOperator, operatorKinds } from '../../src/controller/operator.ts';
import { linkToEtcd } from './etcd-link.kit.ts';
import { fakeIssuer } from './issuer.kit.ts';
import { Kubelet } from './kubelet.kit.ts';
import { View } from './view.kit.ts';
import { Watchdog } from './watchdog.kit.ts';
import { Workers } from './workers.kit.ts';

/** Every kind once: both packages name some of them. */
export const kinds: readonly Kind[] = [
  ...new Map([...operatorKinds, ...processNodeKinds].map((kind) => [`${kind.apiVersion} ${kind.kind}`, kind])).values(),
];

/** Short enough that nothing waits for hours, with the proportions of the defaults. */
export const settings = {
  callTimeoutMs: 2_000,
  learnerDeadlineMs: 120_000,
  quorumGraceMs: 15_000,
  restartsMax: 5,
  spaceCycleMs: 60_000,
  deliveryMs: 300_000,
  parkedMs: 86_400_000,
  busyMs: 5_000,
  restMs: 90_000,
  workerLookMs: 3_000,
  workerRetryMs: 5_000,
  workers: 1,
};

/** Longer than the defaults: most of the calls of a run were renewals. */
const electionTimes = { leaseMs: 30_000, renewDeadlineMs: 20_000, retryMs: 6_000 };

export interface World {
  readonly simulation: Simulation;
  readonly registry: EmbeddedRegistry;
  readonly etcd: SimulatedEtcd;
  readonly kubelet: Kubelet;
  readonly view: View;
  readonly watchdog: Watchdog;
  readonly random: SeededRandom;
  readonly storage: SimulatedStorage;
  readonly workers: Workers;
  /** `writeMs`: between two writes of a client. */
  readonly pace: { writeMs: number };
}

export function buildWorld(simulation: Simulation): World {
  const { clock, store, seed } = simulation;
  const random = new SeededRandom(seed, 77);
  const registry = new EmbeddedRegistry({ store, clock, random: new SeededRandom(seed, 78), kinds });
  // The operator's calls have the latency of their link.
  const times = { healthMs: 2_000, versionMs: 3_000, latencyMs: 0, readRetryMs: 200 };
  const etcd = new SimulatedEtcd(clock, times);
  const view = new View(simulation, etcd);
  const failed = (error: unknown) =>
    simulation.fail('the simulated cluster works', error instanceof Error ? (error.stack ?? '') : String(error));
  const kubelet: Kubelet = new Kubelet({
    registry,
    clock,
    etcd,
    view,
    mountMs: random.integer(0, 20_000),
    onStart: (member) => watchdog.started(member),
    failed,
  });
  const storage = new SimulatedStorage(clock);
  const workers: Workers = new Workers({
    registry,
    clock,
    random: new SeededRandom(seed, 79),
    view,
    kubelet: () => kubelet,
    storage,
    onRestore: (data) => watchdog.backups.checkBeside(data, 'data is restored'),
    failed,
  });
  const watchdog = new Watchdog(simulation, etcd, view, kubelet, storage, workers);
  // Without latency: these are not tested here.
  const signal = new AbortController().signal;
  runClusterControllers({ registry, signal, only: ['statefulSets', 'claimProtection'] }).catch(failed);
  collectGarbage(registry, { signal, sweepMs: 3_600_000 }).catch(failed);
  return { simulation, registry, etcd, kubelet, view, watchdog, random, storage, workers, pace: { writeMs: 4_000 } };
}

/** `isElected`: beside another one, with leader election. */
export async function operate(world: World, doors: ProcessDependencies, isElected: boolean): Promise<void> {
  const { store, clock, random, signal } = doors;
  // Only the log of a replay is read.
  const log = process.env['SEED'] === undefined ? silentLog : doors.log;
  const registry = new EmbeddedRegistry({ store, kinds, clock, random });
  const { etcd, watchdog, kubelet } = world;
  const connect = linkToEtcd(
    etcd.connect,
    doors,
    (method, subject) => watchdog.changing(method, subject),
    (address, credentials) => kubelet.refusalOf(address, credentials),
  );
  const issuer = fakeIssuer(clock);
  const progress = async () => undefined;
  const operator = new EtcdOperator({ registry, connect, issuer, clock, log, settings, progress });
  if (!isElected) return operator.run({ signal });
  const identity = `${doors.name}-${doors.incarnation}`;
  const election = new LeaderElection({ registry, name: 'etcd-operator', identity, log, ...electionTimes });
  const manager = new Manager({ registry, clock, log, election });
  for (const runnable of operator.runnables) manager.add(runnable);
  await manager.run({ signal });
}
