/** Computes what commits write, from what is stored. Writes nothing. */
import type { CommitOutcome, Revision } from '../contract.ts';
import type { Writes } from '../group-commit.ts';
import { type Pointer, type Row, revisionOf, rowNumber } from './row.ts';

export interface Plan {
  /** The newest revision when the plan was computed. */
  readonly since: Revision;
  /** The newest revision after the plan; equal to `since` if there is nothing to write. */
  readonly revision: Revision;
  readonly rows: readonly Row[];
  readonly pointers: ReadonlyMap<string, Pointer>;
  /** The outcome of each commit, valid once the plan is written. */
  readonly outcomes: readonly CommitOutcome[];
}

type PointerOf = (key: string) => Pointer | undefined;

/** Gives each commit a revision of its own. `pointerOf` returns what is stored at the revision `since`. */
export function planCommits(commits: readonly Writes[], since: Revision, pointerOf: PointerOf, timeMs: number): Plan {
  const pointers = new Map<string, Pointer>();
  const rows: Row[] = [];
  let revision = since;
  const outcomes = commits.map((writes): CommitOutcome => {
    // Earlier commits of the same plan come first.
    const found = writes.map(({ key }) => pointers.get(key) ?? pointerOf(key));
    const failed = failedComparison(writes, found);
    if (failed) return failed;
    const next = revision + 1;
    let position = 0;
    for (const [index, write] of writes.entries()) {
      const pointer = found[index];
      const exists = pointer !== undefined && pointer.created > 0;
      if (write.type === 'check' || (write.type === 'delete' && !exists)) continue;
      const number = rowNumber(next, position++);
      const created = exists ? pointer.created : next;
      const value = write.type === 'put' ? write.value : undefined;
      rows.push({ number, key: write.key, created, previous: pointer?.row ?? 0, timeMs, value });
      pointers.set(write.key, { row: number, created: value === undefined ? 0 : created });
    }
    if (position > 0) revision = next;
    return { committed: true, revision };
  });
  return { since, revision, rows, pointers, outcomes };
}

function failedComparison(writes: Writes, found: readonly (Pointer | undefined)[]): CommitOutcome | undefined {
  for (const [index, { key, expected }] of writes.entries()) {
    const pointer = found[index];
    const actual = pointer && pointer.created > 0 ? revisionOf(pointer.row) : 0;
    if (expected !== undefined && actual !== expected) return { committed: false, key, expected, actual };
  }
  return undefined;
}
