/**
 * What an edit of a file means: the file store asks this before it takes in a change that a person made with an editor
 * or with git. The edit goes through the same rules as a write through the registry.
 */
import { ApiError } from '../api/errors.ts';
import { isPlainObject } from '../api/json.ts';
import type { Kind } from '../api/kind.ts';
import type { KindSet } from '../api/kind-set.ts';
import { type Clock, timestampAt } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { Admission } from '../store/file/admission.ts';
import { decode, encode, type StoredObject } from './codec.ts';
import { isFenceKey, locate, type Place } from './keys.ts';
import * as rules from './rules.ts';

export function admissionFor(kinds: KindSet, { clock, random }: { clock: Clock; random: Random }): Admission {
  return (key, data, previous) => {
    // A fence is a record of the registry's own; a clone brings its file along, and removing it shuts its holder out.
    if (isFenceKey(key)) return data === undefined ? undefined : Buffer.from(JSON.stringify(data));
    const place = locate(kinds, key);
    if (!place) {
      const form = 'group/version/plural/namespace/name';
      throw new ApiError('BadRequest', { reason: `there is no kind for "${key}": the path has to be ${form}` });
    }
    const { kind } = place;
    const timestamp = timestampAt(clock.now());
    const stored = previous && decode(kind, key, previous);
    if (data === undefined) {
      const left = stored && rules.deleted(stored, timestamp);
      return left && encode(left);
    }
    const wanted = kind.shape(addressed(place, data));
    if (stored) return encode(rules.updated(kind, stored, withoutIdentity(wanted)));
    return encode(adopted(kind, wanted, { uid: random.uuid(), timestamp }));
  };
}

/** The path names the object, so the file need not; if it does, it must not contradict. */
function addressed(place: Place, data: unknown): unknown {
  if (!isPlainObject(data) || (data.metadata !== undefined && !isPlainObject(data.metadata))) return data;
  const { kind, namespace, name } = place;
  const object = {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    ...data,
    metadata: { namespace, name, ...data.metadata },
  };
  for (const field of ['namespace', 'name'] as const) {
    if (object.metadata[field] === place[field]) continue;
    const message = `${JSON.stringify(object.metadata[field])}: the file is the place of "${place[field]}"`;
    throw new ApiError('Invalid', {
      kind: kind.kind,
      name,
      errors: [{ path: `metadata.${field}`, type: 'Invalid value', message }],
    });
  }
  return object;
}

type Wanted = ReturnType<Kind['shape']>;

/** Identity and history are not the writer's: an old copy of the file brings back its spec, not its uid. */
function withoutIdentity(wanted: Wanted): Wanted {
  const { uid, resourceVersion, ...metadata } = wanted.metadata;
  return { ...wanted, metadata };
}

/** A file that is new here but was an object before (a fresh clone of the directory) goes on being that object. */
function adopted(kind: Kind, wanted: Wanted, birth: rules.Birth): StoredObject<unknown, unknown> {
  const { uid, generation, creationTimestamp, deletionTimestamp } = wanted.metadata;
  const made = rules.created(kind, withoutIdentity(wanted), birth);
  const history = {
    ...(uid === undefined ? {} : { uid }),
    ...(generation === undefined ? {} : { generation }),
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  };
  const object = { ...made, metadata: { ...made.metadata, ...history } };
  return wanted.status === undefined ? object : { ...object, status: wanted.status };
}
