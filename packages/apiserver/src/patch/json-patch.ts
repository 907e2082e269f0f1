/**
 * JSON patches (RFC 6902). A patch is applied as a whole or not at all: the document is not changed, and the result is a
 * copy. Keys such as `__proto__` are ordinary data.
 */
import { ApiError, deepEqual, isPlainObject, JSON_DEPTH_MAX, type JsonValue, ownValue } from '@ecsm/runtime';
import { HttpError, tooLarge } from '../response/http-error.ts';
import { parsePointer } from './json-pointer.ts';
import { PatchDocument } from './patch-document.ts';

/** As in Kubernetes. */
export const OPERATIONS_MAX = 10_000;
/**
 * Of all values that a patch copies or moves together: a few dozen `copy` operations could fill the memory, and thousands of
 * `move` operations of a large value would take minutes.
 */
export const COPIED_BYTES_MAX = 3 * 1024 * 1024;

type Path = readonly string[];
type Operation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: Path; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: Path }
  | { readonly op: 'move' | 'copy'; readonly path: Path; readonly from: Path };

/**
 * `patch` is parsed JSON. Throws BadRequest for a malformed patch, an Invalid HttpError (422) if it does not apply, and
 * a RequestEntityTooLarge HttpError beyond the limits.
 */
export function applyJsonPatch(document: JsonValue, patch: unknown): JsonValue {
  const operations = parsePatch(patch);
  const target = new PatchDocument(document);
  let copiedBytes = 0;
  for (const [index, operation] of operations.entries()) {
    const fail = (reason: string) => doesNotApply(index, operation, reason);
    if ('from' in operation) {
      copiedBytes += Buffer.byteLength(JSON.stringify(target.get(operation.from, fail)));
      if (copiedBytes > COPIED_BYTES_MAX) {
        throw tooLarge(`the JSON patch copies or moves more than ${COPIED_BYTES_MAX} bytes`);
      }
    }
    apply(target, operation, fail);
  }
  return target.value;
}

type Fail = (reason: string) => Error;

function apply(target: PatchDocument, operation: Operation, fail: Fail): void {
  const { path } = operation;
  if (operation.op === 'remove') target.remove(path, fail);
  else if ('from' in operation) {
    if (operation.op === 'move') move(target, operation.from, path, fail);
    else target.add(path, bounded(path, target.get(operation.from, fail), fail), fail);
  } else if (operation.op === 'test') test(target, path, operation.value, fail);
  else if (operation.op === 'add') target.add(path, bounded(path, operation.value, fail), fail);
  else target.replace(path, bounded(path, operation.value, fail), fail);
}

/** Values that are copied into themselves would nest without end, and later readers recurse. */
function bounded(path: Path, value: JsonValue, fail: Fail): JsonValue {
  if (path.length + depthOf(value) > JSON_DEPTH_MAX) throw fail(`nested deeper than ${JSON_DEPTH_MAX} levels`);
  return structuredClone(value);
}

function move(target: PatchDocument, from: Path, path: Path, fail: Fail): void {
  const isPrefix = from.every((key, index) => key === path[index]);
  if (isPrefix && from.length < path.length) throw fail('a value cannot be moved into itself');
  target.get(from, fail);
  if (isPrefix && from.length === path.length) return;
  target.add(path, bounded(path, target.remove(from, fail), fail), fail);
}

function test(target: PatchDocument, path: Path, value: JsonValue, fail: Fail): void {
  // As in Kubernetes, an absent field equals null.
  const actual = target.find(path) ?? null;
  if (!deepEqual(actual, value)) throw fail('the value differs');
}

function depthOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  let deepest = 0;
  for (const part of Object.values(value)) deepest = Math.max(deepest, depthOf(part));
  return deepest + 1;
}

function doesNotApply(index: number, { op, path }: Operation, reason: string): HttpError {
  const pointer = path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  const operation = `operation ${index + 1} (${op} ${pointer.slice(0, 200) || 'the document'})`;
  const message = 'the server rejected our request due to an error in our request';
  return new HttpError(422, 'Invalid', `${message}: JSON patch: ${operation}: ${reason}`, {});
}

function parsePatch(patch: unknown): readonly Operation[] {
  if (!Array.isArray(patch)) throw malformed('must be a list of operations');
  if (patch.length > OPERATIONS_MAX) {
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${OPERATIONS_MAX}, got ${patch.length}`);
  }
  return patch.map(parseOperation);
}

function parseOperation(operation: unknown, index: number): Operation {
  const where = `operation ${index + 1}`;
  if (!isPlainObject(operation)) throw malformed(`${where}: must be an object`);
  const op = ownValue(operation, 'op');
  const path = pointerIn(operation, 'path', where);
  switch (op) {
    case 'add':
    case 'replace':
    case 'test': {
      const value = ownValue(operation, 'value');
      if (!isJson(value)) throw malformed(`${where}: "value" is missing`);
      return { op, path, value };
    }
    case 'remove':
      return { op, path };
    case 'move':
    case 'copy':
      return { op, path, from: pointerIn(operation, 'from', where) };
    default:
      throw malformed(`${where}: "op" must be add, remove, replace, move, copy or test`);
  }
}

function pointerIn(operation: Readonly<Record<string, unknown>>, name: string, where: string): Path {
  const pointer = ownValue(operation, name);
  if (typeof pointer !== 'string') throw malformed(`${where}: "${name}" must be a JSON pointer`);
  return parsePointer(pointer);
}

/** A patch comes from JSON, so that a value that is present is JSON. */
function isJson(value: unknown): value is JsonValue {
  return value !== undefined;
}

function malformed(reason: string): ApiError {
  return new ApiError('BadRequest', { reason: `JSON patch: ${reason}` });
}
