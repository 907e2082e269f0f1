/** The limits of a server. Requests beyond them are rejected before their body is read. */
import { tooManyRequests } from '../response/http-error.ts';

export interface Limits {
  /** Body of one request. Kubernetes has the same limit. */
  readonly bodyBytesMax: number;
  /** Requests in flight, without watches. */
  readonly inFlightMax: number;
  readonly inFlightPerUserMax: number;
  readonly watchesMax: number;
  readonly watchesPerUserMax: number;
  readonly connectionsMax: number;
  /** For the headers, and for the whole request. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** For the registry to answer, then 504. Work that takes longer counts as in flight until it ends. */
  readonly registryTimeoutMs: number;
  /** A connection is closed if its client reads nothing of a response, or of a watch, for this time. */
  readonly writeTimeoutMs: number;
  /** A connection without a request is closed after this time. */
  readonly idleTimeoutMs: number;
  readonly headerBytesMax: number;
  /** When the server closes: requests that are not answered by then are cut off. */
  readonly closeTimeoutMs: number;
}

export const defaultLimits: Limits = {
  bodyBytesMax: 3 * 1024 * 1024,
  inFlightMax: 400,
  inFlightPerUserMax: 200,
  watchesMax: 10_000,
  watchesPerUserMax: 5_000,
  connectionsMax: 12_000,
  headersTimeoutMs: 20_000,
  requestTimeoutMs: 60_000,
  registryTimeoutMs: 60_000,
  writeTimeoutMs: 60_000,
  idleTimeoutMs: 120_000,
  headerBytesMax: 32 * 1024,
  closeTimeoutMs: 5_000,
};

const retryAfterSeconds = 1;

/** Counts what is in flight, in total and for each user. */
export class Admission {
  readonly #totalMax: number;
  readonly #perUserMax: number;
  readonly #perUser = new Map<string, number>();
  #total = 0;

  constructor(totalMax: number, perUserMax: number) {
    this.#totalMax = totalMax;
    this.#perUserMax = perUserMax;
  }

  get total(): number {
    return this.#total;
  }

  /** Returns the function that ends the request. Throws 429 if there are too many. */
  enter(user: string): () => void {
    const own = this.#perUser.get(user) ?? 0;
    if (this.#total >= this.#totalMax || own >= this.#perUserMax) {
      throw tooManyRequests('too many requests, please try again later', retryAfterSeconds);
    }
    return this.#count(user);
  }

  /** Counts work that goes on although its request has been answered. */
  occupy(user: string, work: Promise<unknown>): void {
    const leave = this.#count(user);
    work.then(leave, leave);
  }

  #count(user: string): () => void {
    this.#total++;
    this.#perUser.set(user, (this.#perUser.get(user) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#total--;
      const left = (this.#perUser.get(user) ?? 1) - 1;
      if (left === 0) this.#perUser.delete(user);
      else this.#perUser.set(user, left);
    };
  }
}
