/** The verb patch: JSON patch, JSON merge patch, strategic merge patch, and server-side apply. */
import { asJson, isApiError, type JsonValue, mergePatch, withoutSecrets, withRemovedSecrets } from '@ecsm/runtime';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { strategicMergePatch, supportsStrategicMerge } from '../patch/strategic.ts';
import { decodeBody, patchTypeOf } from '../request/body.ts';
import { writeOptionsOf } from '../request/options.ts';
import { type Answer, type AnyObject, type Call, writtenAnswer } from './call.ts';
import { badRequest, checkedInput, isObject } from './input.ts';
import { requireNamespace } from './namespaces.ts';
import { prepare } from './prepare.ts';
import { existing } from './read.ts';
import { asInput, metadataOf, optionsOf, putStatus, replace, versionOf, writable } from './write.ts';

/** Attempts of a patch that names no version, while others write the same object. */
const attemptsMax = 5;

export async function patch(call: Call): Promise<Answer> {
  const { group } = call.target.kind;
  const type = patchTypeOf(call.body.contentType, { strategic: supportsStrategicMerge(group) });
  if (type === 'apply') return apply(call);
  const decoded = await decodeBody(call.body.bytes, 'application/json');
  const change = changeOf(call, type, decoded.value as JsonValue);
  for (let attempt = 1; ; attempt++) {
    try {
      return writtenAnswer(call, 200, await patched(call, change));
    } catch (error) {
      if (!(error instanceof Retry)) throw error;
      if (attempt === attemptsMax) throw error.cause;
    }
  }
}

/** The patch names no version, so it is applied to the newest one. */
class Retry extends Error {}

async function patched(call: Call, change: (object: JsonValue) => unknown): Promise<AnyObject> {
  const { resource } = writable(call);
  const before = await existing(call.target, call.namespace, call.name ?? '');
  const { resourceVersion } = before.metadata;
  // A patch of what the user may not see could copy it into another field, or test which value it has.
  const seen = call.hidesSecrets ? withoutSecrets(call.target.kind, before) : before;
  const after = checkedInput(call, change(asJson(seen)));
  // A patch that sets a version has it as precondition.
  const wanted = versionOf(after);
  try {
    const versioned = { ...after, metadata: { ...metadataOf(after), resourceVersion: wanted ?? resourceVersion } };
    if (call.subresource === 'status') return await putStatus(call, resource, versioned);
    return await replace(call, prepare(call.target.kind, versioned), before);
  } catch (error) {
    const isRetried = isApiError(error, 'Conflict') && (wanted === undefined || wanted === resourceVersion);
    throw isRetried ? new Retry('retry', { cause: error }) : error;
  }
}

function changeOf(
  { target: { kind }, hidesSecrets }: Call,
  type: 'json' | 'merge' | 'strategic',
  patch: JsonValue,
): (object: JsonValue) => unknown {
  if (type === 'json') return (object) => applyJsonPatch(object, patch);
  if (!isObject(patch)) throw badRequest('a merge patch must be an object');
  const merged = (object: JsonValue) =>
    type === 'merge' ? mergePatch(object, patch) : strategicMergePatch(kind.schema, object, patch);
  return hidesSecrets ? (object) => withRemovedSecrets(kind, merged(object), patch) : merged;
}

async function apply(call: Call): Promise<Answer> {
  const { resource } = writable(call);
  const { force, dryRun } = writeOptionsOf(call.query, 'apply');
  const { value } = await decodeBody(call.body.bytes, 'application/yaml');
  const object = prepare(call.target.kind, checkedInput(call, value));
  const isStatus = call.subresource === 'status';
  if (!isStatus) {
    await requireNamespaceOfNew(call);
    await call.admit(object, true);
  }
  // A status is applied to an existing object only.
  const known = isStatus ? undefined : await uidForPatch(call);
  const { uid: given } = metadataOf(object);
  const uid = typeof given === 'string' ? given : known;
  const resourceVersion = versionOf(object);
  const options = {
    ...optionsOf(call),
    force,
    dryRun,
    ...(isStatus ? { subresource: 'status' as const } : {}),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  const { outcome, object: applied } = await resource.apply(asInput(object), options);
  return writtenAnswer(call, outcome === 'created' ? 201 : 200, applied);
}

/** Objects in a namespace that is being deleted can still be changed: their finalizers have to be removed. */
async function requireNamespaceOfNew(call: Call): Promise<void> {
  try {
    await requireNamespace(call, call.name);
  } catch (error) {
    if (!(await exists(call))) throw error;
  }
}

async function exists({ target, namespace, name = '' }: Call): Promise<boolean> {
  try {
    await existing(target, namespace, name);
    return true;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return false;
    throw error;
  }
}

/**
 * The object that a user who may not create one can apply to; undefined if they may. As a precondition it also holds if
 * the object is deleted meanwhile. Throws `Forbidden`.
 */
async function uidForPatch(call: Call): Promise<string | undefined> {
  try {
    await call.checkCreate();
    return undefined;
  } catch (forbidden) {
    if (!isApiError(forbidden, 'Forbidden')) throw forbidden;
    const { metadata } = await existing(call.target, call.namespace, call.name ?? '').catch((error: unknown) => {
      throw isApiError(error, 'NotFound') ? forbidden : error;
    });
    return metadata.uid;
  }
}
