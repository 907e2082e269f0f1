/**
 * The road between a caller and the platform, and what goes wrong on it: decisions only. What they do to a call is
 * carried out by a `Journey`, the same for a function call and for a socket.
 */
import type { Random } from '@ecsm/runtime';
import { isControl, type Request } from './message.ts';
import { changedSettings, healthyLink, type LinkSettings } from './settings.ts';

/**
 * - `answered`: the caller gets the whole answer.
 * - `request lost`: nothing was done, and the caller hears nothing.
 * - `answer lost`: it was done, and the caller hears nothing.
 * - `answer cut`: it was done, and the caller gets the beginning of the answer.
 * - `error page`: nothing was done, and the caller gets a page of HTML from a proxy.
 */
export type Fate = 'answered' | 'request lost' | 'answer lost' | 'answer cut' | 'error page';

/** How one call fares. */
export interface Passage {
  readonly fate: Fate;
  /** From the caller to the platform. */
  readonly beforeMs: number;
  /** And back. */
  readonly afterMs: number;
  /** 0: no limit. */
  readonly bytesPerSecond: number;
  /** Of the page, where the fate is one. */
  readonly errorStatus: number;
  /** Which part of the body gets through where it is cut: at least 0, less than 1. */
  readonly keptPart: number;
}

export type Call = Pick<Request, 'method' | 'target'>;

/** What a frozen platform can hold. Whatever comes then is lost, as when the queue of a socket is full. */
export const heldCallsMax = 10_000;

const freePassage: Passage = {
  fate: 'answered',
  beforeMs: 0,
  afterMs: 0,
  bytesPerSecond: 0,
  errorStatus: healthyLink.errorStatus,
  keptPart: 1,
};

export class Link {
  readonly #random: Random;
  #settings = healthyLink;
  readonly #held = new Set<() => void>();

  constructor({ random }: { readonly random: Random }) {
    this.#random = random;
  }

  get settings(): LinkSettings {
    return this.#settings;
  }

  /** How many calls wait for the thaw. */
  get held(): number {
    return this.#held.size;
  }

  /** Changes some settings, and leaves the others as they are. Throws `BadRequest` and changes nothing if one is wrong. */
  set(change: Partial<LinkSettings>): void {
    this.#settings = changedSettings(this.#settings, change);
    if (!this.#settings.frozen) this.#thaw();
  }

  /** Healthy again. */
  heal(): void {
    this.#settings = healthyLink;
    this.#thaw();
  }

  /** Decides what happens to a call. Every call draws the same number of times, so one setting does not move another's. */
  route(call: Call): Passage {
    if (isControl(call.target)) return freePassage;
    const draws: Draws = {
      jitter: this.#random.next(),
      loss: this.#random.next() * 100,
      error: this.#random.next() * 100,
      answerLoss: this.#random.next() * 100,
      cut: this.#random.next() * 100,
      keptPart: this.#random.next(),
    };
    if (!matches(call, this.#settings)) return freePassage;
    const { latencyMs, latencyJitterMs, bytesPerSecond, errorStatus } = this.#settings;
    const totalMs = latencyMs + Math.floor(draws.jitter * (latencyJitterMs + 1));
    const beforeMs = Math.floor(totalMs / 2);
    return {
      fate: this.#fate(draws),
      beforeMs,
      afterMs: totalMs - beforeMs,
      bytesPerSecond,
      errorStatus,
      keptPart: draws.keptPart,
    };
  }

  isFrozenFor(call: Call): boolean {
    return this.#settings.frozen && !isControl(call.target) && matches(call, this.#settings);
  }

  /** Calls back at the thaw, in the order in which it was asked. Returns how to cancel, or undefined if there is no room. */
  onThaw(callback: () => void): (() => void) | undefined {
    if (this.#held.size >= heldCallsMax) return undefined;
    // A wrapper, so that the same callback could be held twice.
    const held = () => callback();
    this.#held.add(held);
    return () => void this.#held.delete(held);
  }

  #fate(draws: Draws): Fate {
    const settings = this.#settings;
    if (this.#use('requestsToLose') || draws.loss < settings.lossPercent) return 'request lost';
    if (this.#use('errorsLeft') || draws.error < settings.errorPercent) return 'error page';
    if (this.#use('answersToLose') || draws.answerLoss < settings.answerLossPercent) return 'answer lost';
    return draws.cut < settings.truncatePercent ? 'answer cut' : 'answered';
  }

  #use(counter: 'requestsToLose' | 'errorsLeft' | 'answersToLose'): boolean {
    const left = this.#settings[counter];
    if (left === 0) return false;
    this.#settings = { ...this.#settings, [counter]: left - 1 };
    return true;
  }

  #thaw(): void {
    const held = [...this.#held];
    this.#held.clear();
    for (const goOn of held) goOn();
  }
}

type Draws = Readonly<Record<'jitter' | 'loss' | 'error' | 'answerLoss' | 'cut' | 'keptPart', number>>;

function matches({ method, target }: Call, { match }: LinkSettings): boolean {
  if (match === null) return true;
  return (match.method === undefined || match.method === method) && target.startsWith(match.path ?? '');
}
