/**
 * The simulated link between a caller and the platform. It decides the delays and faults of each call; `SimulatedCall`
 * applies them.
 */
import type { Random } from '@ecsm/runtime';
import type { Request } from '../api/exchange.ts';
import { isControl } from './control-path.ts';
import { changedSettings, healthyLink, type LinkSettings } from './settings.ts';

/**
 * - `answered`: the caller gets the whole response.
 * - `request lost`: the call is not executed, and the caller gets no response.
 * - `answer lost`: the call is executed, and the caller gets no response.
 * - `answer cut`: the call is executed, and the caller gets a truncated response.
 * - `error page`: the call is not executed, and the caller gets an HTML page of a proxy.
 */
export type Fate = 'answered' | 'request lost' | 'answer lost' | 'answer cut' | 'error page';

/** The delays and the fate of one call. */
export interface CallPlan {
  readonly fate: Fate;
  /** From the caller to the platform. */
  readonly beforeMs: number;
  /** From the platform to the caller. */
  readonly afterMs: number;
  /** 0: no limit. */
  readonly bytesPerSecond: number;
  /** HTTP status of an error page. */
  readonly errorStatus: number;
  /** Fraction of a truncated body that is transferred: at least 0, less than 1. */
  readonly keptPart: number;
}

type Call = Pick<Request, 'method' | 'target'>;

/** Maximum number of calls that a frozen platform holds. Further calls are lost, as when a socket's backlog is full. */
export const heldCallsMax = 10_000;

const unaffected: CallPlan = {
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

  /** Number of calls that a frozen platform holds. */
  get held(): number {
    return this.#held.size;
  }

  /** Changes some settings. Throws `BadRequest` and changes nothing if one is invalid. */
  set(change: Partial<LinkSettings>): void {
    this.#settings = changedSettings(this.#settings, change);
    if (!this.#settings.frozen) this.#thaw();
  }

  /** Resets all settings. */
  heal(): void {
    this.#settings = healthyLink;
    this.#thaw();
  }

  /**
   * Decides the fate of a call. Every call draws the same number of random values, so settings do not affect each
   * other.
   */
  route(call: Call): CallPlan {
    if (isControl(call.target)) return unaffected;
    const draws: Draws = {
      jitter: this.#random.next(),
      loss: this.#random.next() * 100,
      error: this.#random.next() * 100,
      answerLoss: this.#random.next() * 100,
      cut: this.#random.next() * 100,
      keptPart: this.#random.next(),
    };
    if (!matches(call, this.#settings)) return unaffected;
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

  /**
   * Calls back when the platform is unfrozen, in order. Returns a function to cancel, or undefined if too many wait.
   */
  onThaw(callback: () => void): (() => void) | undefined {
    if (this.#held.size >= heldCallsMax) return undefined;
    // A wrapper, because the same callback may be held twice.
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
    for (const resume of held) resume();
  }
}

type Draws = Readonly<Record<'jitter' | 'loss' | 'error' | 'answerLoss' | 'cut' | 'keptPart', number>>;

function matches({ method, target }: Call, { match }: LinkSettings): boolean {
  if (match === null) return true;
  return (match.method === undefined || match.method === method) && target.startsWith(match.path ?? '');
}
