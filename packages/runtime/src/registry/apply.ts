/** Declarative writes: what `apply` remembers of the last time, and how it merges three ways. */
import { ApiError } from '../api/errors.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../api/json.ts';
import type { Kind } from '../api/kind.ts';
import { deepEqual, mergePatch, threeWayMerge } from '../api/merge.ts';
import { ANNOTATIONS_BYTES_MAX, NAMESPACE_DEFAULT } from '../api/metadata.ts';
import { valueAt } from '../api/path.ts';

/** Holds what was applied last, so that a field which is gone from the file can be told from one that another set. */
export const lastAppliedAnnotation = 'ecsm.sh/last-applied-configuration';

/** It is remembered in an annotation, which must leave room for those that people write. */
const configurationBytesMax = ANNOTATIONS_BYTES_MAX - 16 * 1024;

/** What a person wrote, complete in its address, without what only the registry or a controller writes. */
export function configurationOf({ apiVersion, kind }: Pick<Kind, 'apiVersion' | 'kind'>, input: unknown): JsonObject {
  const plain: unknown = JSON.parse(JSON.stringify(input ?? null));
  if (!isJsonObject(plain) || !isJsonObject(plain.metadata)) {
    throw new ApiError('BadRequest', { reason: `a ${kind} has to be an object with metadata` });
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
 * The object to store: the live one (if any) with the configuration merged into it, and the configuration remembered.
 *
 * Finalizers are only ever added, and never remembered: each belongs to the controller that cleans up for it. A file
 * that was read back from the registry names the finalizers of controllers, and applying the original file afterwards
 * would otherwise remove them. Controllers remove finalizers with `update`, people with `patch`.
 */
export function applied(live: JsonValue | undefined, wanted: JsonObject): JsonValue {
  const configuration = withoutFinalizers(wanted);
  const last = live === undefined ? undefined : lastApplied(live);
  const merged = live === undefined ? wanted : withFinalizersOf(wanted, threeWayMerge(last, live, configuration));
  // The same configuration with its keys in another order is not worth a write.
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
    // Somebody has spoilt the annotation. Merging without it removes nothing, which is the safe side.
    return undefined;
  }
}

function withoutFinalizers(object: JsonObject): JsonObject {
  const { metadata } = object;
  return isJsonObject(metadata) && Object.hasOwn(metadata, 'finalizers')
    ? { ...object, metadata: without(metadata, 'finalizers') }
    : object;
}

/** The merged object with the finalizers of the live one, which it still has, and after them the new ones. */
function withFinalizersOf(wanted: JsonObject, merged: JsonValue): JsonValue {
  const finalizers = finalizersOf(merged);
  const added = finalizersOf(wanted).filter((finalizer) => !finalizers.includes(finalizer));
  return added.length === 0 ? merged : mergePatch(merged, { metadata: { finalizers: [...finalizers, ...added] } });
}

function finalizersOf(object: JsonValue): readonly JsonValue[] {
  const finalizers = valueAt(object, ['metadata', 'finalizers']);
  return Array.isArray(finalizers) ? finalizers : [];
}

/** For data that comes from JSON: what is an object there holds nothing but JSON. */
function isJsonObject(value: unknown): value is JsonObject {
  return isPlainObject(value);
}

function without(object: JsonObject, key: string): JsonObject {
  const { [key]: _, ...rest } = object;
  return rest;
}
