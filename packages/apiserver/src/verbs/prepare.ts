/** What Kubernetes does to an object of some kinds before it is stored. */
import { type Kind, setOwn } from '@ecsm/runtime';
import { Secret } from '../kinds/core.ts';
import type { Json } from './call.ts';
import { isObject } from './input.ts';
import { isNamespace } from './namespaces.ts';

/** Keeps a namespace until its contents are deleted. */
export const contentsFinalizer = 'ecsm.sh/namespace-contents';
/** The name of a namespace, by which selectors find it. */
export const nameLabel = 'kubernetes.io/metadata.name';

export function prepare(kind: Pick<Kind, 'apiVersion' | 'kind'>, object: Json): Json {
  if (kind.apiVersion === Secret.apiVersion && kind.kind === Secret.kind) return withEncodedData(object);
  if (isNamespace(kind)) return withNameLabel(withFinalizer(object));
  return object;
}

/**
 * `stringData` is written into `data`, in base64. What is not text stays where it is, for validation to reject: the text
 * of a number such as `1e5` is not the password that its author wrote.
 */
function withEncodedData(object: Json): Json {
  const { stringData, ...secret } = object;
  if (stringData === undefined || stringData === null) return secret;
  const data = secret['data'] ?? {};
  if (!isObject(stringData) || !isObject(data)) return object;
  const encoded: Record<string, string> = {};
  for (const [key, value] of Object.entries(stringData)) {
    if (typeof value !== 'string') return object;
    setOwn(encoded, key, Buffer.from(value).toString('base64'));
  }
  return { ...secret, data: { ...data, ...encoded } };
}

function withFinalizer(namespace: Json): Json {
  const metadata = isObject(namespace['metadata']) ? namespace['metadata'] : {};
  if (metadata['uid'] !== undefined || metadata['deletionTimestamp'] !== undefined) return namespace;
  const finalizers = Array.isArray(metadata['finalizers']) ? metadata['finalizers'] : [];
  if (finalizers.includes(contentsFinalizer)) return namespace;
  return { ...namespace, metadata: { ...metadata, finalizers: [...finalizers, contentsFinalizer] } };
}

/** A generated name is not known yet: the controller of namespaces sets the label then. */
function withNameLabel(namespace: Json): Json {
  const metadata = isObject(namespace['metadata']) ? namespace['metadata'] : {};
  const { name, labels } = metadata;
  if (typeof name !== 'string') return namespace;
  return {
    ...namespace,
    metadata: { ...metadata, labels: { ...(isObject(labels) ? labels : {}), [nameLabel]: name } },
  };
}
