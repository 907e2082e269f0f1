/** Turns an edit into what it means for the store: inside a transaction, before anything is written. */
import { ApiError } from '../../api/errors.ts';
import type { JsonValue } from '../../api/json.ts';
import { deepEqual } from '../../api/merge.ts';
import { limits, type Write } from '../contract.ts';
import type { Tables } from '../sqlite/tables.ts';
import { parseValue } from './format.ts';
import type { Edit } from './look.ts';
import type { Row } from './mirror.ts';

/**
 * Decides about an edit by hand. `data` is what the file says, undefined if the file was removed; `previous` is the
 * stored value, undefined if there is none. The answer is the value to store, as JSON, or undefined to delete the
 * object; the file is then made to say the same. An error refuses the edit: its message is reported as the problem of
 * that file, and the value before goes on being served.
 *
 * It runs inside a transaction, so it must be quick, and may be called again for the same edit.
 */
export type Admission = (
  key: string,
  data: unknown | undefined,
  previous: Uint8Array | undefined,
) => Uint8Array | undefined;

/** Takes every edit as it is. */
export const admitAll: Admission = (_key, data) =>
  data === undefined ? undefined : new TextEncoder().encode(JSON.stringify(data));

export interface Verdict {
  /** Absent if the edit changes no value. */
  readonly write?: Write;
  /** What the mirror has to say afterwards; absent if there is no file and no need of one. */
  readonly row: Row | undefined;
}

export type Content = Extract<Edit, { is: 'written' | 'removed' }>;

/** Throws what the admission throws. */
export function judge(admit: Admission, tables: Tables, key: string, edit: Content, row: Row | undefined): Verdict {
  const previous = tables.get(key, undefined)?.value;
  const data = edit.is === 'written' ? edit.data : undefined;
  // A delete whose file is gone already, as it should be: there is nothing to decide.
  if (data === undefined && previous === undefined) return { row: undefined };
  const admitted = admit(key, data, previous);
  const file =
    edit.is === 'written'
      ? { extension: edit.sight.extension, hash: edit.hash, stat: edit.sight.stat }
      : { extension: row?.extension ?? 'json', hash: '', stat: '' };
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
  const isNews = previous === undefined || !deepEqual(value, storedValue(previous));
  return {
    ...(isNews ? { write: { type: 'put', key, value: admitted } } : {}),
    row: { ...file, pending: data === undefined || !deepEqual(value, data) },
  };
}

/** Commits check values, so this parses; a value that does not is simply different from every other. */
function storedValue(bytes: Uint8Array): JsonValue | undefined {
  try {
    return parseValue(bytes);
  } catch {
    return undefined;
  }
}

/** Cuts the edits of one look into commits that every store could hold. */
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
