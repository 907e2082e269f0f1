/**
 * Who has something under way, and who looks for it: each for itself, or the observer for all. One look at everything is
 * the cheaper way once a good part of all services is waiting for something; then each of them looks only seldom.
 */
import type { OwnerKey } from '../resource/naming.ts';

/** Asking for one service costs as many bytes as eight rows of a list, and two calls, which a slow link feels more. */
const rowsPerQuestion = 32;
/** What was begun is not given up for a little: to change between the two ways costs a question of everybody. */
const rowsPerQuestionToEnd = 256;
/** While the observer looks for all, a service looks for itself only every so many polls … */
const pollsPerLook = 8;
/** … and of all of them together one in this time: they need the link for better things. */
const spreadMs = 100;

export class Hurry {
  readonly #pollMs: number;
  readonly #services: () => number;
  readonly #followed = new Map<string, OwnerKey>();
  #isOn = false;
  #wasOn = false;

  /** `services`: how many there are on the platform. */
  constructor(pollMs: number, services: () => number) {
    this.#pollMs = pollMs;
    this.#services = services;
  }

  /** How many have something under way. */
  get count(): number {
    return this.#followed.size;
  }

  /** Whether the observer looks for all. */
  get isOn(): boolean {
    const rows = this.#isOn ? rowsPerQuestionToEnd : rowsPerQuestion;
    this.#isOn = this.#followed.size > 0 && this.#followed.size * rows >= this.#services();
    return this.#isOn;
  }

  /** How soon a service with something under way should look for itself. */
  get selfLookMs(): number {
    return this.isOn ? this.#pollMs * pollsPerLook + this.#followed.size * spreadMs : this.#pollMs;
  }

  /** Something is under way for this owner, or no longer. */
  follow({ namespace, name }: OwnerKey, isUnderWay: boolean): void {
    const key = `${namespace}/${name}`;
    if (isUnderWay) this.#followed.set(key, { namespace, name });
    else this.#followed.delete(key);
  }

  /** Those who rely on the observer although it has stopped to look for all, since this was last asked. */
  leftBehind(): readonly OwnerKey[] {
    const isOn = this.isOn;
    const hasEnded = this.#wasOn && !isOn;
    this.#wasOn = isOn;
    return hasEnded ? [...this.#followed.values()] : [];
  }

  clear(): void {
    this.#followed.clear();
    this.#isOn = false;
    this.#wasOn = false;
  }
}
