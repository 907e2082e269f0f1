/** Rounding that ignores errors of floating point arithmetic: 10 × 1.1 is 11, not a little more. */

export function roundUp(value: number): number {
  return Math.ceil(precise(value));
}

export function roundDown(value: number): number {
  return Math.floor(precise(value));
}

function precise(value: number): number {
  return Number(value.toPrecision(12));
}
