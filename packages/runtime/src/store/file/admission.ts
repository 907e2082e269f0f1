/** Converts an edit to a write of the store: inside a transaction, before anything is written. */
import { ApiError } from '../../api/errors.ts';
import type { JsonValue } from '../../api/json.ts';
import { deepEqual } from '../../api/merge.ts';
import { type EntryPage, limits, type Write } from '../contract.ts';
import type { Tables } from '../sqlite/tables.ts';
import type { Edit } from './edit-reader.ts';
import { parseValue } from './format.ts';
import type { Row } from './mirror.ts';

/**
 * Accepts or refuses a manual edit. `data` is the content of the file, undefined if the file was removed; `previous` is
 * the stored value, undefined if there is none. Returns the value to store, as JSON, or undefined to delete the object;
 * the file is then rewritten to match. An error refuses the edit: its message is reported as the problem of that file,
 * and the previous value stays.
 *
 * It runs inside a transaction, so it must be fast, and may be called again for the same edit.
 */
export type Admission = (
  key: string,
  data: unknown | undefined,
  previous: Uint8Array | undefined,
  entriesBelow: EntriesBelow,
) => Uint8Array | undefined;

/** The values below a prefix, as they are after the edits that were accepted before. */
type EntriesBelow = (prefix: string) => Iterable<{ readonly key: string; readonly value: Uint8Array }>;

/** Accepts every edit unchanged. */
export const admitAll: Admission = (_key, data) =>
  data === undefined ? undefined : new TextEncoder().encode(JSON.stringify(data));

interface EditResult {
  /** Absent if the edit changes no value. */
  readonly write?: Write;
  /** The new row of the mirror; undefined if there is no file and none is needed. */
  readonly row: Row | undefined;
}

export type Content = Extract<Edit, { is: 'written' | 'removed' }>;

/** Throws what the admission throws. */
export function evaluate(
  admit: Admission,
  tables: Tables,
  key: string,
  edit: Content,
  row: Row | undefined,
  planned: readonly Write[] = [],
): EditResult {
  const previous = tables.get(key, undefined)?.value;
  const data = edit.is === 'written' ? edit.data : undefined;
  // The object is deleted and so is its file: there is nothing to decide.
  if (data === undefined && previous === undefined) return { row: undefined };
  const file =
    edit.is === 'written'
      ? { extension: edit.observed.extension, hash: edit.hash, stat: edit.observed.stat }
      : { extension: row?.extension ?? 'json', hash: '', stat: '' };
  const before = previous && storedValue(previous);
  // The store's own file, after a crash or a failed flush: the row of the mirror is older.
  if (data !== undefined && deepEqual(data, before)) return { row: { ...file, pending: false } };
  const admitted = admit(key, data, previous, (prefix) => entriesAfter(tables, prefix, planned));
  if (admitted === undefined) {
    return {
      ...(previous === undefined ? {} : { write: { type: 'delete', key } }),
      row: edit.is === 'written' ? { ...file, pending: true } : undefined,
    };
  }
  if (admitted.byteLength > limits.commitBytesMax) {
    const sizeBytes = admitted.byteLength;
    throw new ApiError('TooLarge', { what: 'the object', sizeBytes, limitBytes: limits.commitBytesMax });
  }
  const value = parseValue(admitted);
  const isChanged = before === undefined || !deepEqual(value, before);
  return {
    ...(isChanged ? { write: { type: 'put', key, value: admitted } } : {}),
    row: { ...file, pending: data === undefined || !deepEqual(value, data) },
  };
}

function* entriesAfter(tables: Tables, prefix: string, planned: readonly Write[]) {
  const changed = new Set(planned.map(({ key }) => key));
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: EntryPage = tables.list(prefix, after === '' ? {} : { after });
    for (const entry of page.entries) if (!changed.has(entry.key)) yield entry;
    after = page.next;
  }
  for (const write of planned) if (write.type === 'put' && write.key.startsWith(prefix)) yield write;
}

/** Commits check values, so this parses; a value that does not parse is different from every other. */
function storedValue(bytes: Uint8Array): JsonValue | undefined {
  try {
    return parseValue(bytes);
  } catch {
    return undefined;
  }
}

/** Splits the edits of one scan into commits within the limits of every store. */
export function intoCommits(writes: readonly Write[]): Write[][] {
  const commits: Write[][] = [];
  let sizeBytes = Number.POSITIVE_INFINITY;
  for (const write of writes) {
    const bytes = write.type === 'put' ? write.value.byteLength : 0;
    sizeBytes += bytes;
    const last = commits.at(-1);
    if (last !== undefined && sizeBytes <= limits.commitBytesMax && last.length < limits.commitWritesMax) {
      last.push(write);
    } else {
      commits.push([write]);
      sizeBytes = bytes;
    }
  }
  return commits;
}
