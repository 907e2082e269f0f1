/**
 * Deadlines for the registry: a client gets an answer although the store hangs. One timer serves all requests, because
 * starting and cancelling one for each costs as much as finding its object.
 */
import { ApiError, type Clock } from '@ecsm/runtime';

interface Waiting {
  readonly dueMs: number;
  readonly fail: () => void;
}

export class Deadlines {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  /** In the order of their deadlines: all have the same timeout. */
  readonly #waiting = new Set<Waiting>();
  /** Undefined: there is no timer. */
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Throws `Timeout` if the work takes longer, after `onLate`. The work is not stopped: a write may still happen, which
   * is what `Timeout` means.
   */
  within<T>(work: Promise<T>, onLate: () => void = () => {}): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = () => {
        onLate();
        reject(new ApiError('Timeout', { what: 'the registry', timeoutMs: this.#timeoutMs }));
      };
      const waiting = { dueMs: this.#clock.monotonicMs() + this.#timeoutMs, fail };
      this.#waiting.add(waiting);
      this.#cancel ??= this.#clock.after(this.#timeoutMs, () => this.#check());
      work.then(
        (value) => {
          this.#waiting.delete(waiting);
          resolve(value);
        },
        (error: unknown) => {
          this.#waiting.delete(waiting);
          reject(error);
        },
      );
    });
  }

  /** Stops the timer, which otherwise goes on until nothing waits. Work that is late from now on is waited for. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #check(): void {
    this.#cancel = undefined;
    const nowMs = this.#clock.monotonicMs();
    for (const waiting of this.#waiting) {
      if (waiting.dueMs > nowMs) {
        this.#cancel = this.#clock.after(waiting.dueMs - nowMs, () => this.#check());
        return;
      }
      this.#waiting.delete(waiting);
      waiting.fail();
    }
  }
}
