/**
 * Steps in the life of an etcd cluster of three members with TLS: the operator as a process of its own, our API server, and
 * etcd processes on a process node; beside the same etcd driven by hand. With the longest time without a successful write
 * to the members that clients reach through the Service.
 */
import {
  connectGateway,
  type EtcdClient,
  EtcdCluster,
  type EtcdEndpoint,
  wellKnown,
  whyUnsettled,
} from '@ecsm/etcd-operator';
import { PersistentVolumeClaim, Pod } from '@ecsm/kubernetes';
import { startProcessNode } from '@ecsm/process-node';
import { systemClock } from '@ecsm/runtime';
import { etcdDirectory, etcdVersion } from '../etcd/binaries.ts';
import { EtcdByHand } from '../etcd/by-hand.ts';
import { Gaps } from '../etcd/gaps.ts';
import { type EtcdWorld, startEtcdWorld } from '../etcd/world.ts';
import { startProgram } from '../fleet.ts';
import { deliver, type Measurement } from '../report.ts';

const ratioMax = 1.5;
/** etcd's election timeout is 1 s, and it is randomised up to twice as long. */
const electionMs = 1_500;
/** Between steps: etcd changes its members only after they were connected for 5 s. */
const restMs = 6_000;
const stepMsMax = 180_000;
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const steps = ['create', 'shrink', 'grow', 'replace', 'restart', 'stop', 'start'] as const;
type Step = (typeof steps)[number];
type Actor = Readonly<Record<Step, () => Promise<void>>>;

const titles: Readonly<Record<Step, string>> = {
  create: 'create 3 members',
  shrink: '3 members to 1',
  grow: '1 member to 3',
  replace: 'replace a member whose volume was lost',
  restart: 'restart 3 members, one after another',
  stop: '3 members to 0',
  start: '0 members to 3',
};

async function timesOf(actor: Actor, after: (step: Step) => Promise<void>): Promise<Readonly<Record<Step, number>>> {
  const times = Object.fromEntries(steps.map((step) => [step, 0])) as Record<Step, number>;
  for (const step of steps) {
    const startMs = performance.now();
    await actor[step]();
    times[step] = performance.now() - startMs;
    await after(step);
    await sleep(restMs);
  }
  return times;
}

function operated({ registry }: EtcdWorld): Actor {
  const clusters = registry.resource(EtcdCluster);
  const until = async (isTrue: (cluster: EtcdCluster) => boolean): Promise<EtcdCluster> => {
    for (const startMs = performance.now(); performance.now() - startMs < stepMsMax; await sleep(20)) {
      const cluster = await clusters.get('main');
      if (isTrue(cluster)) return cluster;
    }
    throw new Error(`not within ${stepMsMax} ms: ${JSON.stringify((await clusters.get('main')).status)}`);
  };
  const settled = () => until((cluster) => whyUnsettled(cluster) === undefined);
  const change = async (spec: Record<string, string | number | { options: Record<string, number> }>) => {
    await clusters.patch('main', { spec });
    await settled();
  };
  return {
    async create() {
      await clusters.create({ metadata: { name: 'main' }, spec: { size: 3, version: etcdVersion } });
      await settled();
    },
    shrink: () => change({ size: 1 }),
    grow: () => change({ size: 3 }),
    async replace() {
      const idOf = ({ status }: EtcdCluster) => status?.members?.find(({ name }) => name === 'main-1')?.id;
      const before = idOf(await clusters.get('main'));
      await registry.resource(PersistentVolumeClaim).delete(wellKnown.names.claim('main', 1));
      await registry.resource(Pod).delete('main-1');
      await until((cluster) => idOf(cluster) !== undefined && idOf(cluster) !== before);
      await settled();
    },
    restart: () => change({ etcd: { options: { 'snapshot-count': 20_000 } } }),
    stop: () => change({ size: 0 }),
    start: () => change({ size: 3 }),
  };
}

function manual(etcd: EtcdByHand): Actor {
  return {
    create: () => etcd.create(),
    shrink: () => etcd.shrink(),
    grow: () => etcd.grow(),
    replace: () => etcd.replace(1),
    restart: () => etcd.restart(),
    stop: () => etcd.stopAll(),
    start: () => etcd.startAll(),
  };
}

async function byHand({ registry }: EtcdWorld) {
  const etcd = new EtcdByHand(registry);
  await etcd.prepare();
  const times = await timesOf(manual(etcd), async () => {});
  await etcd.remove();
  const startMs = performance.now();
  await etcd.createAtOnce();
  const atOnceMs = performance.now() - startMs;
  await etcd.remove();
  etcd.close();
  return { times, atOnceMs };
}

async function withOperator(world: EtcdWorld) {
  const operator = await startProgram('etcd-operator', ['--kubeconfig', world.kubeconfig]);
  const gaps = new Map<Step, number>();
  const service = watchService(world);
  let writes: Gaps | undefined;
  const times = await timesOf(operated(world), async (step) => {
    if (writes) gaps.set(step, writes.takeMs());
    else writes = new Gaps(await connect(world), service.endpoints);
    // What happens in the rest after a step belongs to no step.
    setTimeout(() => writes?.takeMs(), restMs - 100);
  });
  await writes?.stop();
  service.stop();
  await operator.stop();
  return { times, gaps };
}

async function connect(world: EtcdWorld): Promise<EtcdClient> {
  return connectGateway(systemClock)(await world.credentials('main'));
}

/** The pods that clients reach through the Service of the cluster: those that are ready. */
function watchService({ registry }: EtcdWorld) {
  let endpoints: readonly EtcdEndpoint[] = [];
  const look = async () => {
    const { items } = await registry.resource(Pod).list({ labelSelector: `${wellKnown.labels.cluster}=main` });
    endpoints = items.filter(isReady).map(({ metadata: { name }, status }) => {
      return { host: `${name}.main-peer.default.svc`, address: status?.podIP ?? '', port: 2379 };
    });
  };
  const timer = setInterval(() => void look(), 20);
  return { endpoints: () => endpoints, stop: () => clearInterval(timer) };
}

function isReady({ metadata, status }: Pod): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && metadata.deletionTimestamp === undefined;
}

const binaries = etcdDirectory();
const measurements: Measurement[] = [];
if (binaries !== undefined) {
  const world = await startEtcdWorld();
  const node = await startProcessNode({ registry: world.registry, binaries: () => binaries });
  const hand = await byHand(world);
  const { times, gaps } = await withOperator(world);
  await node.stop();
  await world.close();
  for (const step of steps) {
    const [value, best] = [times[step] / 1_000, hand.times[step] / 1_000];
    const bar = { text: `at most ${ratioMax} times`, met: value <= best * ratioMax };
    const beside = { name: 'etcd driven by hand', value: best };
    measurements.push({ name: `etcd operator: ${titles[step]}`, value, unit: 's', beside, bar });
  }
  measurements.push({
    name: 'etcd driven by hand: create 3 members at once',
    value: hand.atOnceMs / 1_000,
    unit: 's',
    beside: { name: 'one after another', value: hand.times.create / 1_000 },
  });
  for (const step of ['shrink', 'grow', 'replace', 'restart'] as const) {
    const value = gaps.get(step) ?? Number.NaN;
    const bar = { text: `at most one election, ${electionMs} ms`, met: value <= electionMs };
    measurements.push({ name: `etcd operator: longest time without a write, ${titles[step]}`, value, unit: 'ms', bar });
  }
}
deliver(measurements);
