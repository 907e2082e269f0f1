/** Counts the records of a store by kind. The kind is derived from the key, so unknown kinds count too. */

export interface KindCount {
  /** `group/version/plural` of objects; the first segment of the key of other records, such as `fences`. */
  readonly prefix: string;
  readonly objects: number;
  /** Of values. */
  readonly bytes: number;
}

/** Without the namespace if the kind is cluster-scoped. */
const objectKey = /^([^/]+\/[^/]+\/[^/]+)\/[^/]+(?:\/[^/]+)?$/u;

/** Maximum kinds listed in a message; a store with other data may have thousands. */
const namedKindsMax = 8;

export class KindCounter {
  objects = 0;
  bytes = 0;
  readonly #kinds = new Map<string, { objects: number; bytes: number }>();
  readonly #others = new Map<string, { objects: number; bytes: number }>();

  add(key: string, bytes = 0): void {
    const prefix = objectKey.exec(key)?.[1];
    const counts = prefix === undefined ? this.#others : this.#kinds;
    const name = prefix ?? key.split('/', 1)[0] ?? '';
    const before = counts.get(name);
    counts.set(name, { objects: (before?.objects ?? 0) + 1, bytes: (before?.bytes ?? 0) + bytes });
    this.objects++;
    this.bytes += bytes;
  }

  /** Objects, by kind, sorted. */
  get kinds(): KindCount[] {
    return sorted(this.#kinds);
  }

  /** Records that are not objects. */
  get others(): KindCount[] {
    return sorted(this.#others);
  }

  /** `12 objects (10 ecsm.sh/v1/ecsmservices, 2 fences)` */
  describe(): string {
    const counts = [...this.kinds, ...this.others];
    const named = counts.slice(0, namedKindsMax).map(({ prefix, objects }) => `${objects} ${prefix}`);
    const more = counts.length > namedKindsMax ? [`${counts.length - namedKindsMax} more kinds`] : [];
    return `${this.objects} ${this.objects === 1 ? 'object' : 'objects'} (${[...named, ...more].join(', ')})`;
  }
}

function sorted(counts: ReadonlyMap<string, { objects: number; bytes: number }>): KindCount[] {
  return [...counts]
    .map(([prefix, count]) => ({ prefix, ...count }))
    .sort((a, b) => (a.prefix < b.prefix ? -1 : a.prefix > b.prefix ? 1 : 0));
}
