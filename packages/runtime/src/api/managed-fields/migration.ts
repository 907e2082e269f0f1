/**
 * Objects that were written by a client-side apply of kubectl: an annotation has the last applied configuration. Its first
 * server-side apply continues from it: what the annotation sets counts as applied before, so a field that was removed from
 * the file since is removed. The annotation stays up to date, as in Kubernetes: users can return to client-side apply.
 */
import { isPlainObject, type JsonObject, type JsonValue } from '../json.ts';
import { mergePatch } from '../merge.ts';
import { ANNOTATIONS_BYTES_MAX, annotationsBytes } from '../metadata.ts';
import { valueAt } from '../path.ts';
import type { Schema } from '../schema/schema.ts';
import { managerBeforeFirstApply, type Owner, withOwners } from './entries.ts';
import { difference, emptySet, type FieldSet } from './field-set.ts';
import { ownedFields, trackedPart, withoutNulls } from './tracked.ts';

/** Contains a whole configuration, also its secrets. */
export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';
/** The manager that continues from it. For any other manager, these fields are those of another writer. */
const clientSideManager = 'kubectl';
/** Updaters that wrote the annotated fields. */
const clientSideUpdaters: readonly string[] = [managerBeforeFirstApply, 'kubectl-client-side-apply'];
const annotationPath = ['metadata', 'annotations', lastAppliedAnnotation];

interface Migration {
  /** What the manager applied before. */
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
  const text = valueAt(live, annotationPath);
  if (typeof text !== 'string' || manager !== clientSideManager) return undefined;
  const applied = annotatedFields(schema, text);
  const rest = withOwners(owners, (owner) =>
    owner.operation === 'Update' && clientSideUpdaters.includes(owner.manager)
      ? { ...owner, fields: difference(owner.fields, applied) }
      : owner,
  );
  return { applied, owners: rest };
}

/**
 * The object with the configuration in the annotation, if its manager uses it and it has one. Without the annotation if the
 * configuration is too large for it, as in Kubernetes: such objects are the reason to leave client-side apply.
 */
export function withLastApplied(object: JsonObject, configuration: JsonObject, manager: string): JsonObject {
  if (manager !== clientSideManager || valueAt(object, annotationPath) === undefined) return object;
  const withText = (of: JsonObject, text: string | null) =>
    mergePatch(of, { metadata: { annotations: { [lastAppliedAnnotation]: text } } });
  const text = `${JSON.stringify(withText(configuration, null))}\n`;
  const merged = withText(object, text);
  const annotated =
    annotationsBytes(valueAt(merged, annotationPath.slice(0, 2))) > ANNOTATIONS_BYTES_MAX
      ? withText(object, null)
      : merged;
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
