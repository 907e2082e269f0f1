/**
 * A user cannot grant permissions that it does not have. The server calls these functions before a write of a role, a
 * binding or a token; they throw `Forbidden`. As in Kubernetes, the verbs `escalate` on a role and `bind` on a referenced
 * role allow it all the same. A missing role and a role that the user may not read get the same answer.
 */
import { ApiError } from '@ecsm/runtime';
import { type Authorizer, groups, type RequestAttributes, type User } from '../contract.ts';
import type { RbacSource } from './authorizer.ts';
import { type PolicyRule, type RoleReference, rbacGroup } from './objects.ts';
import { isMaster } from './policy.ts';
import { has, isEmpty, urlCovers } from './rules.ts';

export interface EscalationContext {
  readonly user: User;
  readonly source: RbacSource;
  readonly authorizer: Authorizer;
}

/** A rule is checked for each combination of its verbs, groups, resources and names. */
export const combinationsMax = 100_000;
/** Missing rules in a message. */
const namedRulesMax = 10;

export interface RoleWrite {
  readonly kind: 'Role' | 'ClusterRole';
  readonly name: string;
  /** Empty for a ClusterRole. */
  readonly namespace: string;
  readonly rules: readonly PolicyRule[];
  /** Whether the role, or the one that it replaces, has an aggregation rule: that can collect everything. */
  readonly isAggregated: boolean;
}

/** Before a role is created, or its rules are changed. */
export async function checkRoleWrite(context: EscalationContext, role: RoleWrite): Promise<void> {
  const { user } = context;
  const { kind, name, namespace, rules, isAggregated } = role;
  if (isMaster(user)) return;
  if (await isAllowed(context, 'escalate', pluralOf(kind), namespace, name)) return;
  const missing = missingRules(context, namespace, rules);
  if (missing.length > 0) throw new ApiError('Forbidden', { reason: escalationText(user, missing) });
  if (isAggregated && missingRules(context, '', fullAuthority).length > 0) {
    throw new ApiError('Forbidden', { reason: 'must have cluster-admin privileges to use the aggregationRule' });
  }
}

export interface BindingWrite {
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly roleRef: RoleReference;
}

/** Before a binding is created, or its subjects are changed. */
export async function checkBindingWrite(context: EscalationContext, binding: BindingWrite): Promise<void> {
  const { user, source } = context;
  const { namespace, roleRef } = binding;
  if (isMaster(user)) return;
  const resource = pluralOf(roleRef.kind);
  if (await isAllowed(context, 'bind', resource, namespace, roleRef.name)) return;
  const rules = source.policy().rulesOf(roleRef, namespace);
  const missing = rules === undefined ? undefined : missingRules(context, namespace, rules);
  if (missing?.length === 0) return;
  const mayRead = await isAllowed(context, 'get', resource, roleRef.kind === 'Role' ? namespace : '', roleRef.name);
  const reason =
    mayRead && missing !== undefined
      ? escalationText(user, missing)
      : `user ${JSON.stringify(user.name)} is attempting to grant RBAC permissions not currently held`;
  throw new ApiError('Forbidden', { reason });
}

/** Before a token is created: it is for the user itself, with some of its groups, or for one that it may impersonate. */
export async function checkTokenWrite(
  context: Pick<EscalationContext, 'user' | 'authorizer'>,
  token: { readonly user: string; readonly groups: readonly string[] },
): Promise<void> {
  const { user } = context;
  if (isMaster(user)) return;
  const may = (resource: string, name: string) => isAllowed(context, 'impersonate', resource, '', name, '');
  const isOwn = token.user === user.name || (await may('users', token.user));
  const others = token.groups.filter((group) => !user.groups.includes(group));
  const answers = await Promise.all(others.map((group) => may('groups', group)));
  // Membership in it allows everything, so a role that allows to impersonate groups is not enough.
  if (isOwn && answers.every(Boolean) && !others.includes(groups.masters)) return;
  const reason = `user ${JSON.stringify(user.name)} cannot create a token for another user or group without the verb impersonate`;
  throw new ApiError('Forbidden', { reason });
}

