/**
 * Which objects have series of their own. Their number is bounded, because a registry of metrics refuses too many series of
 * a metric, and that must not stop the work on an object. While another process leads there are none: it knows more, and
 * what this one knew would stay as it was.
 */

/** Maximum number of objects with series of their own. */
export const measuredMax = 500;

interface Removable<Labels> {
  remove(labels: Labels): void;
}

export class Measured<Labels extends Readonly<Record<string, string>>> {
  readonly #families: readonly Removable<Labels>[];
  readonly #known = new Map<string, Labels>();
  #isPaused = false;

  constructor(families: readonly Removable<Labels>[]) {
    this.#families = families;
  }

  /** Whether series of the object may be set. */
  admits(of: Labels): boolean {
    const key = keyOf(of);
    if (this.#isPaused) return false;
    if (this.#known.has(key)) return true;
    if (this.#known.size >= measuredMax) return false;
    this.#known.set(key, of);
    return true;
  }

  remove(of: Labels): void {
    for (const family of this.#families) family.remove(of);
    this.#known.delete(keyOf(of));
  }

  /** Removes all series, and admits none until `resume`. */
  pause(): void {
    this.#isPaused = true;
    for (const of of [...this.#known.values()]) this.remove(of);
  }

  resume(): void {
    this.#isPaused = false;
  }
}

function keyOf(of: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(of).sort());
}
