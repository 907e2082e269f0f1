/**
 * Detects that a silent stream is dead. Silence alone is not enough: an idle store sends nothing for minutes. TCP
 * keep-alive detects a dead machine and a broken link; this detects a server that hangs, and a stream that a proxy has
 * dropped.
 *
 * After each silent interval it reads the newest revision from the stream's endpoint. No response: the server hangs. A
 * newer revision than the stream has delivered: the stream may be dropped, or the commits were under other prefixes.
 * The two cannot be distinguished, so after `patienceMs` the stream is reopened, which is cheap and loses nothing.
 */
import type { Clock } from '../../ports/clock.ts';
import type { Revision } from '../contract.ts';
import { EtcdFailure } from './errors.ts';

export const silenceMsMax = 5_000;
/** Doubled for the next stream when a stream was reopened without need. */
export const patienceMsMin = 30_000;
/** etcd reports progress every ten to eleven minutes; a stream without it is dead. */
export const patienceMsMax = 12 * 60_000;

export interface WatchdogOptions {
  readonly clock: Clock;
  readonly patienceMs: number;
  /** The newest revision, from the stream's endpoint. */
  readonly probe: (signal: AbortSignal) => Promise<Revision>;
  /** The last revision that the stream has delivered. */
  readonly shown: () => Revision;
  /** Called at most once. `forgotten`: the server responds, but its stream may be dropped. */
  readonly dead: (failure: EtcdFailure, forgotten: boolean) => void;
}

export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #life = new AbortController();
  #cancelTimer: () => void;
  #heard = false;
  #suspiciousMs = 0;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#cancelTimer = this.#wait();
  }

  /** Call it for each message of the stream. */
  heard(): void {
    this.#heard = true;
    this.#suspiciousMs = 0;
  }

  stop(): void {
    this.#life.abort();
    this.#cancelTimer();
  }

  #wait(): () => void {
    this.#heard = false;
    return this.#options.clock.after(silenceMsMax, () => void this.#look());
  }

  async #look(): Promise<void> {
    const failure = this.#heard ? undefined : await this.#examine();
    if (this.#life.signal.aborted) return;
    if (failure) this.#options.dead(failure, this.#suspiciousMs > 0);
    else this.#cancelTimer = this.#wait();
  }

  async #examine(): Promise<EtcdFailure | undefined> {
    const { probe, shown, patienceMs } = this.#options;
    try {
      const newest = await probe(this.#life.signal);
      this.#suspiciousMs = newest > shown() && !this.#heard ? this.#suspiciousMs + silenceMsMax : 0;
      if (this.#suspiciousMs < patienceMs) return undefined;
      return new EtcdFailure(
        'unavailable',
        `the store is at revision ${newest} and the stream has been silent for ${this.#suspiciousMs} ms`,
      );
    } catch (error) {
      this.#suspiciousMs = 0;
      return error instanceof EtcdFailure ? error : new EtcdFailure('unavailable', String(error), { cause: error });
    }
  }
}
