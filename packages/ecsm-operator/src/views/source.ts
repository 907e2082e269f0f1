/**
 * A read of the platform that several views share: one at a time, and not more often than its callers need. If a read
 * fails, the last result stays, with the reason.
 */
import { type ApiError, type Clock, isApiError } from '@ecsm/runtime';

export interface Reading<T> {
  readonly data: T;
  /** When it was read, in wall time. */
  readonly observedMs: number;
  /** Why it could not be read again; undefined if the last read succeeded. */
  readonly staleReason?: string;
}

export class Source<T> {
  readonly #clock: Clock;
  readonly #fetch: () => Promise<T>;
  readonly #reasonOf: (error: ApiError) => string;
  readonly #listeners = new Set<() => void>();
  #reading: Reading<T> | undefined;
  #failure: ApiError | undefined;
  #attemptMs: number | undefined;
  #inFlight: Promise<void> | undefined;

  /** `reasonOf`: what clients see of a failure. Default: its message. */
  constructor(clock: Clock, fetch: () => Promise<T>, reasonOf: (error: ApiError) => string = ({ message }) => message) {
    this.#clock = clock;
    this.#fetch = fetch;
    this.#reasonOf = reasonOf;
  }

  /** The same object until the next read. Undefined if no read has succeeded. */
  get reading(): Reading<T> | undefined {
    return this.#reading;
  }

  /** Why the last read failed; undefined if it did not. */
  get failureReason(): string | undefined {
    return this.#failure && this.#reasonOf(this.#failure);
  }

  /** Called after each read, successful or not, until the returned function is called. */
  onRead(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Reads again if the last attempt, successful or not, started `ageMsMax` ago or earlier. Failures of the platform are in
   * `failureReason`; rejects with any other error.
   */
  async read(ageMsMax: number): Promise<void> {
    if (this.#inFlight !== undefined) return this.#inFlight;
    if (this.#attemptMs !== undefined && this.#clock.monotonicMs() - this.#attemptMs < ageMsMax) return;
    this.#inFlight = this.#readNow().finally(() => {
      this.#inFlight = undefined;
    });
    return this.#inFlight;
  }

  /** The data as of at most `ageMsMax` ago. Throws the error of the platform. */
  async fresh(ageMsMax: number): Promise<T> {
    await this.read(ageMsMax);
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#reading === undefined) throw new Error('a read that did not fail has no result');
    return this.#reading.data;
  }

  async #readNow(): Promise<void> {
    this.#attemptMs = this.#clock.monotonicMs();
    const observedMs = this.#clock.now();
    try {
      this.#reading = { data: await this.#fetch(), observedMs };
      this.#failure = undefined;
    } catch (error) {
      if (!isApiError(error)) throw error;
      this.#failure = error;
      // The first reason stays: another one with each attempt would change every object again.
      const isNew = this.#reading !== undefined && this.#reading.staleReason === undefined;
      if (this.#reading && isNew) this.#reading = { ...this.#reading, staleReason: this.#reasonOf(error) };
    }
    for (const listener of [...this.#listeners]) listener();
  }
}
