/** How a run ends: what the cluster has to be like, and what may still be written. */
import { findCondition, keyOf, Lease } from '@ecsm/runtime';
import { EtcdCluster } from '../../src/apis/etcd-cluster.ts';
import { whyUnsettled } from '../../src/controller/operator.ts';
import { clusterName, namespace, slotIn, type View } from './view.kit.ts';
import type { World } from './world.kit.ts';

/** Of all objects, and of the membership. The status follows the size of the database when it grows by a tenth. */
export function versions({ simulation, view }: World): ReadonlyMap<string, number | string> {
  const result = new Map<string, number | string>();
  const leases = keyOf(Lease, 'default', '');
  for (const [key, { revision }] of simulation.store.contents) {
    if (!key.startsWith(leases) && !key.startsWith('fences/')) result.set(key, revision);
  }
  const text = JSON.stringify(view.cluster)?.replaceAll(/"dbSizeBytes":\d+/gu, '') ?? '';
  result.set(keyOf(EtcdCluster, namespace, clusterName), text);
  result.set('the membership', view.truth?.state.configuration ?? 0);
  return result;
}

/** Why the cluster is not as its spec says. */
export function whyUntrue(view: View): string | undefined {
  const { cluster } = view;
  if (cluster === undefined) return 'there is no cluster';
  const why = whyUnsettled(cluster);
  if (why !== undefined) return `${why}; ${cluster.status?.phase}`;
  const { size, version, paused } = cluster.spec;
  if (paused) return 'it is paused';
  const certificates = findCondition(cluster.status?.conditions, 'CertificatesReady')?.reason;
  if (certificates !== 'CertificatesValid' && certificates !== 'TLSDisabled') return `certificates: ${certificates}`;
  const pods = view.pods.length;
  if (pods !== size) return `${pods} pods, and size is ${size}`;
  if (size === 0) return undefined;
  const members = [...(view.truth?.state.members.values() ?? [])];
  const [alarm] = view.truth?.state.alarms.values() ?? [];
  if (alarm) return `the alarm ${alarm.type} is raised`;
  const voters = members.filter(({ isLearner }) => !isLearner);
  if (voters.length !== size || members.length !== size) return `${voters.length} voters, and size is ${size}`;
  for (const { peerURLs } of voters) {
    const slot = slotIn(peerURLs[0]);
    if (!view.isUp(slot)) return `main-${slot} does not serve`;
    const runs = `v${view.process(slot)?.options.version}`;
    if (runs !== version) return `main-${slot} runs ${runs}, not ${version}`;
  }
  const parked = new Set(cluster.status?.parkedVolumes?.map(({ uid }) => uid));
  const claims = view.claims.filter(({ metadata }) => !parked.has(metadata.uid)).length;
  const isKept = cluster.spec.storage.retentionPolicy.whenScaled === 'Retain';
  return !isKept && claims !== size ? `${claims} volumes, and size is ${size}` : undefined;
}
