/** Aggregated cluster roles: a role with an aggregation rule has the rules of all the roles that it selects. */
import {
  isApiError,
  type LabelSelector,
  type LabelSelectorObject,
  labelSelectorOf,
  matchesLabels,
} from '@ecsm/runtime';
import type { ClusterRole, PolicyRule } from './objects.ts';

/**
 * The rules of each cluster role by name. Several roles of one name are one role with all their rules and selectors, so
 * that a built-in role keeps its rules whatever is stored under its name. They are selected one by one: the labels of a
 * stored role do not give away the rules of the built-in one. A role may select roles that aggregate themselves, in
 * circles too.
 */
export function aggregatedRules(roles: readonly ClusterRole[]): ReadonlyMap<string, readonly PolicyRule[]> {
  const selectors = new Map<ClusterRole, readonly LabelSelector[]>();
  const byName = new Map<string, ClusterRole[]>();
  for (const role of roles) {
    byName.set(role.name, [...(byName.get(role.name) ?? []), role]);
    const own = (role.aggregationRule?.clusterRoleSelectors ?? []).flatMap(validSelector);
    if (own.length > 0) selectors.set(role, own);
  }
  const collect = (role: ClusterRole, seen: Set<ClusterRole>): PolicyRule[] => {
    if (seen.has(role)) return [];
    seen.add(role);
    const selected = selectors.get(role);
    if (!selected) return [...role.rules];
    const others = roles.filter((other) => selected.some((selector) => matchesLabels(selector, other.labels)));
    return [...role.rules, ...others.flatMap((other) => collect(other, seen))];
  };
  const rulesOf = (ofOneName: readonly ClusterRole[]) => {
    const seen = new Set<ClusterRole>();
    return ofOneName.flatMap((role) => collect(role, seen));
  };
  return new Map([...byName].map(([name, ofOneName]) => [name, rulesOf(ofOneName)]));
}

/** An invalid selector selects nothing: the role keeps its other rules. */
function validSelector(selector: LabelSelectorObject): LabelSelector[] {
  try {
    return [labelSelectorOf(selector)];
  } catch (error) {
    if (isApiError(error, 'BadRequest')) return [];
    throw error;
  }
}
