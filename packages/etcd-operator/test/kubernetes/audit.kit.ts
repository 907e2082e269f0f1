/** Rights in Kubernetes: those that manifests grant, and those that an account has used, from the audit log of the server. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Such as `apps/statefulsets delete`. The core group has no name: `/pods list`. */
export type Right = string;

/** For a kube-apiserver that writes its audit log into a directory. */
export function auditFlags(directory: string): readonly string[] {
  const policy = join(directory, 'audit-policy.json');
  const rules = [{ level: 'Metadata', omitStages: ['RequestReceived'] }];
  writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
  return [
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${logOf(directory)}`,
    // With it, a reference to an owner that blocks its deletion needs a right to the owner.
    '--enable-admission-plugins=OwnerReferencesPermissionEnforcement',
  ];
}

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly apiGroup?: string; readonly resource: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number };
}

export function rightsUsed(
  directory: string,
  account: string,
): { readonly used: readonly Right[]; readonly denied: readonly Right[] } {
  const events = readFileSync(logOf(directory), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): AuditEvent => JSON.parse(line))
    .filter(({ user, objectRef }) => user.username === account && objectRef !== undefined);
  const rights = (some: readonly AuditEvent[]) => [...new Set(some.flatMap(rightsOf))].sort();
  const isDenied = ({ responseStatus }: AuditEvent) => responseStatus?.code === 403;
  return { used: rights(events), denied: rights(events.filter(isDenied)) };
}

interface RoleRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** Of every ClusterRole and Role among the objects. */
export function rightsGranted(objects: readonly object[]): readonly Right[] {
  const rules = objects.flatMap((object) => ('rules' in object ? (object.rules as readonly RoleRule[]) : []));
  const rights = rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb): Right => `${group}/${resource} ${verb}`)),
    ),
  );
  return [...new Set(rights)].sort();
}

/** A server-side apply that creates the object needs both rights. */
function rightsOf({ verb, objectRef, responseStatus }: AuditEvent): readonly Right[] {
  const { apiGroup = '', resource = '', subresource } = objectRef ?? {};
  const what = `${apiGroup}/${resource}${subresource === undefined ? '' : `/${subresource}`}`;
  const isCreated = verb === 'patch' && responseStatus?.code === 201;
  return [`${what} ${verb}`, ...(isCreated ? [`${what} create`] : [])];
}

function logOf(directory: string): string {
  return join(directory, 'audit.log');
}
