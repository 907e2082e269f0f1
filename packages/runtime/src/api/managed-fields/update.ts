/**
 * Managers after a create, an update or a patch: the writer owns what it added or changed; nobody else owns that any
 * longer, and nobody owns what it removed.
 */
import type { JsonValue } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import {
  decodeEntries,
  encodeOwners,
  isOwner,
  type ManagedFieldsEntry,
  managerBeforeFirstApply,
  type Owner,
  withoutFields,
  withUpdater,
} from './entries.ts';
import { difference, emptySet, isEmpty, union } from './field-set.ts';
import { isSame } from './fields-of.ts';
import { trackedChanges } from './tracked.ts';

interface Write {
  /** Of the whole object. */
  readonly schema: Schema;
  readonly apiVersion: string;
  /** Undefined if the object did not exist. */
  readonly before: JsonValue | undefined;
  readonly managedFields: readonly ManagedFieldsEntry[] | undefined;
  readonly subresource?: string;
  /** RFC 3339. */
  readonly timestamp: string;
}

interface Update extends Write {
  readonly after: JsonValue;
  readonly manager: string;
}

/** Returns the list of the request itself if no tracked field changed. */
export function trackUpdate(update: Update): readonly ManagedFieldsEntry[] {
  const { schema, apiVersion, before, after, manager, subresource, timestamp, managedFields = [] } = update;
  const changes = trackedChanges(schema, before, after, subresource);
  if (isSame(changes)) return managedFields;
  const identity = { manager, operation: 'Update', apiVersion, subresource } as const;
  const written = union(changes.added, changes.modified);
  const known = ownersBefore(update);
  if (isEmpty(written)) return encodeOwners(withoutFields(known, changes.removed));
  const own = known.find((owner) => isOwner(owner, identity));
  const others = known.filter((owner) => !isOwner(owner, identity));
  const rest = withoutFields(others, union(written, changes.removed));
  const kept = own ? difference(own.fields, changes.removed) : emptySet;
  return encodeOwners(withUpdater(rest, { ...identity, time: timestamp, fields: union(kept, written) }));
}

/** The owners before a write. Everything in an object that has no managers yet is owned by `before-first-apply`. */
export function ownersBefore({ schema, apiVersion, before, managedFields, subresource, timestamp }: Write): Owner[] {
  const owners = decodeEntries(managedFields ?? []);
  if (owners.length > 0 || before === undefined) return owners;
  const subresources = subresource === 'status' ? [undefined, subresource] : [undefined];
  return subresources
    .map((tracked): Owner => {
      const fields = trackedChanges(schema, undefined, before, tracked).added;
      const identity = { manager: managerBeforeFirstApply, operation: 'Update', apiVersion } as const;
      return { ...identity, subresource: tracked, time: timestamp, fields };
    })
    .filter((owner) => !isEmpty(owner.fields));
}
