/**
 * Notices that a silent stream is dead. Silence alone means nothing: a quiet store sends nothing for minutes. The
 * system's keep-alive finds a dead machine and a cut cable; this finds what it cannot: a server that hangs, and a
 * stream that something in between has forgotten.
 *
 * After each silent while it asks the stream's own endpoint for the newest revision. No answer: the server hangs.
 * A newer revision than the stream has shown: the stream may be forgotten, or the commits were under other prefixes.
 * The two look alike, so the stream gets some patience and is then opened anew, which costs little and loses nothing.
 */
import type { Clock } from '../../ports/clock.ts';
import type { Revision } from '../contract.ts';
import { EtcdFailure } from './errors.ts';

export const silenceMsMax = 5_000;
/** A stream that turns out to have been well doubles the patience of the next one. */
export const patienceMsMin = 30_000;
/** etcd reports progress every ten to eleven minutes; a stream without even that is dead. */
export const patienceMsMax = 12 * 60_000;

export interface WatchdogOptions {
  readonly clock: Clock;
  readonly patienceMs: number;
  /** The newest revision, from the stream's endpoint. */
  readonly probe: (signal: AbortSignal) => Promise<Revision>;
  /** The last revision that the stream has shown. */
  readonly shown: () => Revision;
  /** Called at most once. `forgotten`: the server lives, its stream may not. */
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

  /** The stream has said something. */
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
