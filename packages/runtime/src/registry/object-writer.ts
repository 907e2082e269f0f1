/** Commits of single objects: a new one, a changed one, or the removal of one. */
import { ApiError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import { NAMESPACE_DEFAULT } from '../api/metadata.ts';
import type { ApiObject } from '../api/object.ts';
import type { Revision, Store, Write } from '../store/contract.ts';
import { bytesOf, type StoredObject, textOf, withRevision, written } from './codec.ts';
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
    const text = textOf(next);
    const outcome = await this.#writer.commit([{ type: 'put', key, value: bytesOf(text), expected: 0 }], next);
    if (typeof outcome !== 'number') throw exists();
    return written(next, text, outcome);
  }

  /** Returns the object; writes nothing if it is the stored one. Throws `WriteConflict`. */
  async replace(
    { stored, revision }: Current<Spec, Status>,
    next: StoredObject<Spec, Status>,
    options: Options,
  ): Promise<ApiObject<Spec, Status>> {
    if (next === stored || options.dryRun) return withRevision(next, revision);
    if (rules.isFinished(next)) return this.remove({ stored: next, revision }, options);
    const { name } = next.metadata;
    const key = this.#key(next);
    const text = textOf(next);
    const put: Write = { type: 'put', key, value: bytesOf(text), expected: revision };
    return written(next, text, await this.#commit(name, put, next));
  }

  /** Throws `WriteConflict`. */
  async remove({ stored, revision }: Current<Spec, Status>, options: Options): Promise<ApiObject<Spec, Status>> {
    const { name } = stored.metadata;
    if (!options.dryRun) await this.#commit(name, { type: 'delete', key: this.#key(stored), expected: revision });
    return withRevision(stored, revision);
  }

  async #commit(name: string, write: Write, next?: StoredObject<Spec, Status>): Promise<Revision> {
    const outcome = await this.#writer.commit([write], next);
    if (typeof outcome === 'number') return outcome;
    throw new WriteConflict(this.#kind.kind, name);
  }

  #key({ metadata: { namespace, name } }: StoredObject<Spec, Status>): string {
    return keyOf(this.#kind, namespace ?? NAMESPACE_DEFAULT, name);
  }
}
