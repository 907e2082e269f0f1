/** Commits of single objects: a new one, a changed one, or the removal of one. */
import { ApiError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import { NAMESPACE_DEFAULT } from '../api/metadata.ts';
import type { ApiObject } from '../api/object.ts';
import type { Revision, Store } from '../store/contract.ts';
import { type StoredObject, withRevision } from './codec.ts';
import { WriteConflict } from './conflict.ts';
import type { WriteOptions } from './contract.ts';
import { keyOf } from './keys.ts';
import * as rules from './rules.ts';
import type { Writer } from './writer.ts';

export interface Current<Spec, Status> {
  readonly stored: StoredObject<Spec, Status>;
  readonly revision: Revision;
}

type Options = Pick<WriteOptions, 'dryRun'>;

export class ObjectWriter<Spec, Status> {
  readonly #kind: Kind<Spec, Status>;
  readonly #store: Pick<Store, 'get'>;
  readonly #writer: Writer;

  constructor(
    kind: Kind<Spec, Status>,
    { store, writer }: { readonly store: Pick<Store, 'get'>; readonly writer: Writer },
  ) {
    this.#kind = kind;
    this.#store = store;
    this.#writer = writer;
  }

  /** Throws `AlreadyExists`. */
  async insert(next: StoredObject<Spec, Status>, options: Options): Promise<ApiObject<Spec, Status>> {
    const { name } = next.metadata;
    const key = this.#key(next);
    const exists = () => new ApiError('AlreadyExists', { kind: this.#kind.kind, name });
    if (options.dryRun) {
      if (await this.#store.get(key)) throw exists();
      return withRevision(next, 0);
    }
    const object = await this.#writer.put(key, next, 0);
    if (object === undefined) throw exists();
    return object;
  }

  /** Returns the object; writes nothing if it is the stored one. Throws `WriteConflict`. */
  async replace(
    { stored, revision }: Current<Spec, Status>,
    next: StoredObject<Spec, Status>,
    options: Options,
  ): Promise<ApiObject<Spec, Status>> {
    if (next === stored || options.dryRun) return withRevision(next, revision);
    if (rules.isFinished(next)) return this.remove({ stored: next, revision }, options);
    const object = await this.#writer.put(this.#key(next), next, revision);
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

  #key({ metadata: { namespace, name } }: StoredObject<Spec, Status>): string {
    return keyOf(this.#kind, namespace ?? NAMESPACE_DEFAULT, name);
  }
}
