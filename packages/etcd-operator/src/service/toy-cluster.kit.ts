/**
 * A toy cluster for tests of decisions: every action takes effect at once, as it does when nothing goes wrong. Pods start,
 * learners catch up and elections end between two passes. Faults are set by tests.
 */
import type { EtcdAlarm, EtcdMember } from '../client/etcd/contract.ts';
import { lineOf } from './action-line.kit.ts';
import { isInRange, nextSlot } from './cluster/range.ts';
import { quorumOf } from './health/quorum.ts';
import type { Action, ClusterFacts, Decision, PassInput, PlannedEvent, Recorded, SlotFacts, Wanted } from './model.ts';
import { nextAction } from './next-action.ts';
import { settings } from './pass-settings.kit.ts';

interface Pod {
  uid: string;
  hash: string;
  version: string;
  isBroken: boolean;
}

export class ToyCluster {
  wanted: Wanted = {
    size: 3,
    version: '3.5.30',
    isPaused: false,
    isDeleting: false,
    whenScaled: 'Delete',
    whenDeleted: 'Retain',
    quotaBytes: 1_000,
    defragmentation: undefined,
    allowsUnknownVersion: false,
    storageBytes: 1_000,
  };
  recorded: Recorded = { volumes: {} };
  nowMs = 0;
  templateRevision = 1;
  set: { start: number; replicas: number; hash: string } | undefined;
  readonly pods = new Map<number, Pod>();
  readonly volumes = new Map<number, string>();
  /** Size of the volumes, by uid, of those that do not have the first size of 1,000. */
  readonly volumeBytes = new Map<string, number>();
  resizeRefused: string | undefined;
  members: EtcdMember[] = [];
  clusterId = 'c1';
  /** The members and the id before a restore. */
  #former: { readonly members: EtcdMember[]; readonly clusterId: string } | undefined;
  leader: number | undefined;
  alarms: EtcdAlarm[] = [];
  dbSizeBytes = 100;
  /** Whether all of the database is live data. */
  keepsSize = false;
  /** Whether a file shrinks when it is defragmented. */
  shrinks = true;
  revision = 7n;
  /** Slots whose pod is running but cannot be reached. */
  readonly unreachable = new Set<number>();
  /** Slots whose process does not run, and does not start. */
  readonly dead = new Set<number>();
  /** Slots whose pod does not end, on a node that is lost. */
  readonly stuck = new Set<number>();
  /** Slots whose member serves, which Kubernetes has not noticed yet. */
  readonly unready = new Set<number>();
  /** Whether a member of a version starts. */
  startsAs = (_version: string): boolean => true;
  readonly events: PlannedEvent[] = [];
  hasFinalizer = true;
  last: Decision | undefined;
  #uids = 0;

  get templateHash(): string {
    return `${this.templateRevision}-${this.recorded.version}`;
  }

  /** Passes until nothing is done any more. Returns what was done, one line for each action. */
  run(passesMax = 200): string[] {
    const lines: string[] = [];
    this.#settle();
    for (let pass = 0; pass < passesMax; pass++) {
      const decision = nextAction(this.input());
      this.last = decision;
      const isSame = JSON.stringify(decision.recorded) === JSON.stringify(this.recorded);
      this.recorded = decision.recorded;
      this.events.push(...decision.events);
      if (decision.action) {
        lines.push(lineOf(decision.action));
        this.#perform(decision.action);
        this.recorded = decision.afterwards ?? decision.recorded;
      } else if (isSame) return lines;
      this.nowMs += Math.max(1, decision.requeueAfterMs ?? settings.busyMs);
      this.#settle();
      if (!this.hasFinalizer) return lines;
    }
    throw new Error(`no rest after ${passesMax} passes: ${lines.slice(-10).join('; ')}`);
  }

  /** The action of the next pass, which is not carried out. */
  step(): string | undefined {
    const { action } = nextAction(this.input());
    return action && lineOf(action);
  }

