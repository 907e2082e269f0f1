/**
 * Objects that were written by a client-side apply: an annotation has the last applied configuration. The first
 * server-side apply of the same tool continues from it: what the annotation sets counts as applied before, so a field
 * that was removed from the file since is removed. Afterwards ecsmctl does not need its annotation any more. That of
 * kubectl stays up to date, as in Kubernetes: its users can return to client-side apply.
 */
import { isPlainObject, type JsonObject, type JsonValue, ownValue } from '../json.ts';
import { mergePatch } from '../merge.ts';
import { ANNOTATIONS_BYTES_MAX, annotationsBytes } from '../metadata.ts';
import { valueAt } from '../path.ts';
import type { Schema } from '../schema/schema.ts';
import { managerBeforeFirstApply, type Owner, withOwners } from './entries.ts';
import { difference, emptySet, type FieldSet, fieldSet, union } from './field-set.ts';
import { fieldElement } from './path-element.ts';
import { ownedFields, trackedPart, withoutNulls } from './tracked.ts';

export const lastAppliedAnnotation = 'ecsm.sh/last-applied-configuration';
export const lastAppliedAnnotationOfKubectl = 'kubectl.kubernetes.io/last-applied-configuration';

/** Annotations that contain a whole configuration, also its secrets. */
export const lastAppliedAnnotations: readonly string[] = [lastAppliedAnnotation, lastAppliedAnnotationOfKubectl];

interface ClientSideApply {
  readonly annotation: string;
  /** The managers that continue from it. For any other manager, these fields are those of another writer. */
  readonly managers: readonly string[];
  /** Updaters that wrote the annotated fields. */
  readonly updaters: readonly string[];
  /** Whether the tool can return to client-side apply. */
  readonly isKept: boolean;
}

const clients: readonly ClientSideApply[] = [
  {
    annotation: lastAppliedAnnotation,
    managers: ['ecsmctl', 'ecsm'],
    updaters: [managerBeforeFirstApply],
    isKept: false,
  },
  {
    annotation: lastAppliedAnnotationOfKubectl,
    managers: ['kubectl'],
    updaters: [managerBeforeFirstApply, 'kubectl-client-side-apply'],
    isKept: true,
  },
];

export interface Migration {
  /** What the manager applied before, with the annotation itself unless it is kept. */
  readonly applied: FieldSet;
  readonly owners: readonly Owner[];
}

/** For the first apply of a manager. Returns undefined if the object has no annotation for it. */
export function migrate(
  schema: Schema,
  live: JsonValue,
  owners: readonly Owner[],
  manager: string,
): Migration | undefined {
  const annotations = valueAt(live, ['metadata', 'annotations']);
  let migration: Migration | undefined;
  for (const { annotation, managers, updaters, isKept } of clients) {
    const text = isPlainObject(annotations) ? ownValue(annotations, annotation) : undefined;
    if (typeof text !== 'string' || !managers.includes(manager)) continue;
    const itself = isKept ? emptySet : fieldSet(['f:metadata', 'f:annotations', fieldElement(annotation)]);
    const applied = union(union(annotatedFields(schema, text), itself), migration?.applied ?? emptySet);
    const rest = withOwners(migration?.owners ?? owners, (owner) =>
      owner.operation === 'Update' && updaters.includes(owner.manager)
        ? { ...owner, fields: difference(owner.fields, applied) }
        : owner,
    );
    migration = { applied, owners: rest };
  }
  return migration;
}

/**
 * The object with the configuration in the annotation of the manager, if it has one that is kept. Without the annotation
 * if the configuration is too large for it, as in Kubernetes: such objects are the reason to leave client-side apply.
 */
export function withLastApplied(object: JsonObject, configuration: JsonObject, manager: string): JsonObject {
  const kept = clients.find(({ managers, isKept }) => isKept && managers.includes(manager));
  const path = ['metadata', 'annotations', kept?.annotation ?? ''];
  if (kept === undefined || valueAt(object, path) === undefined) return object;
  const itself = { metadata: { annotations: { [kept.annotation]: null } } };
  const text = `${JSON.stringify(mergePatch(configuration, itself))}\n`;
  const withText = (value: string | null) =>
    mergePatch(object, { metadata: { annotations: { [kept.annotation]: value } } });
  const merged = withText(text);
  const annotated =
    annotationsBytes(valueAt(merged, path.slice(0, 2))) > ANNOTATIONS_BYTES_MAX ? withText(null) : merged;
  return isPlainObject(annotated) ? annotated : object;
}

/**
 * Finalizers do not count: each belongs to the controller that cleans up for it, and a file that was exported from the
 * registry contains them. If the annotation was edited and is invalid, nothing is removed, which is safe.
 */
function annotatedFields(schema: Schema, text: string): FieldSet {
  const configuration = parsed(text);
  if (configuration === undefined) return emptySet;
  const { metadata, ...rest } = trackedPart(configuration, undefined);
  const { finalizers: _, ...kept } = isPlainObject(metadata) ? metadata : {};
  const tracked = withoutNulls(schema, { ...rest, metadata: kept });
  return isPlainObject(tracked) ? ownedFields(schema, tracked) : emptySet;
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
