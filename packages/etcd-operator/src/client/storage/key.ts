/** Which keys and paths are valid: those that mean the same in a bucket and in a directory, and lead nowhere else. */
import { StorageError } from './error.ts';

/** The limit of S3, for the path and the key together. */
const keyBytesMax = 1024;
/** The limit of file systems. */
const segmentBytesMax = 255;
/** Objects with such names are not listed: they are uploads that are not complete. */
export const temporaryPrefix = '.etcd-operator-upload-';

/** Throws `Other` unless the key is valid below the path. */
export function checkKey(path: string, key: string): void {
  const problem = problemOf(key) ?? lengthProblem(fullKey(path, key));
  if (problem) throw new StorageError('Other', `${JSON.stringify(key)} is not a valid key: ${problem}`);
}

/** A prefix may end within a segment, also after a `/`, and may be empty. */
export function checkPrefix(path: string, prefix: string): void {
  const segments = prefix.split('/');
  const last = segments.pop() ?? '';
  const problem =
    (segments.length > 0 ? problemOf(segments.join('/')) : undefined) ??
    (last === '' || last === '.' || last === '..' ? undefined : problemOf(last)) ??
    lengthProblem(fullKey(path, prefix));
  if (problem) throw new StorageError('Other', `${JSON.stringify(prefix)} is not a valid prefix of keys: ${problem}`);
}

/** Returns the path without the `/` at its ends. Throws `Other` unless it is valid. */
export function normalizedPath(path: string | undefined): string {
  const trimmed = (path ?? '').replace(/^\/+|\/+$/g, '');
  const problem = trimmed === '' ? undefined : (problemOf(trimmed) ?? lengthProblem(trimmed));
  if (problem) throw new StorageError('Other', `${JSON.stringify(path)} is not a valid path: ${problem}`);
  return trimmed;
}

/** The key in the bucket, or in the directory. */
export function fullKey(path: string, key: string): string {
  return path === '' ? key : `${path}/${key}`;
}

function problemOf(text: string): string | undefined {
  if (text === '') return 'it is empty';
  if (text.startsWith('/')) return 'it starts with "/"';
  if (hasControlCharacter(text)) return 'it contains a control character';
  if (/\p{Surrogate}/u.test(text)) return 'it is not valid Unicode';
  for (const segment of text.split('/')) {
    if (segment === '') return 'it has an empty segment';
    if (segment === '.' || segment === '..') return `it has a segment "${segment}"`;
    if (segment.startsWith(temporaryPrefix)) return `names that start with "${temporaryPrefix}" are reserved`;
    if (Buffer.byteLength(segment) > segmentBytesMax) return `a segment is over ${segmentBytesMax} bytes`;
  }
  return undefined;
}

function lengthProblem(text: string): string | undefined {
  return Buffer.byteLength(text) > keyBytesMax ? `with its path it is over ${keyBytesMax} bytes` : undefined;
}

function hasControlCharacter(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;
  }
  return false;
}
