/** Authorizes requests by roles and bindings. What no binding allows is forbidden. */
import { ApiError } from '@ecsm/runtime';
import type { Authorizer, Decision, RequestAttributes, User, UserRules } from '../contract.ts';
import { isMaster, type Policy } from './policy.ts';
import { isEmpty, ruleAllows } from './rules.ts';

/** The current roles and bindings. It is asked for every request, so it returns what is in memory. */
export interface RbacSource {
  policy(): Policy;
}

export class RbacAuthorizer implements Authorizer {
  readonly #source: RbacSource;

  constructor(source: RbacSource) {
    this.#source = source;
  }

  authorize(attributes: RequestAttributes): Decision {
    const { user, namespace, isResource } = attributes;
    if (isMaster(user)) return { allowed: true, reason: '' };
    // A role in a namespace gives no access to paths.
    for (const { rules, explanation } of this.#source.policy().grantsOf(user, isResource ? namespace : '')) {
      if (rules.some((rule) => ruleAllows(rule, attributes))) {
        return { allowed: true, reason: `RBAC: allowed by ${explanation}` };
      }
    }
    return { allowed: false, reason: '' };
  }

  async rulesFor(user: User, namespace: string): Promise<UserRules> {
    const rules = [...this.#source.policy().grantsOf(user, namespace)].flatMap((grant) => grant.rules);
    return {
      resourceRules: distinct(
        rules
          .filter(({ resources }) => !isEmpty(resources))
          .map(({ verbs, apiGroups = [], resources = [], resourceNames }) => ({
            verbs,
            apiGroups,
            resources,
            ...(isEmpty(resourceNames) ? {} : { resourceNames }),
          })),
      ),
      nonResourceRules: distinct(
        rules
          .filter(({ nonResourceURLs }) => !isEmpty(nonResourceURLs))
          .map(({ verbs, nonResourceURLs = [] }) => ({ verbs, nonResourceURLs })),
      ),
    };
  }
}

/** A default role grants its rules twice: as it is built in, and as it is stored. */
function distinct<Rule>(rules: readonly Rule[]): readonly Rule[] {
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}

/**
 * The error for a request that is not allowed, in the words of Kubernetes. It contains nothing but what the request
 * contained, so it does not tell whether an object exists. The server writes the object before it: `pods "x" is forbidden:`.
 */
export function forbidden(attributes: RequestAttributes): ApiError<'Forbidden'> {
  const { user, verb, isResource, apiGroup, resource, subresource, namespace, path } = attributes;
  const who = `User ${JSON.stringify(user.name)} cannot ${verb}`;
  if (!isResource) return new ApiError('Forbidden', { reason: `${who} path ${JSON.stringify(path)}` });
  const what = `resource "${subresource === '' ? resource : `${resource}/${subresource}`}" in API group "${apiGroup}"`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return new ApiError('Forbidden', { reason: `${who} ${what} ${where}` });
}
