/** What must hold of pods: none is stopped that the quorum needs, none is started without a member, and how they start. */
import type { Pod } from '@ecsm/kubernetes';
import { names } from '../../src/apis/well-known.ts';
import type { EtcdVolume } from '../../src/client/etcd/simulated/model.kit.ts';
import { isIssuedBy, read } from './issuer.kit.ts';
import type { StartedMember } from './kubelet.kit.ts';
import type { Participation } from './participation.kit.ts';
import { rules, type Watched } from './rules.kit.ts';
import { clusterName, slotIn, slots } from './view.kit.ts';

/** Until a client has what is in its Secret. Less than the operator allows for it, by more than its clock is set forward. */
const clientMs = 60_000;

export class PodRules {
  readonly #watched: Watched;
  readonly #participation: Participation;
  #pods = new Map<string, Pod>();
  #range: string | undefined;
  #end = 0;
  /** Whether the first range is one that a run starts with: its change was judged before. */
  #isStored = false;
  #minAvailable: number | undefined;
  #secrets = '';
  /** What clients have, newest last. */
  #clients: { readonly cert: string; readonly ca: string; untilMs: number }[] = [];

  constructor(watched: Watched, participation: Participation) {
    this.#watched = watched;
    this.#participation = participation;
  }

  /** The run starts with a cluster that is stored. */
  startWithStored(): void {
    this.#isStored = true;
  }

