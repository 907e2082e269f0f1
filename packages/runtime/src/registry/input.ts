/** Parses what callers pass to a resource. */
import { ApiError } from '../api/errors.ts';
import { isPlainObject, type JsonValue } from '../api/json.ts';
import type { Kind } from '../api/kind.ts';
import type { DefaultedObject } from '../api/object.ts';
import type { Random } from '../ports/random.ts';
import type { StoredObject } from './codec.ts';
import { refuse } from './rules.ts';

/** Validates any input, typed or not. Kind and version may be omitted; the status is ignored. */
export function parseInput<Spec, Status>(kind: Kind<Spec, Status>, object: unknown): DefaultedObject<Spec, Status> {
  if (typeof object !== 'object' || object === null) {
    throw new ApiError('BadRequest', { reason: `a ${kind.kind} must be an object` });
  }
  const { status: _, ...rest } = { apiVersion: kind.apiVersion, kind: kind.kind, status: undefined, ...object };
  return kind.shape(rest);
}

/** Without vowels and without characters that look alike, as in Kubernetes. */
const nameCharacters = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const generatedPrefixMax = 63 - suffixLength;

/** The object with a name made of `generateName` and a random suffix; the same object if it has a name. */
export function withGeneratedName<Object>(object: Object, random: Random): Object {
  if (!isPlainObject(object) || !isPlainObject(object.metadata)) return object;
  const { name, generateName } = object.metadata;
  if ((name !== undefined && name !== '') || typeof generateName !== 'string' || generateName === '') return object;
  const character = () => nameCharacters[Math.floor(random.next() * nameCharacters.length)];
  const suffix = Array.from({ length: suffixLength }, character).join('');
  return {
    ...object,
    metadata: { ...object.metadata, name: `${generateName.slice(0, generatedPrefixMax)}${suffix}` },
  };
}

/** As `parseInput`, for a change of a stored object: it must not change the name or the namespace. */
export function parseChange<Spec, Status>(
  kind: Kind<Spec, Status>,
  object: unknown,
  { metadata: { name, namespace } }: StoredObject<Spec, Status>,
): DefaultedObject<Spec, Status> {
  const wanted = parseInput(kind, object);
  if (wanted.metadata.name !== name) refuse(kind, wanted, 'metadata.name', 'Forbidden', 'cannot be changed');
  if (wanted.metadata.namespace !== namespace) {
    refuse(kind, wanted, 'metadata.namespace', 'Forbidden', 'cannot be changed');
  }
  return wanted;
}

/** An object as plain JSON data, for merging. */
export function plain(object: unknown): JsonValue {
  return JSON.parse(JSON.stringify(object));
}
