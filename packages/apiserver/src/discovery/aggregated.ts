/** Aggregated discovery (apidiscovery.k8s.io/v2): all groups, versions and resources in one document. */
import { type DescribedKind, groupsOf, resourcesOf, type ServedResource, type ServedSubresource } from './served.ts';

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface SubresourceDiscovery {
  readonly subresource: string;
  readonly responseKind: GroupVersionKind;
  readonly verbs: readonly string[];
}

interface ResourceDiscovery {
  readonly resource: string;
  readonly responseKind: GroupVersionKind;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly SubresourceDiscovery[];
}

interface GroupDiscovery {
  /** The name is the group, and absent for the core group. */
  readonly metadata: { readonly name?: string; readonly creationTimestamp: null };
  readonly versions: readonly {
    readonly version: string;
    readonly freshness: 'Current';
    readonly resources: readonly ResourceDiscovery[];
  }[];
}

interface GroupDiscoveryList {
  readonly kind: 'APIGroupDiscoveryList';
  readonly apiVersion: 'apidiscovery.k8s.io/v2';
  readonly metadata: Readonly<Record<string, never>>;
  readonly items: readonly GroupDiscovery[];
}

/** The content type of the document, which clients recognize it by. */
export const aggregatedContentType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** `/api` has the core group, `/apis` all others. */
export function groupDiscoveryList(served: readonly ServedResource[], prefix: 'api' | 'apis'): GroupDiscoveryList {
  const groups = [...groupsOf(served)].filter(([group]) => (group === '') === (prefix === 'api'));
  const items = groups.map(([group, versions]) => ({
    metadata: group === '' ? { creationTimestamp: null } : { name: group, creationTimestamp: null },
    versions: versions.map((version) => ({
      version,
      freshness: 'Current' as const,
      resources: resourcesOf(served, group, version).map(resourceDiscovery),
    })),
  }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

function resourceDiscovery({ kind, verbs, subresources }: ServedResource): ResourceDiscovery {
  const { group, version, plural, singular, shortNames, categories, scope } = kind;
  return {
    resource: plural,
    responseKind: { group, version, kind: kind.kind },
    scope,
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && { subresources: subresources.map((item) => subresourceDiscovery(kind, item)) }),
  };
}

function subresourceDiscovery(kind: DescribedKind, subresource: ServedSubresource): SubresourceDiscovery {
  const { name, group = kind.group, version = kind.version, verbs } = subresource;
  return { subresource: name, responseKind: { group, version, kind: subresource.kind }, verbs };
}
