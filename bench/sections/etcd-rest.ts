/**
 * The etcd operator at rest, as a process of its own with our API server: its calls to Kubernetes and to etcd, its memory
 * and its processor time with 1, 10 and 100 clusters of three members with TLS. Pods run nothing: one server answers for
 * all members.
 */
import { randomBytes } from 'node:crypto';
import { EtcdCluster, whyUnsettled } from '@ecsm/etcd-operator';
import { Pod } from '@ecsm/kubernetes';
import { createStorageClass, runClusterControllers } from '@ecsm/process-node';
import type { Registry } from '@ecsm/runtime';
import { etcdVersion } from '../etcd/binaries.ts';
import { startEtcdGateway } from '../etcd/gateway.ts';
import { startEtcdWorld } from '../etcd/world.ts';
import { startProgram } from '../fleet.ts';
import { deliver, type Measurement } from '../report.ts';

const measuredMs = 60_000;
const quietMs = 35_000;
const settleMsMax = 1_800_000;
const residentMbMax = 90;
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Runs every pod at the address of the gateway. */
async function runPods(registry: Registry, podIP: string, signal: AbortSignal): Promise<void> {
  const pods = registry.resource(Pod);
  const conditions = [{ type: 'Ready', status: 'True' as const }];
  const state = { running: { startedAt: new Date().toISOString() } };
  const containerStatuses = [{ name: 'etcd', ready: true, restartCount: 0, state }];
  for (; !signal.aborted; await sleep(100)) {
    for (const { metadata, status } of (await pods.list()).items) {
      if (status?.podIP !== undefined) continue;
      await pods.updateStatus({ metadata, status: { phase: 'Running', podIP, conditions, containerStatuses } });
    }
  }
}

async function untilSettled(registry: Registry): Promise<void> {
  const unsettled = async () =>
    (await registry.resource(EtcdCluster).list()).items.filter((cluster) => whyUnsettled(cluster) !== undefined);
  for (const startMs = performance.now(); (await unsettled()).length > 0; await sleep(200)) {
    if (performance.now() - startMs < settleMsMax) continue;
    throw new Error(`not settled: ${JSON.stringify((await unsettled())[0])}`);
  }
}

let apiCalls = 0;
const byResource = new Map<string, number>();
const world = await startEtcdWorld(({ verb, object }) => {
  if (verb === 'watch') return;
  apiCalls++;
  const what = `${verb} ${object?.resource ?? ''}`;
  byResource.set(what, (byResource.get(what) ?? 0) + 1);
});
const { registry } = world;
const address = `127.${[...randomBytes(2)].map((byte) => 1 + (byte % 254)).join('.')}.1`;
const gateway = await startEtcdGateway(registry, address, etcdVersion.slice(1));
const end = new AbortController();
await createStorageClass(registry);
const controllers = runClusterControllers({ registry, signal: end.signal });
const pods = runPods(registry, address, end.signal);
const operator = await startProgram('etcd-operator', ['--kubeconfig', world.kubeconfig]);
const measurements: Measurement[] = [];
let count = 0;
for (const wanted of [1, 10, 100]) {
  for (; count < wanted; count++) {
    await registry
      .resource(EtcdCluster)
      .create({ metadata: { name: `cluster${count}` }, spec: { size: 3, version: etcdVersion } });
  }
  await untilSettled(registry);
  await sleep(quietMs);
  byResource.clear();
  const [apiBefore, etcdBefore, cpuBeforeMs] = [apiCalls, gateway.calls, operator.cpuMs()];
  await sleep(measuredMs);
  const [api, etcd] = [apiCalls - apiBefore, gateway.calls - etcdBefore];
  const cpuPercent = ((operator.cpuMs() - cpuBeforeMs) / measuredMs) * 100;
  const residentMb = operator.residentMb();
  const clusters = `${wanted} ${wanted === 1 ? 'cluster' : 'clusters'} at rest`;
  process.stderr.write(`${clusters}: ${[...byResource].map(([what, times]) => `${what} ${times}`).join(', ')}\n`);
  measurements.push(
    { name: `etcd operator, ${clusters}: calls to Kubernetes`, value: api, unit: 'per minute' },
    { name: `etcd operator, ${clusters}: calls to etcd`, value: etcd, unit: 'per minute' },
    { name: `etcd operator, ${clusters}: processor`, value: cpuPercent, unit: '% of a core' },
    {
      name: `etcd operator, ${clusters}: resident`,
      value: residentMb,
      unit: 'MB',
      beside: { name: 'peak', value: operator.residentMbMax() },
      bar: { text: `under ${residentMbMax} MB`, met: residentMb < residentMbMax },
    },
  );
}
await operator.stop();
end.abort();
await Promise.all([controllers, pods]);
await gateway.close();
await world.close();
deliver(measurements);
