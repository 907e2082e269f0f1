/** The fields of an object that users write, without those of the registry and the operator. */
import type { ApiObject } from '@ecsm/runtime';

type AnyObject = ApiObject<unknown, unknown>;

export interface UserFields {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The spec, or the fields of a kind without one. */
  readonly [field: string]: unknown;
}

/** Omits status, uid and versions. Fields are in the usual order of manifests. */
export function userFieldsOf(object: AnyObject, finalizers = object.metadata.finalizers ?? []): UserFields {
  const { apiVersion, kind, metadata, status: _, ...content } = object;
  const { name, labels = {}, annotations = {}, ownerReferences } = metadata;
  // A cluster-scoped object has none, contrary to its type.
  const namespace: string | undefined = metadata.namespace;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(Object.keys(annotations).length > 0 && { annotations }),
      ...(finalizers.length > 0 && { finalizers }),
      ...(ownerReferences && { ownerReferences }),
    },
    ...content,
  };
}
