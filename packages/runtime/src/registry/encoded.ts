/** Objects as JSON text. Their stored form is JSON, so they are not decoded, and not encoded again after a write. */
import { ApiError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import { NAMESPACE_DEFAULT } from '../api/metadata.ts';
import type { ApiObject } from '../api/object.ts';
import type { Store } from '../store/contract.ts';
import { textWithRevision, writtenText } from './codec.ts';
import type { EncodedList, EncodedResource, ListOptions, Namespaced } from './contract.ts';
import { keyOf } from './keys.ts';
import { listEncoded } from './list.ts';

export class EmbeddedEncodedResource implements EncodedResource {
  readonly #kind: Kind;
  readonly #store: Store;

  constructor(kind: Kind, store: Store) {
    this.#kind = kind;
    this.#store = store;
  }

  async get(name: string, { namespace = NAMESPACE_DEFAULT }: Namespaced = {}): Promise<string> {
    const key = keyOf(this.#kind, namespace, name);
    const entry = await this.#store.get(key);
    if (!entry) throw new ApiError('NotFound', { kind: this.#kind.kind, name });
    return textWithRevision(this.#kind, key, entry.value, entry.revision);
  }

  list(options: ListOptions = {}): Promise<EncodedList> {
    return listEncoded(this.#store, this.#kind, options);
  }

  written(object: ApiObject<unknown, unknown>): string | undefined {
    return writtenText(this.#kind, object);
  }
}
