/**
 * What must never happen, whatever fails. A fault takes some time to be noticed, so a member that a story took away
 * counts as down only after a while; one that the operator stopped counts at once.
 */
import type { PersistentVolumeClaim, Pod } from '@ecsm/kubernetes';
import type { Simulation } from '@ecsm/runtime/simulation';
import { annotations, names } from '../../src/apis/well-known.ts';
import type { EtcdVolume } from '../../src/client/etcd/simulated/model.kit.ts';
import type { EtcdProcess } from '../../src/client/etcd/simulated/process.kit.ts';
import type { SimulatedEtcd } from '../../src/client/etcd/simulated/world.kit.ts';
import { isIssuedBy, read } from './issuer.kit.ts';
import type { Kubelet, StartedMember } from './kubelet.kit.ts';
import { clusterName, scope, slotIn, slots, type View } from './view.kit.ts';

/** Longer than a pass with a request that is delayed. */
const noticedMs = 60_000;
const writesEveryMs = 500;

export const rules = {
  changes: 'one membership change at a time',
  learners: 'members join as learners, one at a time',
  victims: 'no healthy member is removed that is wanted',
  quorum: 'no voter is stopped that the quorum needs',
  second: 'there is never a second cluster',
  identity: 'a member never loses its log and keeps its identity',
  writes: 'no acknowledged write is lost',
  volumes: 'no volume is deleted that is needed or retained',
  recovery: 'a quorum is recovered only with permission, while nothing else runs',
  range: 'no pod is started for a slot without a member',
  certificates: 'members trust the certificates of each other',
  paused: 'a paused cluster is not changed',
} as const;

export class Watchdog {
  readonly #simulation: Simulation;
  readonly #etcd: SimulatedEtcd;
  readonly #view: View;
  readonly #kubelet: Kubelet;
  /** Uids of pods and claims that a story deleted. */
  readonly excused = new Set<string>();
  /** Part of the keys that are written now; another one after a recovery, which may lose writes. */
  epoch = 0;
  #revision = -1;
  #checkedMs = 0;
  #set: string | undefined;
  #secrets = '';
  #isRecovering = false;
  #pausedMs: number | undefined;
  #pods = new Map<string, Pod>();
  #claims = new Map<string, PersistentVolumeClaim>();
  readonly #learners = new Set<string>();
  readonly #voters = new Set<string>();
  /** Volume of each member, by id. */
  readonly #volumes = new Map<string, EtcdVolume>();
  /** Since when a voter does not take part, by slot. */
  readonly #downMs = new Map<number, number>();
  /** The process that the operator stopped, by slot, until another one takes part. */
  readonly #stopped = new Map<number, EtcdProcess | undefined>();
  /** Sizes that were wanted, newest last. */
  #sizes: { readonly size: number; readonly untilMs: number }[] = [];

  constructor(simulation: Simulation, etcd: SimulatedEtcd, view: View, kubelet: Kubelet) {
    this.#simulation = simulation;
    this.#etcd = etcd;
    this.#view = view;
    this.#kubelet = kubelet;
  }

