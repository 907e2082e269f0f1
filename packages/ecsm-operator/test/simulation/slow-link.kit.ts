/**
 * A link that works, but slowly: a long round trip, a bandwidth for which calls wait for each other, and losses. The oracle
 * has a count of its own of what was answered and lost: a link that answers must not be declared unreachable.
 */
import { isLinkFailure, type SendOptions, type WireRequest, type WireResponse } from '@ecsm/client';
import type { Clock } from '@ecsm/runtime';
import { SeededRandom, type Simulation } from '@ecsm/runtime/simulation';

export interface LinkSettings {
  readonly roundTripMs: number;
  /** In each direction, for all calls together. 0: unlimited. */
  readonly bytesPerSecond: number;
  /** The part of the calls that get no response. */
  readonly lostPart: number;
}

/** Separates this random stream from the others of a seed. */
const stream = 80;
/** The default timeout of a call. */
const callTimeoutMs = 10_000;
/** Consecutive failures after which the link may be declared unreachable. */
const failuresMin = 2;

/** Slow links on which the operator has to make progress: a call takes less than a timeout unless many are in flight. */
export function slowLinkOf(seed: number): LinkSettings {
  const random = new SeededRandom(seed, stream);
  return {
    roundTripMs: random.pick([600, 1_500, 3_000]),
    bytesPerSecond: random.pick([0, 4_000, 20_000]),
    lostPart: random.pick([0, 0.05, 0.2]),
  };
}

export class Link {
  readonly #simulation: Simulation;
  readonly #random: SeededRandom;
  #settings: LinkSettings | undefined;
  /** When what was sent before has passed, in each direction. */
  #upMs = 0;
  #downMs = 0;
  #answers = 0;
  /** Calls that failed since the last answer, and were sent after it. */
  #failures = 0;
  #denied: string | undefined;

  constructor(simulation: Simulation, settings: LinkSettings | undefined) {
    this.#simulation = simulation;
    this.#settings = settings;
    this.#random = new SeededRandom(simulation.seed, stream, 1);
  }

  heal(): void {
    this.#settings = undefined;
  }

  /** A new process has not called yet. */
  restart(): void {
    this.#failures = 0;
  }

  /** The operator has declared the link unreachable. */
  declaredUnreachable(): void {
    if (this.#failures >= failuresMin) return;
    this.#denied = `the link is unreachable after ${this.#answers} answers and ${this.#failures} failures since the last`;
  }

  /** What is wrong with a declaration of the operator. */
  get denied(): string | undefined {
    return this.#denied;
  }

  /** `call`: the call on a link without delays. */
  async carry(
    request: WireRequest,
    options: Pick<SendOptions, 'signal'>,
    clock: Clock,
    call: () => Promise<WireResponse>,
  ): Promise<WireResponse> {
    const [sentMs, answers] = [this.#simulation.nowMs, this.#answers];
    try {
      const response = await (this.#settings === undefined
        ? call()
        : this.#delayed(this.#settings, request, options.signal, clock, call));
      this.#answers++;
      this.#failures = 0;
      return response;
    } catch (error) {
      // An attempt that was aborted early says nothing about the link.
      const isEarly = error === options.signal.reason && this.#simulation.nowMs - sentMs < callTimeoutMs;
      if (isLinkFailure(error) && !isEarly && answers === this.#answers) this.#failures++;
      throw error;
    }
  }

  async #delayed(
    { roundTripMs, bytesPerSecond, lostPart }: LinkSettings,
    { target, body }: WireRequest,
    signal: AbortSignal,
    clock: Clock,
    call: () => Promise<WireResponse>,
  ): Promise<WireResponse> {
    const { nowMs } = this.#simulation;
    const transferMs = (bytes: number) => (bytesPerSecond === 0 ? 0 : (bytes * 1000) / bytesPerSecond);
    const isLost = this.#random.next() < lostPart;
    this.#upMs = Math.max(this.#upMs, nowMs) + transferMs(target.length + (body?.byteLength ?? 0));
    await pause(clock, this.#upMs - nowMs + roundTripMs / 2, signal);
    if (isLost) await pause(clock, Number.POSITIVE_INFINITY, signal);
    const response = await call();
    const answeredMs = this.#simulation.nowMs;
    this.#downMs = Math.max(this.#downMs, answeredMs) + transferMs(response.body.byteLength);
    await pause(clock, this.#downMs - answeredMs + roundTripMs / 2, signal);
    return response;
  }
}

/** Rejects with the signal's reason. */
function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const cancel = delayMs === Number.POSITIVE_INFINITY ? () => {} : clock.after(delayMs, () => end(resolve));
    const abort = () => end(() => reject(signal.reason));
    const end = (settle: () => void) => {
      cancel();
      signal.removeEventListener('abort', abort);
      settle();
    };
    signal.addEventListener('abort', abort, { once: true });
  });
}
