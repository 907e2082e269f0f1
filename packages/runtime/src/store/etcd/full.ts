/**
 * Finds out whether a commit that failed for lack of space was applied. etcd checks its quota twice: before it proposes
 * a commit, where a refusal is final, and again when it applies it, where it writes first and still reports "no space".
 * The messages are equal, so the keys have to be read. `StorageFull` guarantees that nothing was written.
 */
import type { Revision, Write } from '../contract.ts';
import type { TransactionAnswer } from './answers.ts';
import { malformed } from './errors.ts';
import { stringAt } from './json.ts';
import type { Keyspace } from './keyspace.ts';
import { bytesToBase64, revisionOf } from './transaction.ts';

type Verdict =
  | { readonly type: 'committed'; readonly revision: Revision }
  | { readonly type: 'refused' }
  /** Another writer has written the keys since. */
  | { readonly type: 'unknown' };

/** Reads the written keys, all at one revision. */
export function inspectionOf(writes: readonly Write[], keyspace: Keyspace): object {
  return { success: effectsOf(writes).map(({ key }) => ({ request_range: { key: keyspace.encode(key) } })) };
}

/** `before` is a revision that the store had reached before the commit was sent: the commit's own is higher. */
export function verdictOf(writes: readonly Write[], before: Revision, answer: TransactionAnswer): Verdict {
  const effects = effectsOf(writes);
  if (answer.ranges.length !== effects.length) throw malformed('not all of the requested keys');
  const revisions = answer.ranges.map(revisionOf);
  if (revisions.some((revision) => revision > before)) {
    const revision = Math.max(...revisions);
    const holds = effects.every((write, index) =>
      write.type === 'put'
        ? revisions[index] === revision && stringAt(answer.ranges[index] ?? {}, 'value') === bytesToBase64(write.value)
        : revisions[index] === 0,
    );
    return holds ? { type: 'committed', revision } : { type: 'unknown' };
  }
  // An applied delete cannot be distinguished from a refused one; a put would have left a newer revision.
  const silent = effects.every((write, index) => write.type === 'delete' && revisions[index] === 0);
  return { type: silent ? 'unknown' : 'refused' };
}

function effectsOf(writes: readonly Write[]): readonly Exclude<Write, { readonly type: 'check' }>[] {
  return writes.filter((write) => write.type !== 'check');
}
