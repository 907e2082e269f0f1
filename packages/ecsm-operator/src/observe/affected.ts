/** The owners that a poll has to wake. */
import { basesOf } from '../resource/naming.ts';

/** Owners to wake, by base, each once. */
export class Affected {
  readonly #wake: (bases: readonly string[]) => void;
  readonly #bases = new Set<string>();

  constructor(wake: (bases: readonly string[]) => void) {
    this.#wake = wake;
  }

  add(base: string): void {
    this.#bases.add(base);
  }

  /** All who may have given a service on the platform this name. */
  addOwnersOf(name: string): void {
    for (const base of basesOf(name)) this.add(base);
  }

  wake(): void {
    const bases = [...this.#bases];
    this.#bases.clear();
    this.#wake(bases);
  }
}
