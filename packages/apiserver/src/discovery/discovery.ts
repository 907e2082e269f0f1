/** Discovery documents: which groups, versions and resources the server has, and in which version it is. */
import { groupsOf, resourcesOf, type ServedResource } from './served.ts';

interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

/** The version of Kubernetes whose API is served. Clients warn if theirs is more than one minor version away. */
const kubernetes = { major: '1', minor: '34' };

/** `/version`. `version` is that of the program, a semantic version. */
export function versionInfo(version = '0.0.0', platform = 'linux/amd64'): VersionInfo {
  const { major, minor } = kubernetes;
  return {
    major,
    minor,
    gitVersion: `v${major}.${minor}.0+ecsm-${version}`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform,
  };
}

interface ApiVersions {
  readonly kind: 'APIVersions';
  readonly versions: readonly string[];
  /** Empty: clients keep the address that they used. */
  readonly serverAddressByClientCIDRs: readonly never[];
}

/** `/api`: the versions of the core group. */
export function apiVersions(): ApiVersions {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
}

interface GroupVersionName {
  /** `ecsm.sh/v1` */
  readonly groupVersion: string;
  readonly version: string;
}

interface ApiGroupEntry {
  readonly name: string;
  readonly versions: readonly GroupVersionName[];
  readonly preferredVersion: GroupVersionName;
}

interface ApiGroup extends ApiGroupEntry {
  readonly kind: 'APIGroup';
  readonly apiVersion: 'v1';
}

interface ApiGroupList {
  readonly kind: 'APIGroupList';
  readonly apiVersion: 'v1';
  readonly groups: readonly ApiGroupEntry[];
}

/** `/apis`: all groups except the core group. */
export function apiGroupList(served: readonly ServedResource[]): ApiGroupList {
  const groups = [...groupsOf(served)].flatMap(([name, versions]) => groupEntry(name, versions));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** `/apis/GROUP`. Returns undefined for an unknown group. */
export function apiGroup(served: readonly ServedResource[], group: string): ApiGroup | undefined {
  const [entry] = groupEntry(group, groupsOf(served).get(group) ?? []);
  return entry && { kind: 'APIGroup', apiVersion: 'v1', ...entry };
}

/** Empty for the core group, and for a group without versions. */
function groupEntry(name: string, versions: readonly string[]): readonly ApiGroupEntry[] {
  const names = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  const [preferredVersion] = names;
  return name === '' || preferredVersion === undefined ? [] : [{ name, versions: names, preferredVersion }];
}

interface ApiResource {
  /** `widgets`, or `widgets/status` for a subresource. */
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  /** Only if they differ from those of the list. */
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

interface ApiResourceList {
  readonly kind: 'APIResourceList';
  readonly apiVersion: 'v1';
  readonly groupVersion: string;
  readonly resources: readonly ApiResource[];
}

/** `/api/v1` and `/apis/GROUP/VERSION`. Returns undefined for an unknown group or version. */
export function apiResourceList(
  served: readonly ServedResource[],
  group: string,
  version: string,
): ApiResourceList | undefined {
  const found = resourcesOf(served, group, version);
  if (found.length === 0 && !(group === '' && version === 'v1')) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources: found.flatMap(apiResources),
  };
}

function apiResources({ kind, verbs, subresources }: ServedResource): readonly ApiResource[] {
  const { plural, singular, shortNames, categories } = kind;
  const namespaced = kind.scope === 'Namespaced';
  const resource: ApiResource = {
    name: plural,
    singularName: singular,
    namespaced,
    kind: kind.kind,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
  };
  const others = subresources.map(({ name, ...subresource }) => ({
    name: `${plural}/${name}`,
    singularName: '',
    namespaced,
    ...subresource,
  }));
  return verbs.length === 0 ? others : [resource, ...others];
}
