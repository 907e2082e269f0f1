/** JSON pointers (RFC 6901), the paths of JSON patches. */
import { ApiError } from '@ecsm/runtime';

/** Returns the keys of a pointer; the empty pointer is the whole document. Throws BadRequest. */
export function parsePointer(pointer: string): readonly string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw invalid(pointer, 'must start with "/"');
  if (/~(?![01])/u.test(pointer)) throw invalid(pointer, '"~" must be followed by "0" or "1"');
  return pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The index that a key denotes, below `length`; undefined if it denotes none. `-` is not an index. */
export function indexOf(key: string, length: number): number | undefined {
  if (!/^(?:0|[1-9]\d{0,9})$/u.test(key)) return undefined;
  const index = Number(key);
  return index < length ? index : undefined;
}

function invalid(pointer: string, reason: string): ApiError {
  return new ApiError('BadRequest', {
    reason: `JSON patch: ${JSON.stringify(pointer.slice(0, 200))} is not a JSON pointer: ${reason}`,
  });
}
