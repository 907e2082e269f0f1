/** A map that holds at most `max` entries: a new one beyond that evicts the one that was set first. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;
  readonly #evicted: ((key: K, value: V) => void) | undefined;

  /** `evicted` is called after an entry was removed to make room; not for `delete` and `clear`. */
  constructor(max: number, evicted?: (key: K, value: V) => void) {
    super();
    this.#max = max;
    this.#evicted = evicted;
  }

  /** The entry becomes the newest, also if the key was there. */
  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    const [oldest] = this.size > this.#max ? this : [];
    if (oldest !== undefined) {
      this.delete(oldest[0]);
      this.#evicted?.(...oldest);
    }
    return this;
  }
}
