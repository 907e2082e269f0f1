/** Declarative writes: the last applied configuration, and the three-way merge. */
import { ApiError } from '../api/errors.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../api/json.ts';
import type { Kind } from '../api/kind.ts';
import { deepEqual, mergePatch, threeWayMerge } from '../api/merge.ts';
import { ANNOTATIONS_BYTES_MAX, NAMESPACE_DEFAULT } from '../api/metadata.ts';
import { valueAt } from '../api/path.ts';

/** The last applied configuration. It tells a field that was removed from the file from one that another writer set. */
export const lastAppliedAnnotation = 'ecsm.sh/last-applied-configuration';

/** The configuration is stored in an annotation and must leave space for the other annotations. */
const configurationBytesMax = ANNOTATIONS_BYTES_MAX - 16 * 1024;

/** The input with its full address, without the fields that only the registry or a controller writes. */
export function configurationOf({ apiVersion, kind }: Pick<Kind, 'apiVersion' | 'kind'>, input: unknown): JsonObject {
  const plain: unknown = JSON.parse(JSON.stringify(input ?? null));
  if (!isJsonObject(plain) || !isJsonObject(plain.metadata)) {
    throw new ApiError('BadRequest', { reason: `a ${kind} must be an object with metadata` });
  }
  const { status, metadata: _, ...rest } = plain;
  const { uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, annotations, ...own } =
    plain.metadata;
  const metadata: JsonObject = { namespace: NAMESPACE_DEFAULT, ...own };
  const kept = isJsonObject(annotations) ? without(annotations, lastAppliedAnnotation) : annotations;
  const isEmpty = kept === undefined || (isJsonObject(kept) && Object.keys(kept).length === 0);
  return { apiVersion, kind, ...rest, metadata: isEmpty ? metadata : { ...metadata, annotations: kept } };
}

/**
 * The object to store: the live one (if any) with the configuration merged into it, and the configuration itself in its
 * annotation.
 *
 * Finalizers are only added, and are not part of that annotation: each belongs to the controller that cleans up for it.
 * A file that was exported from the registry contains the finalizers of controllers, and applying the original file
 * afterwards would otherwise remove them. Controllers remove finalizers with `update`, users with `patch`.
 */
export function applied(live: JsonValue | undefined, wanted: JsonObject): JsonValue {
  const configuration = withoutFinalizers(wanted);
  const last = live === undefined ? undefined : lastApplied(live);
  const merged = live === undefined ? wanted : withFinalizersOf(wanted, threeWayMerge(last, live, configuration));
  // The same configuration with its keys in another order needs no write.
  if (deepEqual(last, configuration)) return merged;
  const text = JSON.stringify(configuration);
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes > configurationBytesMax) {
    throw new ApiError('TooLarge', {
      what: 'the configuration to apply',
      sizeBytes,
      limitBytes: configurationBytesMax,
    });
  }
  const remembered = { metadata: { annotations: { [lastAppliedAnnotation]: text } } };
  return mergePatch(merged, remembered);
}

function lastApplied(live: JsonValue): JsonValue | undefined {
  const text = valueAt(live, ['metadata', 'annotations', lastAppliedAnnotation]);
  if (typeof text !== 'string') return undefined;
  try {
    const last: JsonValue = JSON.parse(text);
    return isJsonObject(last) ? withoutFinalizers(last) : last;
  } catch {
    // The annotation was edited and is invalid. Merging without it removes nothing, which is safe.
    return undefined;
  }
}

function withoutFinalizers(object: JsonObject): JsonObject {
  const { metadata } = object;
  return isJsonObject(metadata) && Object.hasOwn(metadata, 'finalizers')
    ? { ...object, metadata: without(metadata, 'finalizers') }
    : object;
}

/** The merged object with the finalizers of the live one, followed by the new ones. */
function withFinalizersOf(wanted: JsonObject, merged: JsonValue): JsonValue {
  const finalizers = finalizersOf(merged);
  const added = finalizersOf(wanted).filter((finalizer) => !finalizers.includes(finalizer));
  return added.length === 0 ? merged : mergePatch(merged, { metadata: { finalizers: [...finalizers, ...added] } });
}

function finalizersOf(object: JsonValue): readonly JsonValue[] {
  const finalizers = valueAt(object, ['metadata', 'finalizers']);
  return Array.isArray(finalizers) ? finalizers : [];
}

/** For parsed JSON, where every plain object contains only JSON values. */
function isJsonObject(value: unknown): value is JsonObject {
  return isPlainObject(value);
}

function without(object: JsonObject, key: string): JsonObject {
  const { [key]: _, ...rest } = object;
  return rest;
}
