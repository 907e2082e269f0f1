/** Rounding that ignores errors of floating point arithmetic: 10 × 1.1 is 11, not a little more. */

export function roundUp(value: number): number {
  return safe(Math.ceil(precise(value)));
}

export function roundDown(value: number): number {
  return safe(Math.floor(precise(value)));
}

/** A metric may have any value. A status with a larger number could not be written. */
function safe(value: number): number {
  return Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

function precise(value: number): number {
  return Number(value.toPrecision(12));
}
