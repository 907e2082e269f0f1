/** What a server serves: the resources that discovery and OpenAPI describe. */
import type { Kind } from '@ecsm/runtime';

/** The part of a kind that discovery and OpenAPI need. */
export type DescribedKind = Pick<
  Kind,
  | 'group'
  | 'version'
  | 'kind'
  | 'plural'
  | 'singular'
  | 'shortNames'
  | 'categories'
  | 'description'
  | 'scope'
  | 'jsonSchema'
>;

export interface ServedSubresource {
  /** `status`, `scale` */
  readonly name: string;
  /** The kind of its objects. */
  readonly kind: string;
  /** Default: group and version of the resource. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

export interface ServedResource {
  readonly kind: DescribedKind;
  /** Empty for a resource of which only subresources are served. */
  readonly verbs: readonly string[];
  readonly subresources: readonly ServedSubresource[];
  /** Whether it accepts strategic merge patches. Default false. */
  readonly strategicMerge?: boolean;
}

/** The verbs of a resource that clients can read and change, in the order of Kubernetes. */
export const allVerbs: readonly string[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

export const readVerbs: readonly string[] = ['get', 'list', 'watch'];

const subresourceVerbs: readonly string[] = ['get', 'patch', 'update'];

/** A kind with the subresources that follow from its definition: `status` and `scale`. */
export function servedKind(
  kind: DescribedKind & Pick<Kind, 'status' | 'scale'>,
  options: { readonly verbs?: readonly string[]; readonly strategicMerge?: boolean } = {},
): ServedResource {
  const { verbs = allVerbs, strategicMerge = false } = options;
  const canWrite = verbs.includes('update');
  return {
    kind,
    verbs,
    strategicMerge,
    subresources: [
      ...(canWrite && kind.status ? [{ name: 'status', kind: kind.kind, verbs: subresourceVerbs }] : []),
      ...(canWrite && kind.scale
        ? [{ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: subresourceVerbs }]
        : []),
    ],
  };
}

/** Groups in the order of their first resource, each with its versions: the first one is preferred. */
export function groupsOf(served: readonly ServedResource[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { kind } of served) {
    const versions = groups.get(kind.group) ?? [];
    if (!versions.includes(kind.version)) groups.set(kind.group, [...versions, kind.version]);
  }
  return groups;
}

/** The resources of a group and version. */
export function resourcesOf(
  served: readonly ServedResource[],
  group: string,
  version: string,
): readonly ServedResource[] {
  return served.filter(({ kind }) => kind.group === group && kind.version === version);
}
