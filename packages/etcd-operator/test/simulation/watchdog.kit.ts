/** What must never happen, whatever fails: calls the checks of each rule when they can have changed. */
import { findCondition } from '@ecsm/runtime';
import type { Simulation } from '@ecsm/runtime/simulation';
import { annotations } from '../../src/apis/well-known.ts';
import type { SimulatedEtcd } from '../../src/client/etcd/simulated/world.kit.ts';
import type { SimulatedStorage } from '../../src/client/storage/simulated/store.kit.ts';
import { BackupRules } from './backup-rules.kit.ts';
import type { Kubelet, StartedMember } from './kubelet.kit.ts';
import { type MembershipCall, MembershipRules } from './membership-rules.kit.ts';
import { Participation } from './participation.kit.ts';
import { PodRules } from './pod-rules.kit.ts';
import { rules, Watched } from './rules.kit.ts';
import { scope, slots, type View } from './view.kit.ts';
import { VolumeRules } from './volume-rules.kit.ts';
import type { Workers } from './workers.kit.ts';

/** Interval of the checks of what runs. */
const everyMs = 1_000;

export class Watchdog {
  readonly #watched: Watched;
  readonly #participation: Participation;
  readonly #membership: MembershipRules;
  readonly #pods: PodRules;
  readonly #volumes: VolumeRules;
  readonly #workers: Workers;
  readonly backups: BackupRules;
  /** Part of the keys that are written now; another one after a recovery, which may lose writes, and for a new cluster. */
  epoch = 0;
  #revision = -1;
  #checkedMs = 0;
  #isRecovering = false;
  #isLost = false;
  #restoredFrom: string | undefined;
  #uid: string | undefined;

  constructor(
    simulation: Simulation,
    etcd: SimulatedEtcd,
    view: View,
    kubelet: Kubelet,
    storage: SimulatedStorage,
    workers: Workers,
  ) {
    this.#watched = new Watched(simulation, etcd, view, kubelet);
    this.#participation = new Participation(this.#watched);
    this.#membership = new MembershipRules(this.#watched, this.#participation);
    this.#pods = new PodRules(this.#watched, this.#participation);
    this.#volumes = new VolumeRules(this.#watched, this.#participation);
    this.#workers = workers;
    this.backups = new BackupRules(this.#watched, storage, workers);
  }

  /** Uids of pods and claims that a story deleted. */
  get excused(): Set<string> {
    return this.#watched.excused;
  }

  /** The cluster and the voters that a run starts with. */
  startsWith(uid: string, voters: readonly string[]): void {
    this.#uid = uid;
    this.#membership.startWith(voters);
    this.#pods.startWithStored();
  }

  /** After every step. */
  check(): void {
    const { simulation, kubelet, nowMs } = this.#watched;
    const { newest } = simulation.store;
    if (this.#revision !== newest) {
      this.#revision = newest;
      kubelet.poke();
      this.#workers.poke();
      this.#checkStored();
    }
    if (nowMs - this.#checkedMs >= everyMs) {
      this.#checkedMs = nowMs;
      this.#participation.observe();
      this.#membership.check();
      this.backups.check();
      this.#checkWrites();
    }
  }

  /** A change by the operator arrives at etcd. */
  changing(method: MembershipCall, subject: string): void {
    this.#membership.changing(method, subject);
  }

  /** Before a member starts. */
  started(member: StartedMember): void {
    this.#pods.started(member);
    const { slot, volume } = member;
    if (volume.data) this.backups.checkBeside(volume.data, `main-${slot} starts`);
  }

  #checkStored(): void {
    this.#watched.observeSpec();
    this.#checkCluster();
    this.#pods.check();
    this.#volumes.check();
    this.backups.checkStored();
  }

  #checkCluster(): void {
    const { cluster } = this.#watched.view;
    const uid = cluster?.metadata.uid;
    if (uid !== undefined && uid !== this.#uid) {
      if (this.#uid !== undefined) this.epoch++;
      this.#uid = uid;
      this.#membership.startWith([]);
    }
    const restoredFrom = cluster?.status?.restoredFrom;
    // The data of a backup has replaced what was written since.
    if (restoredFrom !== this.#restoredFrom) {
      this.epoch++;
      this.#membership.startWith([]);
    }
    this.#restoredFrom = restoredFrom;
    const isRecovering = cluster?.status?.recovery !== undefined;
    const isAllowed = cluster?.metadata.annotations?.[annotations.recoverQuorumFrom] !== undefined;
    if (isRecovering && !this.#isRecovering) {
      if (!isAllowed) this.#watched.fail(rules.recovery, 'a recovery begins without the annotation');
      const running = slots.filter((slot) => this.#watched.view.process(slot) !== undefined).length;
      const known = cluster?.status?.members?.length ?? 0;
      if (running > known / 2) this.#watched.fail(rules.processes, `${running} of ${known} processes exist`);
      if (this.#participation.hasQuorum) this.#watched.fail(rules.recovery, 'a cluster with a quorum is recovered');
    }
    // No story fills a database with anything else than history.
    const degraded = findCondition(cluster?.status?.conditions, 'Degraded');
    if (degraded?.reason === 'DatabaseQuotaExceeded' && degraded.message.includes('; ')) {
      this.#watched.fail(rules.space, degraded.message);
    }
    const isLost = findCondition(cluster?.status?.conditions, 'Available')?.reason === 'QuorumLost';
    if (isLost && !this.#isLost && this.#participation.hasQuorum) {
      this.#watched.fail(rules.honest, 'a loss is reported while a quorum serves');
    }
    this.#isLost = isLost;
    if (!isRecovering && this.#isRecovering) this.epoch++;
    this.#isRecovering = isRecovering;
  }

  #checkWrites(): void {
    const { etcd, view } = this.#watched;
    if (view.cluster?.status?.recovery ?? view.cluster?.status?.restore) return;
    const lost = etcd.lostWrites(scope)?.filter((key) => key.startsWith(`${this.epoch}/`)) ?? [];
    if (lost.length > 0) this.#watched.fail(rules.writes, `lost: ${lost.join(', ')}`);
  }
}
