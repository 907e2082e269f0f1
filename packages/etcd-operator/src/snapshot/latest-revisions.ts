/**
 * The latest revision of each key, by a fingerprint of 64 bits of the key: 24 bytes for each, whatever the length of the
 * keys. The seed is secret, so that keys cannot be chosen to have the same fingerprint.
 */
import { randomBytes } from 'node:crypto';

const slotsMin = 1024;
const loadMax = 0.6;

export class LatestRevisions {
  readonly #seeds = [randomBytes(4).readInt32LE(), randomBytes(4).readInt32LE()] as const;
  #slots = slotsMin;
  #low = new Uint32Array(slotsMin);
  #high = new Uint32Array(slotsMin);
  #main = new Float64Array(slotsMin);
  #sub = new Float64Array(slotsMin);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  set(bytes: Uint8Array, start: number, end: number, main: number, sub: number): void {
    if (this.#size >= this.#slots * loadMax) this.#grow();
    this.#put(
      fingerprint(bytes, start, end, this.#seeds[0]),
      fingerprint(bytes, start, end, this.#seeds[1]),
      main,
      sub,
    );
  }

  /** Whether there is a later revision of the key than this one. */
  hasLater(bytes: Uint8Array, start: number, end: number, main: number, sub: number): boolean {
    if (this.#size === 0) return false;
    const low = fingerprint(bytes, start, end, this.#seeds[0]);
    const slot = this.#slot(low, fingerprint(bytes, start, end, this.#seeds[1]));
    const found = this.#main[slot] ?? 0;
    return found > main || (found === main && (this.#sub[slot] ?? 0) > sub);
  }

  #put(low: number, high: number, main: number, sub: number): void {
    const slot = this.#slot(low, high);
    if (this.#main[slot] === 0) this.#size++;
    this.#low[slot] = low;
    this.#high[slot] = high;
    this.#main[slot] = main;
    this.#sub[slot] = sub;
  }

  /** That of the fingerprint, or the free one for it: main revisions start at 1. */
  #slot(low: number, high: number): number {
    const mask = this.#slots - 1;
    let slot = low & mask;
    while (this.#main[slot] !== 0 && (this.#low[slot] !== low || this.#high[slot] !== high)) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [low, high, main, sub] = [this.#low, this.#high, this.#main, this.#sub];
    this.#slots *= 2;
    this.#low = new Uint32Array(this.#slots);
    this.#high = new Uint32Array(this.#slots);
    this.#main = new Float64Array(this.#slots);
    this.#sub = new Float64Array(this.#slots);
    this.#size = 0;
    for (const [slot, revision] of main.entries()) {
      if (revision !== 0) this.#put(low[slot] ?? 0, high[slot] ?? 0, revision, sub[slot] ?? 0);
    }
  }
}

/** MurmurHash3 with four bytes per step. */
function fingerprint(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let hash = seed;
  for (let at = start; at < end; at += 4) {
    let word = bytes[at] ?? 0;
    for (let index = 1; index < 4 && at + index < end; index++) word |= (bytes[at + index] ?? 0) << (8 * index);
    word = Math.imul(word, 0xcc9e2d51);
    hash ^= Math.imul((word << 15) | (word >>> 17), 0x1b873593);
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  hash ^= end - start;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
