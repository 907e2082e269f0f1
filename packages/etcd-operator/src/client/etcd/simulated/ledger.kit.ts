/** Which writes were acknowledged to a client, to find those that are lost later. Values of a key have to be unique. */
interface Writes {
  /** In the order in which they were attempted. */
  readonly values: string[];
  /** The position of the last one that was acknowledged. */
  acknowledged: number;
}

export class Ledger {
  readonly #scopes = new Map<string, Map<string, Writes>>();

  attempt(scope: string, key: string, value: string): void {
    this.#writes(scope, key).values.push(value);
  }

  acknowledge(scope: string, key: string, value: string): void {
    const writes = this.#writes(scope, key);
    writes.acknowledged = Math.max(writes.acknowledged, writes.values.lastIndexOf(value));
  }

  /** The last acknowledged value by key. */
  acknowledged(scope: string): ReadonlyMap<string, string> {
    const result = new Map<string, string>();
    for (const [key, { values, acknowledged }] of this.#scopes.get(scope) ?? []) {
      const value = values[acknowledged];
      if (value !== undefined) result.set(key, value);
    }
    return result;
  }

  /** The keys whose present value is older than the one that was acknowledged, or that are absent. */
  lost(scope: string, read: (key: string) => string | undefined): readonly string[] {
    return [...(this.#scopes.get(scope) ?? [])]
      .filter(([key, { values, acknowledged }]) => {
        const present = read(key);
        return acknowledged >= 0 && (present === undefined || values.lastIndexOf(present) < acknowledged);
      })
      .map(([key]) => key);
  }

  #writes(scope: string, key: string): Writes {
    const keys = this.#scopes.get(scope) ?? new Map<string, Writes>();
    this.#scopes.set(scope, keys);
    const writes = keys.get(key) ?? { values: [], acknowledged: -1 };
    keys.set(key, writes);
    return writes;
  }
}
