/**
 * `metadata.managedFields`: one entry for each manager, operation and subresource, with the fields that it owns. An
 * updater also has one entry for each API version that it wrote with.
 */
import type { JsonValue } from '../json.ts';
import { difference, emptySet, type FieldSet, fromFieldsV1, isEmpty, isEqual, toFieldsV1, union } from './field-set.ts';

/** An entry as it is stored. `[{}]` in an update resets the list, so every field may be absent. */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: 'Apply' | 'Update';
  readonly apiVersion?: string;
  /** When the manager last changed its fields, RFC 3339. */
  readonly time?: string;
  readonly fieldsType?: 'FieldsV1';
  readonly fieldsV1?: JsonValue;
  readonly subresource?: string;
}

/** Whose entry it is. */
interface ManagerIdentity {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string | undefined;
}

/** A decoded entry. */
export interface Owner extends ManagerIdentity {
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** The owner of everything in an object that existed before its fields were tracked. */
export const managerBeforeFirstApply = 'before-first-apply';

/** The owner of the fields of the oldest updaters, if there are more than the maximum. */
const managerOfAncientChanges = 'ancient-changes';

/** Entries of updaters in one object. Each costs space in every copy of the object. */
export const UPDATERS_MAX = 10;

/** Whether an update asks to forget all managers: `managedFields: []` or `[{}]`. */
export function isReset(requested: readonly ManagedFieldsEntry[] | undefined): boolean {
  const [first] = requested ?? [];
  return requested !== undefined && requested.length <= 1 && Object.keys(first ?? {}).length === 0;
}

/** Entries that cannot be read own nothing. */
export function decodeEntries(entries: readonly ManagedFieldsEntry[]): Owner[] {
  const owners: Owner[] = [];
  for (const { manager, operation, apiVersion, time, fieldsV1, subresource } of entries) {
    const fields = fromFieldsV1(fieldsV1);
    if (manager === undefined || operation === undefined || apiVersion === undefined || !fields) continue;
    // An entry of the main resource may have an empty subresource, as clients written in Go send it.
    owners.push({ manager, operation, apiVersion, time, fields, subresource: subresource || undefined });
  }
  return owners;
}

/** In the order of Kubernetes: appliers first, then by time and name. */
export function encodeOwners(owners: readonly Owner[]): ManagedFieldsEntry[] {
  return [...owners].sort(compareOwners).map(({ manager, operation, apiVersion, time, fields, subresource }) => ({
    manager,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: toFieldsV1(fields),
    ...(subresource === undefined ? {} : { subresource }),
  }));
}

/** An applier is the same one with another API version, an updater is not. */
export function isOwner(owner: ManagerIdentity, identity: ManagerIdentity): boolean {
  return (
    owner.manager === identity.manager &&
    owner.operation === identity.operation &&
    owner.subresource === identity.subresource &&
    (identity.operation === 'Apply' || owner.apiVersion === identity.apiVersion)
  );
}

/** The owners without these fields. Owners that have none left are dropped. */
export function withoutFields(owners: readonly Owner[], fields: FieldSet): Owner[] {
  return withOwners(owners, (owner) => ({ ...owner, fields: difference(owner.fields, fields) }));
}

/** Changes each owner, and drops those without fields. */
export function withOwners(owners: readonly Owner[], change: (owner: Owner) => Owner): Owner[] {
  return owners.map(change).filter((owner) => !isEmpty(owner.fields));
}

/** Whether two lists have the same owners of the same fields; times are not compared. */
export function isSameOwnership(left: readonly Owner[], right: readonly Owner[]): boolean {
  if (left.length !== right.length) return false;
  return left.every((owner) =>
    right.some(
      (other) => isOwner(owner, other) && owner.apiVersion === other.apiVersion && isEqual(owner.fields, other.fields),
    ),
  );
}

/** The owners with the one that was just written. Unites the oldest updaters if there are more than the maximum. */
export function withUpdater(others: readonly Owner[], written: Owner): readonly Owner[] {
  const owners = [...others, written];
  const updaters = owners.filter(({ operation }) => operation === 'Update').sort(compareOwners);
  const excess = updaters.length - UPDATERS_MAX;
  if (excess <= 0) return owners;
  const { apiVersion } = written;
  const oldest = updaters
    .filter((owner) => owner !== written && owner.apiVersion === apiVersion && owner.subresource === undefined)
    .slice(0, excess + 1);
  if (oldest.length < 2) return owners;
  const united: Owner = {
    manager: managerOfAncientChanges,
    operation: 'Update',
    apiVersion,
    subresource: undefined,
    time: oldest.at(-1)?.time,
    fields: oldest.reduce((set, { fields }) => union(set, fields), emptySet),
  };
  return [...owners.filter((owner) => !oldest.includes(owner)), united];
}

function compareOwners(left: Owner, right: Owner): number {
  return (
    compareText(left.operation, right.operation) ||
    compareText(left.time ?? '', right.time ?? '') ||
    compareText(left.manager, right.manager) ||
    compareText(left.apiVersion, right.apiVersion) ||
    compareText(left.subresource ?? '', right.subresource ?? '')
  );
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
