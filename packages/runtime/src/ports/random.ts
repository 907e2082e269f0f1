import { randomUUID } from 'node:crypto';

/** Chance, as a port. A simulation replaces it with a seeded one, so that every run can be repeated. */
export interface Random {
  /** At least 0, less than 1. */
  next(): number;
  uuid(): string;
}

export const systemRandom: Random = {
  next: () => Math.random(),
  uuid: () => randomUUID(),
};
