import type { Clock } from '../../ports/clock.ts';
import { EtcdFailure } from './errors.ts';

/** The time that one call has, over all its attempts; an abort ends it early. It holds a timer until it is released. */
export class Deadline {
  /** Why the time is over, once it is. */
  ended: EtcdFailure | undefined;
  #listener: ((failure: EtcdFailure) => void) | undefined;
  readonly #cancelTimer: () => void;
  readonly #signal: AbortSignal | undefined;
  readonly #abort = () => this.#end(new EtcdFailure('aborted', 'the caller gave up'));

  constructor(clock: Clock, timeoutMs: number, signal?: AbortSignal) {
    this.#signal = signal;
    this.#cancelTimer = clock.after(timeoutMs, () =>
      this.#end(new EtcdFailure('timeout', `no answer within ${timeoutMs} ms`)),
    );
    signal?.addEventListener('abort', this.#abort, { once: true });
    if (signal?.aborted) this.#abort();
  }

  /** Calls back when the time is over. One listener at a time: attempts follow each other. */
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
