/**
 * The state of an informer: the last observed version of each key. Compared with an event or a list, it yields the
 * changes.
 */
import type { Registry, VersionBatch, VersionPage } from '../registry/contract.ts';

export interface Change {
  readonly type: 'added' | 'updated' | 'deleted';
  /** The key of the object; `registry.locate` returns its kind, namespace and name. */
  readonly key: string;
  /** The version of the change; of a deletion found by a list, that of the list. */
  readonly version: string;
  /** Found by comparison with a list, not reported by an event. */
  readonly relisted: boolean;
  /** Found by the first list. */
  readonly initial: boolean;
}

export class Versions {
  /** Version and identity of each key in one string, to save memory: there may be 100,000 keys. */
  readonly #known = new Map<string, string>();
  readonly #isNewer: Registry['isNewer'];

  constructor(isNewer: Registry['isNewer']) {
    this.#isNewer = isNewer;
  }

  get size(): number {
    return this.#known.size;
  }

  versionOf(key: string): string | undefined {
    const known = this.#known.get(key);
    return known === undefined ? undefined : unpack(known).version;
  }

  *entries(): Generator<[key: string, version: string]> {
    for (const [key, known] of this.#known) yield [key, unpack(known).version];
  }

  /** The changes of a batch. A duplicate event changes nothing. */
  *observe({ resourceVersion: version, changes }: VersionBatch): Generator<Change> {
    for (const change of changes) {
      const { key } = change;
      const known = this.versionOf(key);
      if (known !== undefined && !this.#isNewer(version, known)) continue;
      if (change.type === 'put') {
        yield* this.#put(key, version, change.identity, { relisted: false, initial: false });
      } else if (this.#known.delete(key)) {
        yield { type: 'deleted', key, version, relisted: false, initial: false };
      }
    }
  }

  /**
   * The changes of a full list, given as pages of one version. No batch may be observed between the pages: the list is
   * then the newest state, and a known key that it does not contain was deleted.
   */
  *compare(pages: readonly VersionPage[], initial: boolean): Generator<Change> {
    const listed = new Set<string>();
    for (const page of pages) {
      for (const [index, key] of page.keys.entries()) {
        listed.add(key);
        const [version, identity] = [page.version(index), page.identity(index)];
        if (this.#known.get(key) === pack(version, identity)) continue;
        yield* this.#put(key, version, identity, { relisted: true, initial });
      }
    }
    const version = pages.at(-1)?.resourceVersion ?? '';
    for (const key of this.#known.keys()) {
      if (listed.has(key)) continue;
      this.#known.delete(key);
      yield { type: 'deleted', key, version, relisted: true, initial: false };
    }
  }

  *#put(key: string, version: string, identity: string, how: Pick<Change, 'relisted' | 'initial'>): Generator<Change> {
    const packed = this.#known.get(key);
    const known = packed === undefined ? undefined : unpack(packed);
    this.#known.set(key, pack(version, identity));
    // The known object was deleted, and this is another one of the same name. An older version comes from a restored
    // registry, whose identities cannot be compared with those from before.
    const isAnother = known !== undefined && known.identity !== identity && this.#isNewer(version, known.version);
    if (isAnother) yield { type: 'deleted', key, version, ...how };
    yield { type: known === undefined || isAnother ? 'added' : 'updated', key, version, ...how };
  }
}

/** A concatenated string would keep its parts alive; `join` creates a flat one. */
function pack(version: string, identity: string): string {
  return version === identity ? version : [version, identity].join(' ');
}

function unpack(known: string): { readonly version: string; readonly identity: string } {
  const space = known.indexOf(' ');
  return space < 0
    ? { version: known, identity: known }
    : { version: known.slice(0, space), identity: known.slice(space + 1) };
}
