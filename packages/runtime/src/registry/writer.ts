/**
 * How a registry writes: one commit, guarded by the fence if the registry has one, and a failed comparison turned into
 * the error that the caller understands.
 */
import { ApiError } from '../api/errors.ts';
import type { Revision, Store, Write } from '../store/contract.ts';
import type { Fence } from './contract.ts';
import { fenceKey } from './keys.ts';

export class Writer {
  readonly #store: Pick<Store, 'commit'>;
  readonly #fence: Fence | undefined;

  constructor(store: Pick<Store, 'commit'>, fence?: Fence) {
    this.#store = store;
    this.#fence = fence;
  }

  /** Commits, or answers with the write whose comparison failed. Throws `Fenced` if another leader has taken over. */
  async commit(writes: readonly Write[]): Promise<Revision | { readonly conflict: string }> {
    const fence = this.#fence;
    const guard: Write[] = fence ? [{ type: 'check', key: fenceKey(fence.name), expected: fence.epoch }] : [];
    const outcome = await this.#store.commit([...guard, ...writes]);
    if (outcome.committed) return outcome.revision;
    if (fence && outcome.key === fenceKey(fence.name)) {
      throw new ApiError('Fenced', { fence: fence.name, epoch: fence.epoch });
    }
    return { conflict: outcome.key };
  }

  /** Throws `Fenced` if another leader has taken over. Writes nothing. */
  async check(): Promise<void> {
    if (this.#fence) await this.commit([]);
  }
}

/**
 * Raises a fence: every writer that holds an older epoch of it is refused from now on. With `holding`, only while that
 * record is unchanged, so that a candidate that was asleep cannot shut out the one that leads by now.
 */
export async function raiseFence(
  store: Pick<Store, 'commit'>,
  name: string,
  holding?: { readonly key: string; readonly revision: Revision },
): Promise<Fence> {
  const check: Write[] = holding ? [{ type: 'check', key: holding.key, expected: holding.revision }] : [];
  const value = new TextEncoder().encode(JSON.stringify({ fence: name }));
  const outcome = await store.commit([...check, { type: 'put', key: fenceKey(name), value }]);
  if (outcome.committed) return { name, epoch: outcome.revision };
  throw new ApiError('Conflict', {
    kind: 'Fence',
    name,
    reason: `${outcome.key} has changed: somebody else leads now`,
  });
}
