/** Commits of single objects: a new one, a changed one, or the removal of one. */
import { ApiError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import { NAMESPACE_DEFAULT } from '../api/metadata.ts';
import type { ApiObject } from '../api/object.ts';
import type { EntryPage, Revision, Store, Write } from '../store/contract.ts';
import { bytesOf, type StoredObject, withRevision } from './codec.ts';
import { WriteConflict } from './conflict.ts';
import type { WriteOptions } from './contract.ts';
import { isClaim, refuseSecond } from './exclusive.ts';
import { fenceKey, keyOf, prefixOf } from './keys.ts';
import * as rules from './rules.ts';
import type { Writer } from './writer.ts';

export interface Current<Spec, Status> {
  readonly stored: StoredObject<Spec, Status>;
  readonly revision: Revision;
}

type Options = Pick<WriteOptions, 'dryRun'>;
type Reads = Pick<Store, 'get' | 'list'>;

/** Attempts of a creation that sets an exclusive field while others set it too. */
const claimsMax = 5;

export class ObjectWriter<Spec, Status> {
  readonly #kind: Kind<Spec, Status>;
  readonly #store: Reads;
  readonly #writer: Writer;

  constructor(kind: Kind<Spec, Status>, { store, writer }: { readonly store: Reads; readonly writer: Writer }) {
    this.#kind = kind;
    this.#store = store;
    this.#writer = writer;
  }

  /** Throws `AlreadyExists`. */
  async insert(next: StoredObject<Spec, Status>, options: Options): Promise<ApiObject<Spec, Status>> {
    const { name } = next.metadata;
    const key = this.#key(next);
    const exists = () => new ApiError('AlreadyExists', { kind: this.#kind.kind, name });
    for (let attempt = 1; attempt <= claimsMax; attempt++) {
      const claim = await this.#claim(key, undefined, next);
      if (options.dryRun) {
        if (await this.#store.get(key)) throw exists();
        return withRevision(next, 0);
      }
      const object = await this.#writer.put(key, next, 0, claim);
      if (object !== undefined) return object;
      if (claim.length === 0 || (await this.#store.get(key))) throw exists();
    }
    throw new WriteConflict(this.#kind.kind, name);
  }

  /** Returns the object; writes nothing if it is the stored one. Throws `WriteConflict`. */
  async replace(
    { stored, revision }: Current<Spec, Status>,
    next: StoredObject<Spec, Status>,
    options: Options,
  ): Promise<ApiObject<Spec, Status>> {
    if (next === stored) return withRevision(next, revision);
    const claim = await this.#claim(this.#key(next), stored, next);
    if (options.dryRun) return withRevision(next, revision);
    if (rules.isFinished(next)) return this.remove({ stored: next, revision }, options);
    const object = await this.#writer.put(this.#key(next), next, revision, claim);
    if (object === undefined) throw new WriteConflict(this.#kind.kind, next.metadata.name);
    return object;
  }

  /** Throws `WriteConflict`. */
  async remove({ stored, revision }: Current<Spec, Status>, options: Options): Promise<ApiObject<Spec, Status>> {
    if (!options.dryRun) {
      const outcome = await this.#writer.commit([{ type: 'delete', key: this.#key(stored), expected: revision }]);
      if (typeof outcome !== 'number') throw new WriteConflict(this.#kind.kind, stored.metadata.name);
    }
    return withRevision(stored, revision);
  }

  /**
   * Throws `Invalid` if another object has the exclusive field that this write sets. Returns a write of a record that
   * changes with each such write: of two at the same time, which do not see each other, one fails.
   */
  async #claim(
    key: string,
    before: StoredObject<Spec, Status> | undefined,
    next: StoredObject<Spec, Status>,
  ): Promise<readonly Write[]> {
    if (!isClaim(this.#kind, before, next)) return [];
    const record = fenceKey(`exclusive.${this.#kind.plural}`);
    const expected = (await this.#store.get(record))?.revision ?? 0;
    const prefix = prefixOf(this.#kind);
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page: EntryPage = await this.#store.list(prefix, after === '' ? {} : { after });
      refuseSecond(this.#kind, key, page.entries);
      after = page.next;
    }
    return [{ type: 'put', key: record, value: bytesOf(JSON.stringify({ key })), expected }];
  }

  #key({ metadata: { namespace, name } }: StoredObject<Spec, Status>): string {
    return keyOf(this.#kind, namespace ?? NAMESPACE_DEFAULT, name);
  }
}
