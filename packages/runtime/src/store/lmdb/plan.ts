/** What commits come to: decided from what is stored, and nothing is written yet. So a failure here does no harm. */
import type { CommitOutcome, Revision } from '../contract.ts';
import type { Writes } from '../group-commit.ts';
import type { Pointer } from './pointer.ts';
import { type NewRow, revisionOf, rowNumber, sizeOf } from './row.ts';

export interface Plan {
  /** The newest revision when it was made. */
  readonly since: Revision;
  /** The newest once it is carried out; the same if there is nothing to write. */
  readonly revision: Revision;
  readonly rows: readonly PlannedRow[];
  /** Of all rows together. */
  readonly sizeBytes: number;
  readonly pointers: ReadonlyMap<string, Pointer>;
  /** What each commit is answered with once it is carried out. */
  readonly outcomes: readonly CommitOutcome[];
}

export interface PlannedRow extends NewRow {
  readonly number: number;
}

type PointerOf = (key: string) => Pointer | undefined;

const nothing = new Uint8Array(0);

/** Gives each commit a revision of its own. `pointerOf` tells what is stored at the revision `since`. */
export function planCommits(commits: readonly Writes[], since: Revision, pointerOf: PointerOf, timeMs: number): Plan {
  const pointers = new Map<string, Pointer>();
  const rows: PlannedRow[] = [];
  let revision = since;
  let sizeBytes = 0;
  const outcomes = commits.map((writes): CommitOutcome => {
    // What commits before it in the same plan have written comes first.
    const found = writes.map(({ key }) => pointers.get(key) ?? pointerOf(key));
    const failed = failedComparison(writes, found);
    if (failed) return failed;
    const next = revision + 1;
    let position = 0;
    for (const [index, write] of writes.entries()) {
      const pointer = found[index];
      const exists = pointer !== undefined && pointer.created > 0;
      if (write.type === 'check' || (write.type === 'delete' && !exists)) continue;
      const deleted = write.type === 'delete';
      const number = rowNumber(next, position++);
      const created = exists ? pointer.created : next;
      const value = deleted ? nothing : write.value;
      const row = { number, deleted, created, previous: pointer?.row ?? 0, timeMs, key: write.key, value };
      rows.push(row);
      sizeBytes += sizeOf(row);
      pointers.set(write.key, { row: number, created: deleted ? 0 : created });
    }
    if (position > 0) revision = next;
    return { committed: true, revision };
  });
  return { since, revision, rows, sizeBytes, pointers, outcomes };
}

function failedComparison(writes: Writes, found: readonly (Pointer | undefined)[]): CommitOutcome | undefined {
  for (const [index, { key, expected }] of writes.entries()) {
    const pointer = found[index];
    const actual = pointer && pointer.created > 0 ? revisionOf(pointer.row) : 0;
    if (expected !== undefined && actual !== expected) return { committed: false, key, expected, actual };
  }
  return undefined;
}
