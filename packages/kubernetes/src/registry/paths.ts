/** The paths of a kind on an API server. */
import { ApiError, type Kind, NAMESPACE_DEFAULT } from '@ecsm/runtime';
import type { Subject } from '../rest/status.ts';

export type ServedKind = Pick<Kind, 'group' | 'version' | 'apiVersion' | 'kind' | 'plural' | 'scope'>;

/** The namespace of an object; empty if the kind is cluster-scoped. */
export function namespaceOf(kind: ServedKind, namespace: string | undefined): string {
  return kind.scope === 'Cluster' ? '' : (namespace ?? NAMESPACE_DEFAULT);
}

/** The path of all objects of a kind, or of those in one namespace. */
export function collectionPath(kind: ServedKind, namespace: string | undefined): string {
  const { group, version, plural } = kind;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  if (namespace === undefined || kind.scope === 'Cluster') return `${root}/${plural}`;
  return `${root}/namespaces/${segment('namespace', namespace)}/${plural}`;
}

export function objectPath(
  kind: ServedKind,
  namespace: string | undefined,
  name: string,
  subresource?: string,
): string {
  const path = `${collectionPath(kind, namespaceOf(kind, namespace))}/${segment('name', name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

export function subjectOf({ kind, plural }: ServedKind, name = ''): Subject {
  return { kind, plural, name };
}

/** An empty name would address the collection, and `..` another path. */
function segment(what: string, text: string): string {
  if (typeof text !== 'string' || text === '' || text === '.' || text === '..' || /[/%]/.test(text)) {
    throw new ApiError('BadRequest', { reason: `"${String(text).slice(0, 100)}" is not a valid ${what}` });
  }
  return encodeURIComponent(text);
}
