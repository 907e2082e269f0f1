/**
 * Admission of manual file edits: the file store calls this before it accepts a change that was made with an editor or
 * with git. The edit is subject to the same rules as a write through the registry.
 */
import { ApiError } from '../api/errors.ts';
import { isPlainObject } from '../api/json.ts';
import type { Kind } from '../api/kind.ts';
import type { KindSet } from '../api/kind-set.ts';
import { type Clock, timestampAt } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { Admission } from '../store/file/admission.ts';
import { decode, encode, type StoredObject } from './codec.ts';
import { isClaim, refuseSecond } from './exclusive.ts';
import { isFenceKey, locate, type Place, prefixOf } from './keys.ts';
import { isTracked, withManagers } from './managers.ts';
import * as rules from './rules.ts';

export function admissionFor(kinds: KindSet, { clock, random }: { clock: Clock; random: Random }): Admission {
  return (key, data, previous, entriesBelow) => {
    // A fence is an internal record. A clone contains its file, and removing the file fences off its holder.
    if (isFenceKey(key)) return data === undefined ? undefined : Buffer.from(JSON.stringify(data));
    const place = locate(kinds, key);
    if (!place) {
      const form = 'group/version/plural/namespace/name';
      throw new ApiError('BadRequest', { reason: `no kind matches "${key}": the path must be ${form}` });
    }
    const { kind } = place;
    const timestamp = timestampAt(clock.now());
    const stored = previous && decode(kind, key, previous);
    if (data === undefined) {
      const left = stored && rules.deleted(stored, timestamp);
      return left && encode(left);
    }
    const wanted = kind.shape(addressed(place, data));
    if (stored) {
      const next = rules.updated(kind, stored, withoutIdentity(wanted));
      // The edit removed the last finalizer of an object that is being deleted.
      if (rules.isFinished(next)) return undefined;
      if (isClaim(kind, stored, next)) refuseSecond(kind, key, entriesBelow(prefixOf(kind)));
      return encode(next !== stored && isTracked(next, {}) ? withManagers(kind, stored, next, { timestamp }) : next);
    }
    const created = adopted(kind, wanted, { uid: random.uuid(), timestamp });
    if (isClaim(kind, undefined, created)) refuseSecond(kind, key, entriesBelow(prefixOf(kind)));
    return encode(created);
  };
}

/** The path identifies the object. Name and namespace may be omitted in the file, but must not differ. */
function addressed(place: Place, data: unknown): unknown {
  if (!isPlainObject(data) || (data.metadata !== undefined && !isPlainObject(data.metadata))) return data;
  const { kind, namespace, name } = place;
  const address: Readonly<Record<string, string>> = kind.scope === 'Cluster' ? { name } : { namespace, name };
  const metadata: Readonly<Record<string, unknown>> = { ...address, ...data.metadata };
  const object = { apiVersion: kind.apiVersion, kind: kind.kind, ...data, metadata };
  for (const [field, required] of Object.entries(address)) {
    if (metadata[field] === required) continue;
    const message = `${JSON.stringify(metadata[field])}: the path of the file requires "${required}"`;
    throw new ApiError('Invalid', {
      kind: kind.kind,
      name,
      errors: [{ path: `metadata.${field}`, type: 'Invalid value', message }],
    });
  }
  return object;
}

type Wanted = ReturnType<Kind['shape']>;

/** The registry sets identity and history: an old copy of the file restores its spec, not its uid. */
function withoutIdentity(wanted: Wanted): Wanted {
  const { uid, resourceVersion, ...metadata } = wanted.metadata;
  return { ...wanted, metadata };
}

/** A new file with an identity (in a fresh clone of the directory) keeps that identity. */
function adopted(kind: Kind, wanted: Wanted, identity: rules.NewIdentity): StoredObject<unknown, unknown> {
  const { uid, generation, creationTimestamp, deletionTimestamp, managedFields } = wanted.metadata;
  const created = rules.created(kind, withoutIdentity(wanted), identity);
  const history = {
    ...(uid === undefined ? {} : { uid }),
    ...(generation === undefined ? {} : { generation }),
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(managedFields === undefined ? {} : { managedFields }),
  };
  const object = { ...created, metadata: { ...created.metadata, ...history } };
  return wanted.status === undefined ? object : { ...object, status: wanted.status };
}