  input(): PassInput {
    const { wanted, recorded, templateHash } = this;
    const isStale = this.set !== undefined && this.set.hash !== templateHash;
    const staleObjects = isStale ? ['StatefulSet/main'] : [];
    const refused = this.resizeRefused === undefined ? {} : { resizeRefused: this.resizeRefused };
    return {
      wanted,
      recorded,
      facts: this.facts(),
      staleObjects,
      foreignObjects: [],
      templateHash,
      ...refused,
      settings,
    };
  }

  facts(): ClusterFacts {
    const hasQuorum = this.hasQuorum();
    const indexes = new Set([...this.pods.keys(), ...this.volumes.keys(), ...this.members.map((m) => slotOf(m))]);
    if (this.set) {
      for (let i = 0; i < this.set.replicas; i++) indexes.add(this.set.start + i);
      indexes.add(this.set.start + this.set.replicas);
      indexes.add(nextSlot(this.set));
    }
    const target = this.recorded.recovery?.target;
    if (target !== undefined) indexes.add(target);
    const slots = [...indexes].sort((a, b) => a - b).map((index) => this.#slot(index, hasQuorum));
    const leaderId = this.members.find((member) => slotOf(member) === this.leader)?.id;
    return {
      nowMs: this.nowMs,
      set: this.set && {
        uid: 'set',
        isOurs: true,
        isDeleting: false,
        start: this.set.start,
        replicas: this.set.replicas,
        templateHash: this.set.hash,
      },
      slots,
      membership: hasQuorum ? { clusterId: this.clusterId, members: this.members, leaderId } : undefined,
      strangers: this.members.filter((member) => slotOf(member) > 90),
      clusterIds: hasQuorum ? [this.clusterId] : [],
      alarms: hasQuorum ? this.alarms : [],
    };
  }

  hasQuorum(): boolean {
    const voters = this.members.filter(({ isLearner }) => !isLearner);
    return voters.length > 0 && voters.filter((v) => this.#isUp(slotOf(v))).length >= quorumOf(voters.length);
  }

  #isUp(index: number): boolean {
    const pod = this.pods.get(index);
    const isReached = ![this.unreachable, this.dead, this.stuck].some((slots) => slots.has(index));
    return pod !== undefined && !pod.isBroken && isReached && this.volumes.has(index);
  }

  #slot(index: number, hasQuorum: boolean): SlotFacts {
    const pod = this.pods.get(index);
    const uid = this.volumes.get(index);
    const member = hasQuorum ? this.members.find((candidate) => slotOf(candidate) === index) : undefined;
    const known = this.members.find((candidate) => slotOf(candidate) === index);
    const isUp = this.#isUp(index) && known !== undefined;
    return {
      index,
      podName: `main-${index}`,
      peerURL: `https://main-${index}:2380`,
      pod: pod && {
        uid: pod.uid,
        address: '10.0.0.1',
        phase: 'Running',
        isReady: isUp && hasQuorum && !this.unready.has(index),
        isDeleting: this.stuck.has(index),
        createdAtMs: 0,
        ...(this.stuck.has(index) ? { downSinceMs: 0 } : {}),
        restarts: pod.isBroken ? 9 : 0,
        waitingReason: pod.isBroken ? 'CrashLoopBackOff' : this.dead.has(index) ? 'ContainerCreating' : undefined,
        lastTermination: undefined,
        templateHash: pod.hash,
      },
      volume:
        uid === undefined
          ? undefined
          : { uid, phase: 'Bound', isDeleting: false, isOurs: true, requestBytes: this.volumeBytes.get(uid) ?? 1_000 },
      member,
      status:
        isUp && known
          ? {
              clusterId: this.clusterId,
              memberId: known.id,
              version: pod?.version ?? '',
              leaderId: undefined,
              isLearner: known.isLearner,
              revision: this.revision,
              raftTerm: 2n,
              raftIndex: BigInt(10 + index),
              raftAppliedIndex: 10n,
              dbSizeBytes: this.dbSizeBytes,
              dbSizeInUseBytes: this.keepsSize ? this.dbSizeBytes : 50,
            }
          : undefined,
      statusError: isUp ? undefined : 'connection refused',
      isServing: isUp && hasQuorum,
    };
  }

