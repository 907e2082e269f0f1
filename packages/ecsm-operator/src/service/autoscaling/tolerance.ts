/** The relative difference between a metric and its target that causes no change. */
import type { Tolerance } from './model.ts';

/** That of Kubernetes. */
export const toleranceDefault = 0.1;

/** Larger than an error of floating point arithmetic, smaller than any difference that matters. */
const epsilon = 1e-9;

/** A ratio exactly at the limit is within it. */
export function isWithin(ratio: number, { up, down }: Tolerance): boolean {
  return ratio >= 1 - down - epsilon && ratio <= 1 + up + epsilon;
}
