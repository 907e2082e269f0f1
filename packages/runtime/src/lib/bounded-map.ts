/** A map of at most `max` entries: setting one more evicts the entry that was set first. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;
  readonly #evicted: ((key: K, value: V) => void) | undefined;

  /** `evicted` is called after an entry was evicted; not for `delete` and `clear`. */
  constructor(max: number, evicted?: (key: K, value: V) => void) {
    super();
    this.#max = max;
    this.#evicted = evicted;
  }

  /** The entry becomes the newest, even if the key was already set. */
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
