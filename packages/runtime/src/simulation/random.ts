/**
 * Seeded randomness, in two forms:
 *
 * - `SeededRandom` is a stream, for simulated programs.
 * - `draw` is a function of its arguments, for the simulation itself: the latency of effect 7 is the same whether or not
 *   effect 6 was lost, so removing one fault from a failing run changes as little else as possible.
 */
import type { Random } from '../ports/random.ts';

/** xoshiro128**: small and fast, but not for secrets. */
export class SeededRandom implements Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: number, ...path: readonly number[]) {
    let state = path.reduce((so, part) => mix(so ^ part), foldSeed(seed));
    const word = () => {
      state = (state + 0x9e3779b9) | 0;
      return mix(state);
    };
    this.#a = word();
    this.#b = word();
    this.#c = word();
    // The state of a xoshiro must not be all zero.
    this.#d = word() | 1;
  }

  next(): number {
    return ((this.#word() >>> 5) * 0x4000000 + (this.#word() >>> 6)) / 0x20000000000000;
  }

  uuid(): string {
    const hex = [0, 0, 0, 0].map(() => (this.#word() >>> 0).toString(16).padStart(8, '0')).join('');
    const variant = '89ab'[this.integer(0, 3)];
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  /** From `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    if (choices.length === 0) throw new RangeError('there are no choices');
    return choices[this.integer(0, choices.length - 1)] as T;
  }

  #word(): number {
    const result = Math.imul(rotate(Math.imul(this.#b, 5), 7), 9);
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = rotate(this.#d, 11);
    return result;
  }
}

/** At least 0, less than 1, and a pure function of its arguments. `purpose` separates several draws for one effect. */
export function draw(seed: number, owner: number, number: number, purpose: number): number {
  const mixed = mix(
    mix(mix(foldSeed(seed) ^ Math.imul(owner + 1, 0x9e3779b1)) ^ number) + Math.imul(purpose, 0x85ebca6b),
  );
  return (mixed >>> 0) / 0x100000000;
}

/** Seeds may be any safe integer; both 32-bit halves are used. */
function foldSeed(seed: number): number {
  return mix((seed | 0) ^ Math.imul(Math.floor(seed / 0x100000000) | 0, 0xc2b2ae35));
}

/** The finaliser of MurmurHash3: each input bit changes about half of the output bits. */
function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
