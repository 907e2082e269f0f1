/** What Kubernetes does to an object of some kinds before it is stored. */
import type { Kind } from '@ecsm/runtime';
import { Namespace, Secret } from '../kinds/core.ts';
import type { Json } from './call.ts';
import { isObject } from './input.ts';

/** Keeps a namespace until its contents are deleted. */
export const contentsFinalizer = 'ecsm.sh/namespace-contents';

export function prepare(kind: Pick<Kind, 'apiVersion' | 'kind'>, object: Json): Json {
  if (kind.apiVersion === Secret.apiVersion && kind.kind === Secret.kind) return withEncodedData(object);
  if (kind.apiVersion === Namespace.apiVersion && kind.kind === Namespace.kind) return withFinalizer(object);
  return object;
}

/** `stringData` is written into `data`, in base64. */
function withEncodedData({ stringData, ...secret }: Json): Json {
  if (!isObject(stringData)) return secret;
  const encoded = Object.entries(stringData).map(([key, value]) => [
    key,
    Buffer.from(String(value)).toString('base64'),
  ]);
  return { ...secret, data: { ...(isObject(secret['data']) ? secret['data'] : {}), ...Object.fromEntries(encoded) } };
}

function withFinalizer(namespace: Json): Json {
  const metadata = isObject(namespace['metadata']) ? namespace['metadata'] : {};
  if (metadata['uid'] !== undefined || metadata['deletionTimestamp'] !== undefined) return namespace;
  const finalizers = Array.isArray(metadata['finalizers']) ? metadata['finalizers'] : [];
  if (finalizers.includes(contentsFinalizer)) return namespace;
  return { ...namespace, metadata: { ...metadata, finalizers: [...finalizers, contentsFinalizer] } };
}
