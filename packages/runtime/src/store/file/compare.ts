/** Compares the directory listing with the rows of the mirror. No file is read. */
import type { Refusal } from './edit-reader.ts';
import type { Row } from './mirror.ts';
import type { Finding } from './problems.ts';
import type { Found, Tree } from './walk.ts';

interface Comparison {
  /** Keys whose files may have been edited, in order. */
  readonly suspects: readonly string[];
  /** Keys whose files are unedited but do not have the newest value. */
  readonly pending: readonly string[];
  readonly findings: readonly Finding[];
  /** The files refused before that have not changed since. */
  readonly refused: ReadonlyMap<string, Refusal>;
}

/** `refusedBefore` are refused again without being read, as long as they do not change. */
export function compare(
  tree: Tree,
  rows: Iterable<{ readonly key: string; readonly value: Row }>,
  refusedBefore: ReadonlyMap<string, Refusal>,
): Comparison {
  const suspects: string[] = [];
  const pending: string[] = [];
  const findings: Finding[] = [...tree.findings];
  const refused = new Map<string, Refusal>();
  const unknown = new Set(tree.files.keys());
  const suspect = (key: string, found: readonly Found[]) => {
    const refusal = refusedBefore.get(key);
    if (refusal !== undefined && found.length < 2 && (found[0]?.stat ?? '') === refusal.stat) {
      refused.set(key, refusal);
      findings.push({ file: refusal.file, key, reason: refusal.reason });
    } else {
      suspects.push(key);
    }
  };
  for (const { key, value: row } of rows) {
    unknown.delete(key);
    const found = tree.files.get(key) ?? [];
    const own = found.find(({ extension }) => extension === row.extension);
    if (own === undefined ? found.length > 0 || row.stat !== '' : own.stat !== row.stat) suspect(key, found);
    else if (row.pending) pending.push(key);
    if (own === undefined) continue;
    for (const { file } of found) {
      if (file !== own.file)
        findings.push({ file, key, reason: `${own.file} is for the same object: remove one of them` });
    }
  }
  for (const key of unknown) suspect(key, tree.files.get(key) ?? []);
  return { suspects: suspects.sort(), pending, findings, refused };
}

/** Splits keys into portions whose files fit in memory together. */
export function portions(keys: readonly string[], tree: Tree, countMax: number, bytesMax: number): string[][] {
  const result: string[][] = [];
  let sizeBytes = Number.POSITIVE_INFINITY;
  for (const key of keys) {
    const bytes = tree.files.get(key)?.[0]?.sizeBytes ?? 0;
    sizeBytes += bytes;
    const last = result.at(-1);
    if (last !== undefined && sizeBytes <= bytesMax && last.length < countMax) {
      last.push(key);
    } else {
      result.push([key]);
      sizeBytes = bytes;
    }
  }
  return result;
}
