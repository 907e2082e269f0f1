/**
 * Which services were on the platform when it was last asked, by id. A list may be old and lack one of them; asked for by
 * its id, the platform has to say that it is gone before anybody decides as if it were.
 */

/** Names that are remembered; beyond that the oldest are forgotten, and a list is believed. */
const namesMax = 20_000;

export class KnownIds {
  readonly #ids = new Map<string, ReadonlySet<string>>();

  of(base: string): ReadonlySet<string> {
    return this.#ids.get(base) ?? none;
  }

  /** These are there, whatever else is. */
  add(base: string, ids: Iterable<string>): void {
    const before = this.of(base);
    const all = new Set([...before, ...ids]);
    if (all.size > before.size) this.replace(base, all);
  }

  /** These are there, and no others. */
  replace(base: string, ids: ReadonlySet<string>): void {
    this.#ids.delete(base);
    if (ids.size > 0) this.#ids.set(base, ids);
    if (this.#ids.size <= namesMax) return;
    for (const oldest of this.#ids.keys()) return void this.#ids.delete(oldest);
  }
}

const none: ReadonlySet<string> = new Set();
