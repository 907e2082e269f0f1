/**
 * Which services were on the platform when it was last asked, by id. A list may be old and lack one of them; asked for by
 * its id, the platform has to say that it is gone before anybody decides as if it were.
 */
import { BoundedMap } from '@ecsm/runtime';

/** Names that are remembered; beyond that the oldest are forgotten, and a list is believed. */
const namesMax = 20_000;

export class KnownIds {
  readonly #ids = new BoundedMap<string, ReadonlySet<string>>(namesMax);

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
    if (ids.size > 0) this.#ids.set(base, ids);
    else this.#ids.delete(base);
  }
}

const none: ReadonlySet<string> = new Set();
