import type { Clock } from '../../ports/clock.ts';
import { EtcdFailure } from './errors.ts';

/** The time limit of one call, over all its attempts; an abort ends it early. It holds a timer until it is released. */
export class Deadline {
  /** Set once the deadline has passed or the call was aborted. */
  ended: EtcdFailure | undefined;
  #listener: ((failure: EtcdFailure) => void) | undefined;
  readonly #cancelTimer: () => void;
  readonly #signal: AbortSignal | undefined;
  readonly #abort = () => this.#end(new EtcdFailure('aborted', 'aborted by the caller'));

  constructor(clock: Clock, timeoutMs: number, signal?: AbortSignal) {
    this.#signal = signal;
    this.#cancelTimer = clock.after(timeoutMs, () =>
      this.#end(new EtcdFailure('timeout', `no response within ${timeoutMs} ms`)),
    );
    signal?.addEventListener('abort', this.#abort, { once: true });
    if (signal?.aborted) this.#abort();
  }

  /** Calls the listener when the deadline ends. One listener at a time: attempts are sequential. */
  listen(listener: ((failure: EtcdFailure) => void) | undefined): void {
    this.#listener = listener;
    if (this.ended) listener?.(this.ended);
  }

  release(): void {
    this.#cancelTimer();
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#listener = undefined;
  }

  #end(failure: EtcdFailure): void {
    if (this.ended) return;
    this.ended = failure;
    this.#listener?.(failure);
  }
}