  #perform(action: Action): void {
    switch (action.do) {
      case 'applyObjects':
        if (this.set) this.set.hash = this.templateHash;
        return;
      case 'createSet':
      case 'setRange':
        this.set = { start: action.start, replicas: action.replicas, hash: this.templateHash };
        return;
      case 'deleteSet':
        this.set = undefined;
        return;
      case 'addLearner':
        this.members = [...this.members, this.#member(action.slot, true)];
        return;
      case 'promote':
        this.members = this.members.map((m) => (m.id === action.memberId ? { ...m, isLearner: false } : m));
        return;
      case 'removeMember':
        this.members = this.members.filter(({ id }) => id !== action.memberId);
        return;
      case 'moveLeader':
        this.leader = action.slot;
        return;
      case 'deletePod':
        this.pods.delete(action.slot);
        return;
      case 'deleteVolume':
        this.volumes.delete(action.slot);
        return;
      case 'enlargeVolume':
        this.volumeBytes.set(action.uid, this.wanted.storageBytes);
        return;
      case 'disarm':
        this.alarms = this.alarms.filter((alarm) => alarm !== action.alarm);
        return;
      case 'defragment':
        if (!this.keepsSize && this.shrinks) this.dbSizeBytes = 50;
        return;
      case 'removeFinalizer':
        this.hasFinalizer = false;
        return;
      default:
    }
  }

  /** What Kubernetes and etcd do between two passes. */
  #settle(): void {
    for (const index of [...this.pods.keys()]) {
      if (this.stuck.has(index)) continue;
      if (!isInRange(this.set, index) || !this.volumes.has(index)) this.pods.delete(index);
    }
    for (let i = 0; i < (this.set?.replicas ?? 0); i++) {
      const index = (this.set?.start ?? 0) + i;
      if (!this.volumes.has(index)) this.volumes.set(index, this.#uid('volume'));
      if (this.pods.has(index)) continue;
      const version = this.recorded.version ?? '';
      this.pods.set(index, {
        uid: this.#uid('pod'),
        hash: this.set?.hash ?? '',
        version,
        isBroken: this.#isForeign(index) || !this.startsAs(version),
      });
    }
    if (
      this.recorded.clusterId === undefined &&
      !this.recorded.restore &&
      this.pods.get(0)?.isBroken === false &&
      this.members.length === 0
    ) {
      this.members = [this.#member(0, false)];
    }
    const { recovery, restore } = this.recorded;
    if (restore?.phase === 'Starting' && this.pods.has(restore.slot) && this.#former === undefined) {
      this.#former = { members: this.members, clusterId: this.clusterId };
      this.members = [this.#member(restore.slot, false)];
      this.clusterId = 'c2';
    }
    if (restore === undefined && this.#former) {
      if (this.recorded.restoredFrom === undefined) Object.assign(this, this.#former);
      this.#former = undefined;
    }
    if (recovery?.phase === 'Forcing' && this.pods.size === 1) {
      this.members = this.members.filter((member) => slotOf(member) === recovery.survivor);
    }
    const isLed = this.members.some((m) => slotOf(m) === this.leader && !m.isLearner) && this.#isUp(this.leader ?? -1);
    if (!isLed) this.leader = this.members.filter((m) => !m.isLearner && this.#isUp(slotOf(m))).map(slotOf)[0];
  }

  /** A settled member cannot start on another volume than its own. */
  #isForeign(index: number): boolean {
    const known = this.recorded.volumes[index];
    return known !== undefined && known !== this.volumes.get(index);
  }

  #member(slot: number, isLearner: boolean): EtcdMember {
    return {
      id: this.#uid('m'),
      name: `main-${slot}`,
      peerURLs: [`https://main-${slot}:2380`],
      clientURLs: [],
      isLearner,
    };
  }

  #uid(of: string): string {
    return `${of}${++this.#uids}`;
  }
}

function slotOf({ peerURLs }: EtcdMember): number {
  return Number(/main-(\d+):/u.exec(peerURLs[0] ?? '')?.[1] ?? 99);
}