const fullAuthority: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** The parts of `rules` that the user does not have. */
function missingRules(
  { user, source }: EscalationContext,
  namespace: string,
  rules: readonly PolicyRule[],
): PolicyRule[] {
  const own = [...source.policy().grantsOf(user, namespace)].flatMap((grant) => grant.rules);
  const missing: PolicyRule[] = [];
  for (const atom of atomsOfAll(rules)) {
    if (own.some((rule) => covers(rule, atom))) continue;
    missing.push(atom);
    if (missing.length > namedRulesMax) break;
  }
  return missing;
}

function* atomsOfAll(rules: readonly PolicyRule[]): Generator<PolicyRule> {
  let combinations = 0;
  for (const rule of rules) {
    for (const atom of atomsOf(rule)) {
      if (++combinations > combinationsMax) {
        throw new ApiError('BadRequest', { reason: `the rules have more than ${combinationsMax} combinations` });
      }
      yield atom;
    }
  }
}

/** One verb, one group, one resource and at most one name, or one verb and one path. */
function* atomsOf({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames,
  nonResourceURLs = [],
}: PolicyRule): Generator<PolicyRule> {
  const names = isEmpty(resourceNames) ? [undefined] : resourceNames;
  for (const verb of verbs) {
    for (const url of nonResourceURLs) yield { verbs: [verb], nonResourceURLs: [url] };
    for (const group of apiGroups) {
      for (const resource of resources) {
        for (const name of names) {
          const atom = { verbs: [verb], apiGroups: [group], resources: [resource] };
          yield name === undefined ? atom : { ...atom, resourceNames: [name] };
        }
      }
    }
  }
}

/** Whether a rule allows all that an atom allows. */
function covers(rule: PolicyRule, atom: PolicyRule): boolean {
  const { resourceNames } = rule;
  return (
    all(atom.verbs, (verb) => has(rule.verbs, verb)) &&
    all(atom.apiGroups, (group) => has(rule.apiGroups, group)) &&
    all(atom.resources, (resource) => coversResource(rule.resources, resource)) &&
    all(atom.nonResourceURLs, (url) => (rule.nonResourceURLs ?? []).some((own) => urlCovers(own, url))) &&
    (isEmpty(resourceNames) ||
      (!isEmpty(atom.resourceNames) && all(atom.resourceNames, (name) => resourceNames.includes(name))))
  );
}

function coversResource(own: readonly string[] | undefined, resource: string): boolean {
  const slash = resource.indexOf('/');
  return has(own, resource) || (slash !== -1 && (own ?? []).includes(`*${resource.slice(slash)}`));
}

const all = (values: readonly string[] | undefined, test: (value: string) => boolean) => (values ?? []).every(test);

async function isAllowed(
  { user, authorizer }: Pick<EscalationContext, 'user' | 'authorizer'>,
  verb: string,
  resource: string,
  namespace: string,
  name: string,
  apiGroup: string = rbacGroup,
): Promise<boolean> {
  const request: RequestAttributes = {
    user,
    verb,
    isResource: true,
    apiGroup,
    apiVersion: 'v1',
    resource,
    subresource: '',
    namespace,
    name,
    path: '',
  };
  return authorizer.authorize(request).allowed;
}

const pluralOf = (kind: 'Role' | 'ClusterRole') => (kind === 'Role' ? 'roles' : 'clusterroles');

/** The words of Kubernetes. The rules are those of the request, or of a role that the user may read. */
function escalationText(user: User, missing: readonly PolicyRule[]): string {
  const lines = missing.slice(0, namedRulesMax).map(describeRule);
  const more = missing.length > namedRulesMax ? ['…'] : [];
  const who = `user ${JSON.stringify(user.name)} (groups=${JSON.stringify(user.groups)})`;
  return [`${who} is attempting to grant RBAC permissions not currently held:`, ...lines, ...more].join('\n');
}

function describeRule({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  const parts = {
    APIGroups: apiGroups,
    Resources: resources,
    ResourceNames: resourceNames,
    NonResourceURLs: nonResourceURLs,
    Verbs: verbs,
  };
  const shown = Object.entries(parts).filter(([, values]) => !isEmpty(values));
  return `{${shown.map(([name, values]) => `${name}:${JSON.stringify(values)}`).join(', ')}}`;
}
