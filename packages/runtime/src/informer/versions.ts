/**
 * What an informer remembers: for each key the version that it last saw, and nothing else. From that and what comes in,
 * by event or by list, it derives exactly what changed. It knows no time and no registry.
 */
import type { Registry, VersionBatch, VersionPage } from '../registry/contract.ts';

export interface Change {
  readonly type: 'added' | 'updated' | 'deleted';
  /** The key of the object; `registry.locate` says which one it is. */
  readonly key: string;
  /** The version of the change; of a deletion found by a list, that of the list. */
  readonly version: string;
  /** Found by comparing a list with what was known, not reported by an event. */
  readonly relisted: boolean;
  /** Was there before the first list. */
  readonly initial: boolean;
}

export class Versions {
  /** Version and identity in one string for each key: there may be a hundred thousand of them. */
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

  /** What a batch changes. An event that comes twice changes nothing the second time. */
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
   * What a whole list changes, given in pages of one version. No batch may be observed in between: the list is then the
   * newest state, and what is known but not in it is gone.
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
    // The object that we knew is gone, and this is another one of the same name. An older version comes from a registry
    // that was restored: its identities cannot be compared with those from before.
    const isAnother = known !== undefined && known.identity !== identity && this.#isNewer(version, known.version);
    if (isAnother) yield { type: 'deleted', key, version, ...how };
    yield { type: known === undefined || isAnother ? 'added' : 'updated', key, version, ...how };
  }
}

/** A string that is not flat would keep its parts alive; `join` makes a flat one. */
function pack(version: string, identity: string): string {
  return version === identity ? version : [version, identity].join(' ');
}

function unpack(known: string): { readonly version: string; readonly identity: string } {
  const space = known.indexOf(' ');
  return space < 0
    ? { version: known, identity: known }
    : { version: known.slice(0, space), identity: known.slice(space + 1) };
}
