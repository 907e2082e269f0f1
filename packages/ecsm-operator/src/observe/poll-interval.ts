/**
 * How soon to look again while something is under way: very soon after something was begun, then twice as late each time,
 * up to a limit. Where a look takes long, because the link is slow or the fleet is large, looking must not take the link
 * from those who want to do something: then most of the time is theirs.
 */

/** The first look comes after this part of the longest wait. */
const firstPart = 1 / 32;
/** So many times what the last look took goes by before the next one. */
const leisure = 4;

export class Pace {
  readonly #waitMsMax: number;
  #waitMs: number;
  #tookMs = 0;

  constructor(waitMsMax: number) {
    this.#waitMsMax = waitMsMax;
    this.#waitMs = waitMsMax;
  }

  /** The shortest wait, for a link that has nothing else to do. */
  get waitMsMin(): number {
    return this.#waitMsMax * firstPart;
  }

  get waitMs(): number {
    return Math.min(Math.max(this.#waitMs, this.#tookMs * leisure), this.#waitMsMax);
  }

  /** Something was begun, and will soon be seen. */
  begun(): void {
    this.#waitMs = this.waitMsMin;
  }

  /** A look has ended. Answers how long to wait for the next. */
  looked(tookMs: number): number {
    this.#tookMs = tookMs;
    const { waitMs } = this;
    this.#waitMs = Math.min(this.#waitMs * 2, this.#waitMsMax);
    return waitMs;
  }
}
