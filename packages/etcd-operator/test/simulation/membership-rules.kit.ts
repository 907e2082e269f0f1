/** What must hold of the members: one change at a time, by way of learners, of the right members, on their own volumes. */
import type { EtcdVolume } from '../../src/client/etcd/simulated/model.kit.ts';
import type { EtcdProcess } from '../../src/client/etcd/simulated/process.kit.ts';
import type { Participation } from './participation.kit.ts';
import { rules, type Watched } from './rules.kit.ts';
import { scope, slotIn, slots } from './view.kit.ts';

export type MembershipCall = 'addLearner' | 'promote' | 'remove' | 'moveLeader';

export class MembershipRules {
  readonly #watched: Watched;
  readonly #participation: Participation;
  readonly #learners = new Set<string>();
  readonly #voters = new Set<string>();
  /** Volume of each member, by id. */
  readonly #volumes = new Map<string, EtcdVolume>();
  /** Whether the voters are those of other data since they were last seen. */
  #isRestored = false;

  constructor(watched: Watched, participation: Participation) {
    this.#watched = watched;
    this.#participation = participation;
  }

  /** The voters of a cluster that a run starts with. None for a new cluster. */
  startWith(ids: readonly string[]): void {
    this.#learners.clear();
    this.#voters.clear();
    this.#volumes.clear();
    for (const id of ids) this.#voters.add(id);
  }

  /** A change by the operator arrives at etcd. */
  changing(method: MembershipCall, subject: string): void {
    this.#watched.checkPaused(method);
    this.#participation.observe();
    const { truth, cluster } = this.#watched.view;
    if (truth === undefined || cluster?.status?.recovery || cluster?.status?.restore) return;
    if (method === 'addLearner') this.#checkAddition(truth, subject);
    if (method === 'remove') this.#checkRemoval(truth, subject);
  }

  #checkAddition({ state }: EtcdProcess, peerURL: string): void {
    const { cluster } = this.#watched.view;
    const members = [...state.members.values()];
    // A request that arrived twice, or late: etcd refuses it, and nothing is added.
    if (members.some(({ peerURLs }) => peerURLs.includes(peerURL))) return;
    const learner = members.find(({ isLearner }) => isLearner);
    if (learner) {
      const beside = learner.peerURLs.join();
      this.#watched.fail(rules.changes, `a member is added for ${peerURL} beside the learner ${beside}`);
    }
    const sizeMax = Math.max(...this.#watched.recentSizes, cluster?.status?.stoppedSize ?? 0);
    // A replacement that has begun is finished first.
    const isReplacement = cluster?.status?.operation?.type === 'ReplaceMember';
    if (!learner && !isReplacement && members.length >= sizeMax) {
      this.#watched.fail(rules.victims, `a member is added to ${members.length}, and ${sizeMax} are wanted`);
    }
  }

  #checkRemoval({ state }: EtcdProcess, id: string): void {
    const member = state.members.get(id);
    if (member === undefined) return;
    const learner = [...state.members.values()].find(({ isLearner }) => isLearner);
    if (learner && learner.id !== id) {
      const beside = learner.peerURLs.join();
      this.#watched.fail(rules.changes, `${member.name} is removed beside the learner ${beside}`);
    }
    const voters = state.voters.map(({ peerURLs }) => slotIn(peerURLs[0]));
    const slot = slotIn(member.peerURLs[0]);
    const others = state.voters.filter((voter) => voter.id !== id).map(({ peerURLs }) => slotIn(peerURLs[0]));
    const up = others.filter((other) => !this.#participation.isDown(other));
    if (!member.isLearner && up.length < Math.floor(others.length / 2) + 1) {
      this.#watched.fail(
        rules.needed,
        `main-${slot} is removed; of the voters ${others.join(', ')} ${up.length} are up`,
      );
    }
    const isLast = slot === Math.max(...voters) && voters.length > Math.min(...this.#watched.recentSizes);
    const isMeant = member.isLearner || isLast || state.hasAlarm('CORRUPT');
    if (!isMeant && this.#participation.isHealthy(id)) {
      this.#watched.fail(rules.victims, `main-${slot} is removed, of the voters ${voters.join(', ')}`);
    }
  }

  /** At intervals. */
  check(): void {
    const { view, etcd } = this.#watched;
    // A restored member is a cluster of its own, and so are the former ones.
    if (view.cluster?.status?.restore) {
      this.#isRestored = true;
      return;
    }
    if (this.#isRestored && view.truth) {
      this.startWith(view.truth.state.voters.map(({ id }) => id));
      this.#isRestored = false;
    }
    for (const slot of slots) {
      const process = view.process(slot);
      if (process) this.#checkIdentity(slot, process);
    }
    for (const { id, isLearner, peerURLs } of view.truth?.state.members.values() ?? []) {
      if (isLearner) this.#learners.add(id);
      else if (!this.#learners.has(id) && this.#voters.size > 0 && !this.#voters.has(id)) {
        this.#watched.fail(rules.learners, `${peerURLs.join()} became a voter without being a learner`);
      }
      if (!isLearner) this.#voters.add(id);
    }
    if (etcd.leaders(scope).length > 1) this.#watched.fail(rules.second, 'two leaders have a quorum');
  }

  #checkIdentity(slot: number, { data, options: { volume } }: EtcdProcess): void {
    const { view } = this.#watched;
    // A learner has acknowledged nothing that counts.
    if (view.truth?.state.members.get(data.memberId)?.isLearner !== false) return;
    const before = this.#volumes.get(data.memberId);
    if (before !== undefined && before !== volume && view.cluster?.status?.clusterID !== undefined) {
      this.#watched.fail(rules.identity, `main-${slot} is ${data.memberId} on another volume`);
    }
    this.#volumes.set(data.memberId, volume);
  }
}
