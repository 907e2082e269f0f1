/** An object as a person would write it down: without what only the registry and the operator write. */
import { type ApiObject, lastAppliedAnnotation } from '@ecsm/runtime';

type AnyObject = ApiObject<unknown, unknown>;

export interface Written {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: unknown;
}

/** Without status, identity, history, and what `apply` remembers. Fields stand in the order in which people read. */
export function asWritten(object: AnyObject, finalizers = object.metadata.finalizers ?? []): Written {
  const { apiVersion, kind, metadata, spec } = object;
  const { name, namespace, labels = {}, ownerReferences } = metadata;
  const annotations = ownAnnotations(metadata.annotations);
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(annotations && { annotations }),
      ...(finalizers.length > 0 && { finalizers }),
      ...(ownerReferences && { ownerReferences }),
    },
    spec,
  };
}

/** Those that are not the tool's own memory. Nothing if there are none. */
export function ownAnnotations(
  annotations: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> | undefined {
  const { [lastAppliedAnnotation]: _, ...own } = annotations;
  return Object.keys(own).length === 0 ? undefined : own;
}
