/**
 * Random values as a function of a seed and a number. The platform counts its draws in its state, so a snapshot
 * determines all later values; reads and restarts do not affect them.
 */

/** At least 0, less than 1. */
export function drawFraction(seed: number, number: number): number {
  return (word(seed, number, 0) >>> 0) / 0x1_0000_0000;
}

/** Unique for every number of one seed, even in its first eight digits. */
export function drawUuid(seed: number, number: number): string {
  const hex = drawHex(seed, number, 32);
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

export function drawHex(seed: number, number: number, length: number): string {
  let hex = '';
  for (let part = 0; hex.length < length; part++) {
    hex += (word(seed, number, part) >>> 0).toString(16).padStart(8, '0');
  }
  return hex.slice(0, length);
}

/** Each step is a bijection of 32 bits, so two numbers never have the same first word. */
function word(seed: number, number: number, part: number): number {
  return mix(mix(mix(seed | 0) ^ number) + Math.imul(part, 0x9e3779b9));
}

/** The finalizer of MurmurHash3: each input bit changes about half of the output bits. */
function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
