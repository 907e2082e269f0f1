/**
 * Server-side apply, as Kubernetes defines it. The manager owns exactly the fields of its configuration afterwards:
 * - a field that it applied before and that nobody owns now is removed;
 * - a different value of a field that another manager owns is a conflict, or takes the field over with `force`;
 * - the same value is shared ownership.
 */
import { isPlainObject, type JsonObject, type JsonValue } from '../json.ts';
import { deepEqual } from '../merge.ts';
import { scalarText, valueAt } from '../path.ts';
import { applyDefaults } from '../schema/defaults.ts';
import type { Schema } from '../schema/schema.ts';
import { keepSecrets } from '../secrets.ts';
import { conflictError, conflictsOf } from './conflicts.ts';
import {
  decodeEntries,
  encodeOwners,
  isOwner,
  isSameOwnership,
  type ManagedFieldsEntry,
  type Owner,
  withoutFields,
} from './entries.ts';
import { difference, emptySet, isEmpty, union } from './field-set.ts';
import { withListedFields } from './fields-of.ts';
import { merge, remove } from './merge.ts';
import { migrate, withLastApplied } from './migration.ts';
import { alwaysPresent, ownedFields, trackedChanges, trackedPart, withoutNulls } from './tracked.ts';
import { ownersBefore } from './update.ts';

export interface ApplyRequest {
  /** Of the whole object. */
  readonly schema: Schema;
  readonly apiVersion: string;
  /** Undefined if the object does not exist. Its `metadata.managedFields` is not read. */
  readonly live: JsonObject | undefined;
  readonly managedFields: readonly ManagedFieldsEntry[] | undefined;
  readonly configuration: JsonObject;
  readonly manager: string;
  /** Take over fields that other managers own. Default: a conflict is an error. */
  readonly force?: boolean;
  /** The manager was not shown the secrets of the object: those that it owns and leaves out are kept. */
  readonly withoutSecrets?: boolean;
  readonly subresource?: string;
  /** RFC 3339. */
  readonly timestamp: string;
}

export interface ApplyResult {
  /** Without `metadata.managedFields`, and without defaults for new fields. */
  readonly object: JsonObject;
  /** The list of the request itself if neither the object nor an owner changed. */
  readonly managedFields: readonly ManagedFieldsEntry[];
}

/** Throws `Conflict` with one cause for each field and owner. */
export function apply(request: ApplyRequest): ApplyResult {
  const { schema, apiVersion, manager, subresource, timestamp, force = false } = request;
  const live = request.live && withoutManagedFields(request.live);
  const entries = request.managedFields ?? [];
  const identity = { manager, operation: 'Apply', apiVersion, subresource } as const;

  const known = ownersBefore({ ...request, before: live });
  const last = known.find((owner) => isOwner(owner, identity));
  const migration = live && !last && !subresource ? migrate(schema, live, known, manager) : undefined;
  const applied = last?.fields ?? migration?.applied ?? emptySet;
  const given = configurationOf(request);
  const isKept = live && request.withoutSecrets;
  const configuration = isKept ? asObject(keepSecrets({ schema }, given, live, applied).written) : given;
  const others = (migration?.owners ?? known).filter((owner) => owner !== last);
  const self: Owner = {
    ...identity,
    time: timestamp,
    fields: ownedFields(schema, trackedPart(configuration, subresource)),
  };

  const merged = merge(schema, live, configuration);
  const owned = [...others, self].reduce((set, { fields }) => union(set, fields), alwaysPresent);
  const dropped = difference(withListedFields(schema, applied), withListedFields(schema, owned));
  const object = asObject(remove(schema, merged, dropped, configuration));
  // The server writes this annotation, so no manager becomes the owner of the change. It has no owner once it is gone.
  const annotated = subresource ? object : withLastApplied(object, configuration, manager);

  // Stored objects have their defaults: without them, an item of a list that is replaced as a whole would seem changed.
  const complete = (value: JsonObject) => asObject(applyDefaults(schema, value) as JsonValue);
  const before = live && complete(live);
  const changes = trackedChanges(schema, before, complete(object), subresource);
  const { removed } = annotated === object ? changes : trackedChanges(schema, before, complete(annotated), subresource);
  const changed = union(changes.added, changes.modified);
  const conflicts = conflictsOf(others, changed);
  if (conflicts.length > 0 && !force)
    throw conflictError(textAt(object, 'kind'), textAt(object, 'metadata', 'name'), conflicts);
  const gone = union(changed, removed);
  const rest = withoutFields(others, gone);
  const owners = isEmpty(self.fields) ? rest : [...rest, self];
  const isUnchanged = isSameOwnership(decodeEntries(entries), owners) && deepEqual(before, complete(annotated));
  return { object: annotated, managedFields: isUnchanged ? entries : encodeOwners(owners) };
}

/** What the manager may apply: the tracked fields, and the identity of the object. */
function configurationOf({ schema, configuration, subresource }: ApplyRequest): JsonObject {
  const { apiVersion, kind, metadata } = configuration;
  const { name, namespace } = isPlainObject(metadata) ? metadata : {};
  const tracked = trackedPart(configuration, subresource);
  const own = isPlainObject(tracked.metadata) ? tracked.metadata : {};
  return asObject(
    withoutNulls(schema, {
      ...present({ apiVersion, kind }),
      ...tracked,
      metadata: { ...present({ name, namespace }), ...own },
    }),
  );
}

function present(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) result[name] = value;
  return result;
}

function withoutManagedFields(object: JsonObject): JsonObject {
  if (!isPlainObject(object.metadata) || !Object.hasOwn(object.metadata, 'managedFields')) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function textAt(object: JsonObject, ...path: readonly string[]): string {
  return scalarText(valueAt(object, path)) ?? '';
}

/** The merge of two objects is an object. */
function asObject(value: JsonValue): JsonObject {
  return isPlainObject(value) ? value : {};
}
