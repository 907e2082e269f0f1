/** The names of the nodes that the platform cannot reach. Concurrent callers share one request. */
import type { Clock } from '@ecsm/runtime';

type FetchOffline = (signal: AbortSignal) => Promise<ReadonlySet<string>>;

export class NodeCache {
  readonly #clock: Clock;
  readonly #fetch: FetchOffline;
  readonly #changed: () => void;
  #offline: ReadonlySet<string> = new Set();
  #readMs: number | undefined;
  #reading: Promise<ReadonlySet<string>> | undefined;

  /** `changed` is called after a read with another result than before. */
  constructor(clock: Clock, fetch: FetchOffline, changed: () => void = () => {}) {
    this.#clock = clock;
    this.#fetch = fetch;
    this.#changed = changed;
  }

  /** As of the last read. */
  get offline(): ReadonlySet<string> {
    return this.#offline;
  }

  /** As of at most `ageMsMax` ago. Concurrent callers share one request, and its failure. */
  async read(ageMsMax: number, signal: AbortSignal): Promise<ReadonlySet<string>> {
    if (this.#isYounger(ageMsMax)) return this.#offline;
    this.#reading ??= this.#readNow(signal).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readNow(signal: AbortSignal): Promise<ReadonlySet<string>> {
    const startMs = this.#clock.monotonicMs();
    const before = this.#offline;
    const now = await this.#fetch(signal);
    this.#offline = now;
    this.#readMs = startMs;
    if (before.size !== now.size || [...now].some((name) => !before.has(name))) this.#changed();
    return now;
  }

  #isYounger(ageMsMax: number): boolean {
    return this.#readMs !== undefined && this.#clock.monotonicMs() - this.#readMs < ageMsMax;
  }
}