  /** After every change of what is stored. */
  check(): void {
    this.#checkRange();
    this.#checkBudget();
    const pods = new Map(this.#watched.view.pods.map((pod) => [pod.metadata.uid, pod]));
    for (const [uid, before] of this.#pods) {
      const isDeleted = pods.get(uid)?.metadata.deletionTimestamp !== undefined || !pods.has(uid);
      if (before.metadata.deletionTimestamp !== undefined || !isDeleted || this.#watched.excused.has(uid)) continue;
      this.#checkStop(slotIn(before.metadata.name));
    }
    this.#pods = pods;
    this.#checkCertificates();
  }

  #checkRange(): void {
    const { set, cluster, truth } = this.#watched.view;
    const range = set && `${set.spec.ordinals?.start ?? 0}+${set.spec.replicas}`;
    if (range === this.#range) return;
    this.#range = range;
    const isFirst = this.#isStored;
    this.#isStored = false;
    const endBefore = this.#end;
    this.#end = (set?.spec.ordinals?.start ?? 0) + (set?.spec.replicas ?? 0);
    if (set === undefined || isFirst) return;
    this.#watched.checkPaused(`the range is ${range}`);
    if (cluster?.status?.recovery ?? cluster?.status?.restore) return;
    const known = truth?.state.members.size ?? spanOf(cluster?.status?.volumes?.map(({ slot }) => slot) ?? []);
    const members = Math.max(1, known, cluster?.status?.stoppedSize ?? 0);
    // A smaller range may have a gap, whose member was removed because it was dead.
    if (set.spec.replicas > members && this.#end > endBefore) {
      this.#watched.fail(rules.range, `the range is ${range}, and there are ${members} members`);
    }
  }

  /** When it is written: until a pass has seen a change of the members, it is that of before. */
  #checkBudget(): void {
    const { budget, cluster, truth } = this.#watched.view;
    const minAvailable = Number(budget?.spec.minAvailable ?? 0);
    if (minAvailable === this.#minAvailable) return;
    this.#minAvailable = minAvailable;
    const { recovery, restore, stoppedSize } = cluster?.status ?? {};
    if (budget === undefined || truth === undefined || (recovery ?? restore ?? stoppedSize) !== undefined) return;
    const voters = truth.state.voters.length;
    const protectedVoters = Math.max(voters, Math.min(...this.#watched.recentSizes));
    if (minAvailable <= protectedVoters / 2) {
      const message = `${minAvailable} of ${voters} voters stay, and the size is ${cluster?.spec.size}`;
      this.#watched.fail(rules.budget, message);
    }
  }

  /** The operator stops the pod of a slot. */
  #checkStop(slot: number): void {
    const { cluster, truth } = this.#watched.view;
    this.#watched.checkPaused(`main-${slot} is stopped`);
    const isMeant =
      cluster === undefined ||
      cluster.metadata.deletionTimestamp !== undefined ||
      cluster.status?.recovery !== undefined ||
      cluster.status?.restore !== undefined ||
      (cluster.status?.stoppedSize !== undefined && this.#watched.recentSizes.includes(0));
    if (isMeant || truth === undefined || this.#watched.kubelet.isStuck(slot)) return;
    this.#participation.observe();
    const voters = truth.state.voters.map(({ peerURLs }) => slotIn(peerURLs[0]));
    const up = voters.filter((voter) => !this.#participation.isDown(voter));
    const { quorum } = truth.state;
    if (voters.length > 1 && up.length >= quorum && up.filter((voter) => voter !== slot).length < quorum) {
      const message = `main-${slot} is stopped; of the voters ${voters.join(', ')} only ${up.join(', ')} are up`;
      this.#watched.fail(rules.quorum, message);
    }
    this.#participation.stopped(slot);
  }

  /** Before a member starts. */
  started({ slot, volume, isNew, isForced }: StartedMember): void {
    const { view } = this.#watched;
    const clusterId = view.cluster?.status?.clusterID;
    if (isNew && clusterId !== undefined) {
      this.#watched.fail(rules.second, `main-${slot} forms a cluster, and ${clusterId} exists`);
    }
    if (!isForced) return;
    const others = slots.filter((other) => other !== slot && view.process(other) !== undefined);
    const known = volume.data?.memberId;
    const isAlone = [...membersOn(volume)].every((id) => id === known);
    if (!isAlone && others.length > 0) {
      const running = `main-${others.join(', main-')}`;
      this.#watched.fail(rules.recovery, `main-${slot} starts as the only member while ${running} run`);
    }
  }

  #checkCertificates(): void {
    this.#observeClients();
    const leaf = this.#watched.view.secret(names.peerSecret(clusterName), 'tls.crt');
    const { trusts } = this.#watched.kubelet;
    const members = trusts.map(({ slot, trust, leaf: own }) => `${slot}${trust.length}${own}`).join();
    const state = `${leaf}${members}${this.#clients.length}`;
    if (state === this.#secrets) return;
    this.#secrets = state;
    for (const { slot, trust, leaf: own } of trusts) {
      const name = `main-${slot}`;
      if (leaf !== undefined && !isIssuedBy(leaf, trust)) {
        this.#watched.fail(rules.certificates, `${name} does not trust ${read(leaf)?.id}`);
      }
      for (const { cert, ca } of this.#clients) {
        if (!isIssuedBy(cert, trust)) this.#watched.fail(rules.clients, `${name} refuses ${read(cert)?.id}`);
        if (!isIssuedBy(own, ca)) this.#watched.fail(rules.clients, `${name} serves with ${read(own)?.id}`);
      }
    }
  }

  /** Clients read the files of a Secret again after some time, and keep them if it is deleted. */
  #observeClients(): void {
    const { view, nowMs } = this.#watched;
    const name = names.clientSecret(clusterName);
    const [cert, ca] = [view.secret(name, 'tls.crt'), view.secret(name, 'ca.crt')];
    this.#clients = this.#clients.filter(({ untilMs }) => untilMs > nowMs);
    const last = this.#clients.at(-1);
    if (cert === undefined || ca === undefined || (last?.cert === cert && last.ca === ca)) return;
    if (last) last.untilMs = nowMs + clientMs;
    this.#clients.push({ cert, ca, untilMs: Number.POSITIVE_INFINITY });
  }
}

/** The members that the log of a volume names. */
function membersOn(volume: EtcdVolume): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { change } of volume.data?.log ?? []) {
    if (change.type === 'add') ids.add(change.id);
    if (change.type === 'remove') ids.delete(change.id);
  }
  return ids;
}

/** Number of slots of the smallest range: one whose member was removed may lie between others. */
function spanOf(slots: readonly number[]): number {
  return slots.length === 0 ? 0 : Math.max(...slots) - Math.min(...slots) + 1;
}
