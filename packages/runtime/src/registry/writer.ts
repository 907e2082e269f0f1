/**
 * The commits of a registry: guarded by the fence if there is one, with a failed comparison turned into an error or a
 * conflict.
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

  /** Commits, or returns the key whose comparison failed. Throws `Fenced` if another leader has taken over. */
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
 * Raises a fence: every writer with an older epoch is rejected from now on. With `holding`, only if that record is
 * unchanged, so that a candidate that was suspended cannot fence off the current leader.
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
    reason: `${outcome.key} has changed: another candidate is the leader`,
  });
}
