/**
 * The commits of a registry: guarded by the fence if there is one, reported to observers, with a failed comparison turned
 * into an error or a conflict.
 */
import { ApiError } from '../api/errors.ts';
import type { ApiObject } from '../api/object.ts';
import type { CommitOutcome, Revision, Store, Write } from '../store/contract.ts';
import { bytesOf, type StoredObject, textOf, written } from './codec.ts';
import type { Fence, WriteObserver } from './contract.ts';
import { fenceKey } from './keys.ts';

export class Writer {
  readonly #store: Pick<Store, 'commit'>;
  readonly #observers: readonly WriteObserver[];
  readonly #fence: Fence | undefined;

  constructor(store: Pick<Store, 'commit'>, observers: readonly WriteObserver[], fence?: Fence) {
    this.#store = store;
    this.#observers = observers;
    this.#fence = fence;
  }

  /** Commits, or returns the key whose comparison failed. Throws `Fenced` if another leader has taken over. */
  async commit(writes: readonly Write[]): Promise<Revision | { readonly conflict: string }> {
    const outcome = await this.#commit(writes);
    if (typeof outcome === 'number') this.#report(outcome, writes);
    return outcome;
  }

  /** Commits one object, with other writes. Returns it with its revision; undefined if the comparison failed. Throws as `commit`. */
  async put<Spec, Status>(
    key: string,
    object: StoredObject<Spec, Status>,
    expected: Revision,
    others: readonly Write[] = [],
  ): Promise<ApiObject<Spec, Status> | undefined> {
    const text = textOf(object);
    const writes: readonly Write[] = [{ type: 'put', key, value: bytesOf(text), expected }, ...others];
    const outcome = await this.#commit(writes);
    if (typeof outcome !== 'number') return undefined;
    const result = written(object, text, outcome);
    this.#report(outcome, writes, result);
    return result;
  }

  async #commit(writes: readonly Write[]): Promise<Revision | { readonly conflict: string }> {
    const fence = this.#fence;
    let outcome: CommitOutcome;
    try {
      outcome = await this.#store.commit(fence ? [guardOf(fence), ...writes] : writes);
    } catch (error) {
      for (const observer of this.#observers) observer.failed?.(error);
      throw error;
    }
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

  #report(revision: Revision, writes: readonly Write[], object?: ApiObject<unknown, unknown>): void {
    if (this.#observers.length === 0) return;
    const keys = writes.flatMap(({ type, key }) => (type === 'check' ? [] : [key]));
    // A commit of checks only has written nothing.
    if (keys.length === 0) return;
    for (const observer of this.#observers) observer.written?.(String(revision), keys, object);
  }
}

function guardOf({ name, epoch }: Fence): Write {
  return { type: 'check', key: fenceKey(name), expected: epoch };
}

/**
 * Raises a fence: every writer with an older epoch is rejected from now on. With `holding`, only if that record is
 * unchanged, so that a candidate that was suspended cannot fence off the current leader. The writer has no fence.
 */
export async function raiseFence(
  writer: Writer,
  name: string,
  holding?: { readonly key: string; readonly revision: Revision },
): Promise<Fence> {
  const check: Write[] = holding ? [{ type: 'check', key: holding.key, expected: holding.revision }] : [];
  const value = new TextEncoder().encode(JSON.stringify({ fence: name }));
  const outcome = await writer.commit([...check, { type: 'put', key: fenceKey(name), value }]);
  if (typeof outcome === 'number') return { name, epoch: outcome };
  throw new ApiError('Conflict', {
    kind: 'Fence',
    name,
    reason: `${outcome.conflict} has changed: another candidate is the leader`,
  });
}
