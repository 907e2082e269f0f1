/** What is stored and what runs, read at once: oracles and the simulated kubelet cannot wait. */
import { ConfigMap, Secret } from '@ecsm/apiserver';
import { PersistentVolumeClaim, Pod, PodDisruptionBudget, StatefulSet } from '@ecsm/kubernetes';
import { type Kind, keyOf } from '@ecsm/runtime';
import type { Simulation } from '@ecsm/runtime/simulation';
import { EtcdBackup } from '../../src/apis/etcd-backup.ts';
import { EtcdCluster } from '../../src/apis/etcd-cluster.ts';
import { EtcdRestore } from '../../src/apis/etcd-restore.ts';
import { labels, names } from '../../src/apis/well-known.ts';
import type { EtcdProcess } from '../../src/client/etcd/simulated/process.kit.ts';
import type { SimulatedEtcd } from '../../src/client/etcd/simulated/world.kit.ts';

export const clusterName = 'main';
export const namespace = 'default';
export const scope = `${clusterName}-peer.${namespace}.svc`;

export class View {
  readonly #simulation: Simulation;
  readonly #etcd: SimulatedEtcd;

  constructor(simulation: Simulation, etcd: SimulatedEtcd) {
    this.#simulation = simulation;
    this.#etcd = etcd;
  }

  get cluster(): EtcdCluster | undefined {
    return this.#find<EtcdCluster>(EtcdCluster, clusterName);
  }

  get set(): StatefulSet | undefined {
    return this.#find<StatefulSet>(StatefulSet, clusterName);
  }

  get budget(): PodDisruptionBudget | undefined {
    return this.#find<PodDisruptionBudget>(PodDisruptionBudget, names.disruptionBudget(clusterName));
  }

  /** Those of members. */
  get pods(): readonly Pod[] {
    return this.#list<Pod>(Pod).filter(({ metadata }) => metadata.labels?.[labels.cluster] !== undefined);
  }

  /** Those of backups and restores. */
  get workers(): readonly Pod[] {
    return this.#list<Pod>(Pod).filter(
      ({ metadata }) => metadata.labels?.[labels.cluster] === undefined && !/^main-\d+$/u.test(metadata.name),
    );
  }

  get backups(): readonly EtcdBackup[] {
    return this.#list<EtcdBackup>(EtcdBackup);
  }

  get restores(): readonly EtcdRestore[] {
    return this.#list<EtcdRestore>(EtcdRestore);
  }

  get claims(): readonly PersistentVolumeClaim[] {
    return this.#list<PersistentVolumeClaim>(PersistentVolumeClaim);
  }

  claim(slot: number): PersistentVolumeClaim | undefined {
    return this.#find<PersistentVolumeClaim>(PersistentVolumeClaim, names.claim(clusterName, slot));
  }

  /** The configuration of a slot; undefined if it has none. */
  config(slot: number): string | undefined {
    const map = this.#find<{ readonly data?: Readonly<Record<string, string>> }>(
      ConfigMap,
      names.configMap(clusterName),
    );
    return map?.data?.[names.configKey(clusterName, slot)];
  }

  /** A decoded value of a Secret. */
  secret(name: string, key: string): string | undefined {
    const secret = this.#find<{ readonly data?: Readonly<Record<string, string>> }>(Secret, name);
    const value = secret?.data?.[key];
    return value === undefined ? undefined : Buffer.from(value, 'base64').toString();
  }

  /** The process of a slot, with either scheme. */
  process(slot: number): EtcdProcess | undefined {
    const { https, http } = peerURLs[slot] ?? {};
    return this.#etcd.process(https ?? '') ?? this.#etcd.process(http ?? '');
  }

  /** The running process that knows most about the members; undefined if none runs. */
  get truth(): EtcdProcess | undefined {
    let best: EtcdProcess | undefined;
    for (const slot of slots) {
      const process = this.process(slot);
      if (process && (best === undefined || process.data.commit > best.data.commit)) best = process;
    }
    return best;
  }

  /** Whether a member takes part: it has answered clients before and has a leader now. */
  isUp(slot: number): boolean {
    const process = this.process(slot);
    if (process === undefined || !process.isServing || process.isFrozen) return false;
    const leader = this.#etcd.raft.leaderOf(process);
    return leader !== undefined && this.#etcd.raft.hasQuorum(leader);
  }

  #find<T>(kind: Kind, name: string): T | undefined {
    // The registry has checked it.
    return this.#simulation.store.json(keyOf(kind, namespace, name)) as T | undefined;
  }

  #list<T>(kind: Kind): readonly T[] {
    return [...this.#simulation.store.jsonBelow(keyOf(kind, namespace, ''))].map(([, value]) => value as T);
  }
}

/** More than any story uses. */
export const slots: readonly number[] = Array.from({ length: 12 }, (_, slot) => slot);

const peerURLs = slots.map((slot) => {
  const host = names.host(clusterName, namespace, slot);
  return { https: `https://${host}:2380`, http: `http://${host}:2380` };
});

/** Of a pod, a claim or a member's peer URL. */
export function slotIn(text: string | undefined): number {
  return Number(/main-(\d+)/u.exec(text ?? '')?.[1] ?? -1);
}
