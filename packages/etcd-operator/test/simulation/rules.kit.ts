/** The names of what must never happen, and what all checks of it share: recent wishes, pauses, and failures. */
import type { Simulation } from '@ecsm/runtime/simulation';
import type { SimulatedEtcd } from '../../src/client/etcd/simulated/world.kit.ts';
import type { Kubelet } from './kubelet.kit.ts';
import type { View } from './view.kit.ts';

/** Longer than a pass with a request that is delayed. */
export const noticedMs = 60_000;

export const rules = {
  changes: 'one membership change at a time',
  learners: 'members join as learners, one at a time',
  victims: 'no healthy member is removed that is wanted',
  needed: 'no member is removed that the quorum needs',
  foreign: 'no pod and no volume of another owner is deleted',
  quorum: 'no voter is stopped that the quorum needs',
  budget: 'the disruption budget protects a quorum of the voters, and of the size',
  second: 'there is never a second cluster',
  identity: 'a member never loses its log and keeps its identity',
  writes: 'no acknowledged write is lost',
  volumes: 'no volume is deleted that is needed or retained',
  recovery: 'a quorum is recovered only with permission, while nothing else runs',
  processes: 'a recovery begins only if a majority of the processes is known to be dead',
  range: 'no pod is started for a slot without a member',
  certificates: 'members trust the certificates of each other',
  clients: 'members and clients with certificates of the last minutes trust each other',
  honest: 'a loss of the quorum is only reported without one',
  paused: 'a paused cluster is not changed',
  complete: 'a backup that is complete is whole in the store',
  newest: 'the newest backup of a schedule is never deleted',
  strangers: 'objects of strangers are never deleted',
  oneWorker: 'a backup or restore has one worker at a time',
  oneRun: 'a schedule has one run at a time',
  beside: 'data is restored, and runs, only after the former members have ended',
  space: 'a database that is full of history has room after the first attempt',
  safety: 'no two restores have the same safety backup',
} as const;

/** What is watched, with the spec of the recent past: the operator may act on what it read before an edit. */
export class Watched {
  readonly simulation: Simulation;
  readonly etcd: SimulatedEtcd;
  readonly view: View;
  readonly kubelet: Kubelet;
  /** Uids of pods and claims that a story deleted. */
  readonly excused = new Set<string>();
  #pausedMs: number | undefined;
  /** Sizes that were wanted, newest last. */
  readonly #sizes: { readonly size: number; readonly untilMs: number }[] = [];

  constructor(simulation: Simulation, etcd: SimulatedEtcd, view: View, kubelet: Kubelet) {
    this.simulation = simulation;
    this.etcd = etcd;
    this.view = view;
    this.kubelet = kubelet;
  }

  get nowMs(): number {
    return this.simulation.nowMs;
  }

  get recentSizes(): readonly number[] {
    return this.#sizes.filter(({ untilMs }) => untilMs > this.nowMs - noticedMs).map(({ size }) => size);
  }

  /** After every change of what is stored. */
  observeSpec(): void {
    const { cluster } = this.view;
    if (cluster === undefined) return;
    const { size, paused } = cluster.spec;
    const last = this.#sizes.at(-1);
    if (last?.size === size) this.#sizes.pop();
    else if (last) this.#sizes.splice(-1, 1, { size: last.size, untilMs: this.nowMs });
    this.#sizes.push({ size, untilMs: Number.POSITIVE_INFINITY });
    this.#pausedMs = paused ? (this.#pausedMs ?? this.nowMs) : undefined;
  }

  /** `what` is a change by the operator. */
  checkPaused(what: string): void {
    if (this.#pausedMs === undefined || this.nowMs - this.#pausedMs < noticedMs) return;
    if (this.view.cluster?.metadata.deletionTimestamp !== undefined) return;
    this.fail(rules.paused, what);
  }

  fail(rule: string, message: string): void {
    this.simulation.fail(rule, message);
  }
}
