/**
 * How many calls may be under way at once. Who finds no free slot waits, first come, first served; who gives up waiting
 * leaves the line.
 */
import { ApiError } from '@ecsm/runtime';

interface Waiting {
  readonly begin: () => void;
  readonly fail: (reason: unknown) => void;
}

export class Slots {
  readonly #max: number;
  #line: Waiting[] = [];
  #used = 0;

  constructor(max: number) {
    if (!(Number.isSafeInteger(max) && max > 0)) {
      throw new ApiError('BadRequest', { reason: `inFlightMax has to be a whole number above 0, not ${max}` });
    }
    this.#max = max;
  }

  get used(): number {
    return this.#used;
  }

  get isFull(): boolean {
    return this.#used >= this.#max;
  }

  /** Resolves with the function that gives the slot back, safe to call twice. Rejects with the signal's reason. */
  take(signal: AbortSignal, place: 'last' | 'first' = 'last'): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const leave = () => {
        this.#line = this.#line.filter((other) => other !== waiting);
        reject(signal.reason);
      };
      const waiting: Waiting = {
        begin: () => {
          signal.removeEventListener('abort', leave);
          this.#used++;
          resolve(this.#giver());
        },
        fail: (reason) => {
          signal.removeEventListener('abort', leave);
          reject(reason);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      if (place === 'first') this.#line.unshift(waiting);
      else this.#line.push(waiting);
      this.#next();
    });
  }

  /** Sends everybody away who waits. */
  refuseWaiting(reason: unknown): void {
    const line = this.#line;
    this.#line = [];
    for (const { fail } of line) fail(reason);
  }

  #giver(): () => void {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#used--;
      this.#next();
    };
  }

  #next(): void {
    if (this.#used < this.#max) this.#line.shift()?.begin();
  }
}
