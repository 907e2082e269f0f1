import { randomUUID } from 'node:crypto';

/** Randomness, as a port. A simulation uses a seeded generator, so that every run can be repeated. */
export interface Random {
  /** At least 0, less than 1. */
  next(): number;
  uuid(): string;
}

export const systemRandom: Random = {
  next: () => Math.random(),
  uuid: () => randomUUID(),
};
