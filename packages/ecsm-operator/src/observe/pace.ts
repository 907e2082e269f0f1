/**
 * How often the platform is polled at rest, and how many bytes may be spent on what can wait. Polls are frequent after a
 * change, and rarer the longer nothing changes, up to a limit; they are never more frequent than the budget of the link
 * allows, except that the limit is always kept. What the budget leaves is used to read details little by little.
 */

interface PaceOptions {
  /** Maximum time from the start of one poll to that of the next. */
  readonly observeMs: number;
  readonly budgetBytesPerSecond: number;
}

/** The shortest interval at rest, and that between two summaries, as a part of the longest. */
const shortestPart = 1 / 4;
/** What can wait gets at most this part of the budget, so that a platform at rest costs little … */
const sparePartMax = 1 / 16;
/** … and at least this part, even if the polls alone cost more than the budget. */
const sparePartMin = 1 / 64;
/** The parts of the spare bytes for lists of instances, and for reading services that are assumed to be correct. */
const sweepShare = 1 / 2;
const auditShare = 1 / 2;
/** Bytes to read a service and its instances. */
const auditBytes = 3_000;

export class Pace {
  readonly #options: PaceOptions;
  #intervalMs: number;
  #pollBytes = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#intervalMs = this.#shortestMs;
  }

  /** Maximum time from the start of the last poll to that of the next: within it, a change is noticed. */
  get intervalMs(): number {
    return Math.min(Math.max(this.#intervalMs, this.affordableMs), this.#options.observeMs);
  }

  /** The interval that the budget allows for polls of this size. */
  get affordableMs(): number {
    return (this.#pollBytes * 1000) / this.#options.budgetBytesPerSecond;
  }

  /** Interval between two summaries, which are read between polls. */
  get summaryMs(): number {
    return this.#shortestMs;
  }

  /** Bytes of the last poll. */
  get pollBytes(): number {
    return this.#pollBytes;
  }

  /** Time to spend these bytes on lists of instances; those of a small fleet may use what polls leave of the budget. */
  sweepMs(bytes: number, isSmallFleet: boolean): number {
    const spare = isSmallFleet
      ? Math.max(this.#leftBytesPerSecond, this.#spareBytesPerSecond)
      : this.#spareBytesPerSecond;
    return (bytes * 1000) / (spare * sweepShare);
  }

  /** Interval between two services that are read to verify them. */
  get auditMs(): number {
    return (auditBytes * 1000) / (this.#spareBytesPerSecond * auditShare);
  }

  /** A poll has ended. */
  polled(bytes: number, isChanged: boolean): void {
    this.#pollBytes = bytes;
    this.#intervalMs = isChanged ? this.#shortestMs : Math.min(this.#intervalMs * 2, this.#options.observeMs);
  }

  /** The operator has changed something, or is about to. */
  changed(): void {
    this.#intervalMs = this.#shortestMs;
  }

  get #shortestMs(): number {
    return this.#options.observeMs * shortestPart;
  }

  get #spareBytesPerSecond(): number {
    const { budgetBytesPerSecond: budget } = this.#options;
    return Math.min(Math.max(this.#leftBytesPerSecond, budget * sparePartMin), budget * sparePartMax);
  }

  /** What polls leave of the budget; negative if they need more. */
  get #leftBytesPerSecond(): number {
    const { budgetBytesPerSecond, observeMs } = this.#options;
    return budgetBytesPerSecond - (this.#pollBytes * 1000) / observeMs;
  }
}
