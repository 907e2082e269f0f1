/**
 * Which members take part, and since when. A fault takes some time to be noticed, so a member that a story took away
 * counts as down only after a while; one that the operator stopped counts at once.
 */
import type { EtcdProcess } from '../../src/client/etcd/simulated/process.kit.ts';
import { noticedMs, type Watched } from './rules.kit.ts';
import { slots } from './view.kit.ts';

/** Of a pass with slow calls. */
const passMs = 10_000;

export class Participation {
  readonly #watched: Watched;
  /** Since when a voter does not take part, by slot. */
  readonly #downMs = new Map<number, number>();
  /** Since when a member takes part without interruption, by id. */
  readonly #upMs = new Map<string, number>();
  /** The process that the operator stopped, by slot, until another one takes part. */
  readonly #stopped = new Map<number, EtcdProcess | undefined>();

  /** The process that knew most about the members when it was last looked at. */
  #last: { readonly process: EtcdProcess; readonly seenMs: number } | undefined;

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  /** Who takes part now. */
  observe(): void {
    const { view, nowMs } = this.#watched;
    const up = new Set<string>();
    const { truth } = view;
    if (truth) this.#last = { process: truth, seenMs: nowMs };
    for (const slot of slots) {
      const process = view.process(slot);
      if (process === undefined || !view.isUp(slot)) {
        if (!this.#downMs.has(slot)) this.#downMs.set(slot, nowMs);
        continue;
      }
      this.#downMs.delete(slot);
      up.add(process.id);
      if (this.#stopped.get(slot) !== process) this.#stopped.delete(slot);
    }
    for (const id of this.#upMs.keys()) if (!up.has(id)) this.#upMs.delete(id);
    for (const id of up) if (!this.#upMs.has(id)) this.#upMs.set(id, nowMs);
  }

  /** The process that knows most about the members, or did when the operator asked: it may have ended since. */
  get truth(): EtcdProcess | undefined {
    const { view, nowMs } = this.#watched;
    const isRecent = this.#last !== undefined && nowMs - this.#last.seenMs < passMs;
    return view.truth ?? (isRecent ? this.#last?.process : undefined);
  }

  /** The operator stops the process of a slot. */
  stopped(slot: number): void {
    this.#stopped.set(slot, this.#watched.view.process(slot));
  }

  isDown(slot: number): boolean {
    if (this.#stopped.has(slot)) return true;
    const sinceMs = this.#downMs.get(slot);
    return sinceMs !== undefined && this.#watched.nowMs - sinceMs >= noticedMs;
  }

  /** Whether voters that the operator must have noticed are a quorum. */
  get hasQuorum(): boolean {
    const { truth } = this.#watched.view;
    return (
      truth !== undefined && truth.state.voters.filter(({ id }) => this.isHealthy(id)).length >= truth.state.quorum
    );
  }

  /** Whether a member takes part for so long that the operator has noticed. */
  isHealthy(id: string): boolean {
    const sinceMs = this.#upMs.get(id);
    return sinceMs !== undefined && this.#watched.nowMs - sinceMs > noticedMs;
  }
}
