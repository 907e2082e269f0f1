/** Which nodes the platform cannot reach, asked for by many and fetched once. */
import type { Clock } from '@ecsm/runtime';

export type FetchOffline = (signal: AbortSignal) => Promise<ReadonlySet<string>>;

export class OfflineNodes {
  readonly #clock: Clock;
  readonly #fetch: FetchOffline;
  #names: ReadonlySet<string> = new Set();
  #readMs: number | undefined;
  #reading: Promise<ReadonlySet<string>> | undefined;

  constructor(clock: Clock, fetch: FetchOffline) {
    this.#clock = clock;
    this.#fetch = fetch;
  }

  /** As they were when they were last read. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** As they were at most so long ago. Who asks while somebody else is reading shares the answer, or its failure. */
  async read(ageMsMax: number, signal: AbortSignal): Promise<ReadonlySet<string>> {
    if (this.#isYounger(ageMsMax)) return this.#names;
    this.#reading ??= this.#readNow(signal).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readNow(signal: AbortSignal): Promise<ReadonlySet<string>> {
    const startMs = this.#clock.monotonicMs();
    this.#names = await this.#fetch(signal);
    this.#readMs = startMs;
    return this.#names;
  }

  #isYounger(ageMsMax: number): boolean {
    return this.#readMs !== undefined && this.#clock.monotonicMs() - this.#readMs < ageMsMax;
  }
}