  get #nowMs(): number {
    return this.#simulation.nowMs;
  }

  /** After every step. */
  check(): void {
    const { newest } = this.#simulation.store;
    if (this.#revision !== newest) {
      this.#revision = newest;
      this.#kubelet.poke();
      this.#checkStored();
    }
    if (this.#nowMs - this.#checkedMs >= writesEveryMs) {
      this.#checkedMs = this.#nowMs;
      this.#checkRunning();
    }
  }

  /** A change by the operator arrives at etcd. */
  changing(method: 'addLearner' | 'promote' | 'remove' | 'moveLeader', subject: string): void {
    this.#checkPaused(method);
    this.#observe();
    const { truth, cluster } = this.#view;
    if (truth === undefined || cluster?.status?.recovery) return;
    const members = [...truth.state.members.values()];
    const learner = members.find(({ isLearner }) => isLearner);
    if (method === 'addLearner') {
      if (learner && !learner.peerURLs.includes(subject)) {
        this.#fail(rules.changes, `a member is added for ${subject} beside the learner ${learner.peerURLs.join()}`);
      }
      const sizeMax = Math.max(...this.#recentSizes(), cluster?.status?.stoppedSize ?? 0);
      // A replacement that has begun is finished first.
      const isReplacement = cluster?.status?.operation?.type === 'ReplaceMember';
      if (
        !learner &&
        !isReplacement &&
        members.length >= sizeMax &&
        !members.some(({ peerURLs }) => peerURLs.includes(subject))
      ) {
        this.#fail(rules.victims, `a member is added to ${members.length}, and ${sizeMax} are wanted`);
      }
    }
    if (method === 'remove') this.#checkRemoval(subject);
  }

  started({ slot, volume, isNew, isForced }: StartedMember): void {
    const { cluster } = this.#view;
    if (isNew && cluster?.status?.clusterID !== undefined) {
      this.#fail(rules.second, `main-${slot} forms a cluster, and ${cluster.status.clusterID} exists`);
    }
    if (!isForced) return;
    const others = slots.filter((other) => other !== slot && this.#view.process(other) !== undefined);
    const known = volume.data?.memberId;
    const isAlone = [...this.#etcdMembers(volume)].every((id) => id === known);
    if (!isAlone && others.length > 0) {
      this.#fail(rules.recovery, `main-${slot} starts as the only member while main-${others.join(', main-')} run`);
    }
  }

  #etcdMembers(volume: EtcdVolume): ReadonlySet<string> {
    const ids = new Set<string>();
    for (const { change } of volume.data?.log ?? []) {
      if (change.type === 'add') ids.add(change.id);
      if (change.type === 'remove') ids.delete(change.id);
    }
    return ids;
  }

  #fail(rule: string, message: string): void {
    this.#simulation.fail(rule, message);
  }

  #recentSizes(): readonly number[] {
    return this.#sizes.filter(({ untilMs }) => untilMs > this.#nowMs - noticedMs).map(({ size }) => size);
  }

  #checkStored(): void {
    const { cluster } = this.#view;
    if (cluster) {
      const last = this.#sizes.at(-1);
      if (last?.size === cluster.spec.size) this.#sizes.pop();
      else if (last) this.#sizes.splice(-1, 1, { size: last.size, untilMs: this.#nowMs });
      this.#sizes.push({ size: cluster.spec.size, untilMs: Number.POSITIVE_INFINITY });
      this.#pausedMs = cluster.spec.paused ? (this.#pausedMs ?? this.#nowMs) : undefined;
    }
    const isRecovering = cluster?.status?.recovery !== undefined;
    if (isRecovering && !this.#isRecovering) {
      if (cluster?.metadata.annotations?.[annotations.recoverQuorumFrom] === undefined) {
        this.#fail(rules.recovery, 'a recovery begins without the annotation');
      }
    }
    if (!isRecovering && this.#isRecovering) this.epoch++;
    this.#isRecovering = isRecovering;
    this.#checkSet();
    this.#checkPods();
    this.#checkClaims();
    this.#checkCertificates();
  }

  #checkSet(): void {
    const { set, cluster, truth } = this.#view;
    const range = set && `${set.spec.ordinals?.start ?? 0}+${set.spec.replicas}`;
    if (range === this.#set) return;
    this.#set = range;
    if (this.#set !== undefined && set !== undefined) this.#checkPaused(`the range is ${range}`);
    if (set === undefined || cluster?.status?.recovery) return;
    const known = truth?.state.members.size ?? cluster?.status?.volumes?.length ?? 0;
    const members = Math.max(1, known, cluster?.status?.stoppedSize ?? 0);
    if (set.spec.replicas > members) {
      this.#fail(rules.range, `the range is ${range}, and there are ${members} members`);
    }
  }

  #checkPods(): void {
    const pods = new Map(this.#view.pods.map((pod) => [pod.metadata.uid, pod]));
    for (const [uid, before] of this.#pods) {
      const isDeleted = pods.get(uid)?.metadata.deletionTimestamp !== undefined || !pods.has(uid);
      if (before.metadata.deletionTimestamp !== undefined || !isDeleted || this.excused.has(uid)) continue;
      this.#checkStop(slotIn(before.metadata.name));
    }
    this.#pods = pods;
  }

  /** The operator stops the pod of a slot. */
  #checkStop(slot: number): void {
    const { cluster, truth } = this.#view;
    this.#checkPaused(`main-${slot} is stopped`);
    const isMeant =
      cluster === undefined ||
      cluster.metadata.deletionTimestamp !== undefined ||
      cluster.status?.recovery !== undefined ||
      (cluster.status?.stoppedSize !== undefined && this.#recentSizes().includes(0));
    if (isMeant || truth === undefined || this.#kubelet.isStuck(slot)) return;
    this.#observe();
    const voters = truth.state.voters.map(({ peerURLs }) => slotIn(peerURLs[0]));
    const up = voters.filter((voter) => !this.#isDown(voter));
    const { quorum } = truth.state;
    if (voters.length > 1 && up.length >= quorum && up.filter((voter) => voter !== slot).length < quorum) {
      this.#fail(
        rules.quorum,
        `main-${slot} is stopped; of the voters ${voters.join(', ')} only ${up.join(', ')} are up`,
      );
    }
    this.#stopped.set(slot, this.#view.process(slot));
  }

  #isDown(slot: number): boolean {
    if (this.#stopped.has(slot)) return true;
    const sinceMs = this.#downMs.get(slot);
    return sinceMs !== undefined && this.#nowMs - sinceMs >= noticedMs;
  }

  #checkRemoval(id: string): void {
    const { truth } = this.#view;
    const member = truth?.state.members.get(id);
    if (truth === undefined || member === undefined) return;
    const learner = [...truth.state.members.values()].find(({ isLearner }) => isLearner);
    if (learner && learner.id !== id) {
      this.#fail(rules.changes, `${member.name} is removed beside the learner ${learner.peerURLs.join()}`);
    }
    const voters = truth.state.voters.map(({ peerURLs }) => slotIn(peerURLs[0]));
    const slot = slotIn(member.peerURLs[0]);
    const isLast = slot === Math.max(...voters) && voters.length > Math.min(...this.#recentSizes());
    const sinceMs = this.#upMs.get(id);
    const isHealthy = sinceMs !== undefined && this.#nowMs - sinceMs > noticedMs;
    const isCorrupt = truth.state.hasAlarm('CORRUPT');
    if (!member.isLearner && !isLast && isHealthy && !isCorrupt) {
      this.#fail(rules.victims, `main-${slot} is removed, of the voters ${voters.join(', ')}`);
    }
  }

  /** Since when a member takes part without interruption, by id. */
  readonly #upMs = new Map<string, number>();

  /** Who takes part now. */
  #observe(): void {
    const up = new Set<string>();
    for (const slot of slots) {
      const process = this.#view.process(slot);
      if (process) this.#checkIdentity(slot, process);
      if (!this.#view.isUp(slot)) {
        if (!this.#downMs.has(slot)) this.#downMs.set(slot, this.#nowMs);
        continue;
      }
      this.#downMs.delete(slot);
      if (process) up.add(process.id);
      if (this.#stopped.get(slot) !== process) this.#stopped.delete(slot);
    }
    for (const id of this.#upMs.keys()) if (!up.has(id)) this.#upMs.delete(id);
    for (const id of up) if (!this.#upMs.has(id)) this.#upMs.set(id, this.#nowMs);
  }

  #checkRunning(): void {
    this.#observe();
    const { truth, cluster } = this.#view;
    if (truth) this.#checkMembers(truth);
    if (this.#etcd.leaders(scope).length > 1) this.#fail(rules.second, 'two leaders have a quorum');
    if (cluster?.status?.recovery) return;
    const lost = this.#etcd.lostWrites(scope)?.filter((key) => key.startsWith(`${this.epoch}/`)) ?? [];
    if (lost.length > 0) this.#fail(rules.writes, `lost: ${lost.join(', ')}`);
  }

  #checkIdentity(slot: number, { data, options: { volume } }: EtcdProcess): void {
    // A learner has acknowledged nothing that counts.
    if (this.#view.truth?.state.members.get(data.memberId)?.isLearner !== false) return;
    const before = this.#volumes.get(data.memberId);
    if (before !== undefined && before !== volume && this.#view.cluster?.status?.clusterID !== undefined) {
      this.#fail(rules.identity, `main-${slot} is ${data.memberId} on another volume`);
    }
    this.#volumes.set(data.memberId, volume);
  }

  #checkMembers({ state }: EtcdProcess): void {
    for (const { id, isLearner, peerURLs } of state.members.values()) {
      if (isLearner) this.#learners.add(id);
      else if (!this.#learners.has(id) && this.#voters.size > 0 && !this.#voters.has(id)) {
        this.#fail(rules.learners, `${peerURLs.join()} became a voter without being a learner`);
      }
      if (!isLearner) this.#voters.add(id);
    }
  }

  #checkClaims(): void {
    const claims = new Map(this.#view.claims.map((claim) => [claim.metadata.uid, claim]));
    for (const [uid, before] of this.#claims) {
      const isDeleted = claims.get(uid)?.metadata.deletionTimestamp !== undefined || !claims.has(uid);
      if (before.metadata.deletionTimestamp !== undefined || !isDeleted || this.excused.has(uid)) continue;
      this.#checkVolume(before);
    }
    this.#claims = claims;
  }

  /** The operator deletes a volume. */
  #checkVolume({ metadata: { name, uid } }: PersistentVolumeClaim): void {
    const { cluster, truth } = this.#view;
    this.#checkPaused(`${name} is deleted`);
    const { spec, status, metadata } = cluster ?? {};
    if (metadata?.deletionTimestamp !== undefined || cluster === undefined) {
      if (spec?.storage.retentionPolicy.whenDeleted !== 'Delete') {
        this.#fail(rules.volumes, `${name} is deleted with the cluster, and is retained`);
      }
      return;
    }
    if (status?.stoppedSize !== undefined) this.#fail(rules.volumes, `${name} is deleted while the cluster is stopped`);
    const data = this.#kubelet.volumes.get(uid)?.data;
    if (data === undefined) return;
    const isRetained = spec?.storage.retentionPolicy.whenScaled === 'Retain';
    const isShrinking = status?.operation?.type === 'RemoveMember' || status?.operation === undefined;
    if (isRetained && isShrinking && !status?.recovery) {
      this.#fail(rules.volumes, `${name} is deleted, and is retained when the cluster shrinks`);
    }
    if (truth === undefined) this.#fail(rules.volumes, `${name} is deleted while no member runs`);
    else if (truth.state.members.has(data.memberId)) {
      this.#fail(rules.volumes, `${name} is deleted, and its member has not left`);
    }
  }

  #checkCertificates(): void {
    const leaf = this.#view.secret(names.peerSecret(clusterName), 'tls.crt');
    const trusts = this.#kubelet.trusts;
    const state = `${leaf}${trusts.map(({ slot, trust }) => `${slot}${trust.length}`).join()}`;
    if (leaf === undefined || state === this.#secrets) return;
    this.#secrets = state;
    for (const { slot, trust } of trusts) {
      if (!isIssuedBy(leaf, trust)) this.#fail(rules.certificates, `main-${slot} does not trust ${read(leaf)?.id}`);
    }
  }

  #checkPaused(what: string): void {
    if (this.#pausedMs === undefined || this.#nowMs - this.#pausedMs < noticedMs) return;
    if (this.#view.cluster?.metadata.deletionTimestamp !== undefined) return;
    this.#fail(rules.paused, what);
  }
}
