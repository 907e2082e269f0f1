/**
 * Detects that a silent stream is dead. Silence alone is not enough: an idle store sends nothing for minutes. TCP
 * keep-alive detects a dead machine and a broken link; this detects a server that hangs, and a stream that a proxy has
 * dropped.
 *
 * After each silent interval it reads the newest revision from the stream's endpoint. No response: the server hangs. A
 * newer revision than the stream has delivered: the stream may be dropped, or the commits were under other prefixes.
 * The two cannot be distinguished, so after `lagMsMax` the stream is reopened, which is cheap and loses nothing.
 */
import type { Clock } from '../../ports/clock.ts';
import type { Revision } from '../contract.ts';
import { EtcdFailure } from './errors.ts';

export const silenceMsMax = 5_000;
/** Doubled for the next stream when a stream was reopened without need. */
export const lagMsFirst = 30_000;
/** etcd reports progress every ten to eleven minutes; a stream without it is dead. */
export const lagMsLimit = 12 * 60_000;

interface WatchdogOptions {
  readonly clock: Clock;
  readonly lagMsMax: number;
  /** The newest revision, from the stream's endpoint. */
  readonly probe: (signal: AbortSignal) => Promise<Revision>;
  /** The last revision that the stream has delivered. */
  readonly shown: () => Revision;
  /** Called at most once. `isDropped`: the server responds, but its stream may be dropped. */
  readonly onDead: (failure: EtcdFailure, isDropped: boolean) => void;
}

export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #stop = new AbortController();
  #cancelTimer: () => void;
  #hasMessage = false;
  #lagMs = 0;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#cancelTimer = this.#wait();
  }

  /** Call it for each message of the stream. */
  received(): void {
    this.#hasMessage = true;
    this.#lagMs = 0;
  }

  stop(): void {
    this.#stop.abort();
    this.#cancelTimer();
  }

  #wait(): () => void {
    this.#hasMessage = false;
    return this.#options.clock.after(silenceMsMax, () => void this.#check());
  }

  async #check(): Promise<void> {
    const failure = this.#hasMessage ? undefined : await this.#failure();
    if (this.#stop.signal.aborted) return;
    if (failure) this.#options.onDead(failure, this.#lagMs > 0);
    else this.#cancelTimer = this.#wait();
  }

  async #failure(): Promise<EtcdFailure | undefined> {
    const { probe, shown, lagMsMax } = this.#options;
    try {
      const newest = await probe(this.#stop.signal);
      this.#lagMs = newest > shown() && !this.#hasMessage ? this.#lagMs + silenceMsMax : 0;
      if (this.#lagMs < lagMsMax) return undefined;
      return new EtcdFailure(
        'unavailable',
        `the store is at revision ${newest} and the stream has been silent for ${this.#lagMs} ms`,
      );
    } catch (error) {
      this.#lagMs = 0;
      return error instanceof EtcdFailure ? error : new EtcdFailure('unavailable', String(error), { cause: error });
    }
  }
}
