/** A wait that any number of callers can shorten: the earliest requested end applies. */
import { type Clock, sleep } from '@ecsm/runtime';

export class PollTimer {
  readonly #clock: Clock;
  #end: AbortController | undefined;
  #endMs = 0;
  #isShortened = false;
  #cancel: () => void = () => {};
  /** Requested while there was no wait: the limit of the next one. */
  #nextMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns whether it was shortened. */
  async wait(delayMs: number, signal: AbortSignal): Promise<boolean> {
    const end = new AbortController();
    const stop = () => end.abort();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const waitMs = Math.min(delayMs, this.#nextMs ?? delayMs);
    this.#isShortened = waitMs < delayMs;
    this.#nextMs = undefined;
    this.#end = end;
    this.#endMs = this.#clock.monotonicMs() + waitMs;
    await sleep(this.#clock, waitMs, end.signal);
    this.#end = undefined;
    this.#cancel();
    signal.removeEventListener('abort', stop);
    return this.#isShortened;
  }

  /** Limits the rest of the wait. */
  shorten(delayMs: number): void {
    const end = this.#end;
    if (end === undefined) {
      this.#nextMs = Math.min(delayMs, this.#nextMs ?? delayMs);
      return;
    }
    const endMs = this.#clock.monotonicMs() + delayMs;
    if (endMs >= this.#endMs) return;
    this.#endMs = endMs;
    this.#isShortened = true;
    this.#cancel();
    this.#cancel = this.#clock.after(delayMs, () => end.abort());
  }
}
