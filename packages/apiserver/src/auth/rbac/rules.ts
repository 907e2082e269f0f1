/** Whether one rule allows a request, exactly as in Kubernetes. */
import type { RequestAttributes } from '../contract.ts';
import type { PolicyRule } from './objects.ts';

export function ruleAllows(rule: PolicyRule, request: RequestAttributes): boolean {
  if (!has(rule.verbs, request.verb)) return false;
  if (!request.isResource) return (rule.nonResourceURLs ?? []).some((url) => urlCovers(url, request.path));
  return (
    has(rule.apiGroups, request.apiGroup) &&
    resourcesAllow(rule.resources, request.resource, request.subresource) &&
    (isEmpty(rule.resourceNames) || rule.resourceNames.includes(request.name))
  );
}

/** `pods/log` is allowed by itself, by `*` and by the subresource of all resources, but not by `pods`. */
function resourcesAllow(resources: readonly string[] = [], resource: string, subresource: string): boolean {
  if (subresource === '') return has(resources, resource);
  return has(resources, `${resource}/${subresource}`) || resources.includes(`*/${subresource}`);
}

/** A star at the end of `allowed` stands for anything. */
export function urlCovers(allowed: string, path: string): boolean {
  if (allowed === path) return true;
  return allowed.endsWith('*') && path.startsWith(allowed.replace(/\*+$/, ''));
}

export function has(list: readonly string[] = [], value: string): boolean {
  return list.includes('*') || list.includes(value);
}

export function isEmpty<T>(list: readonly T[] | undefined): list is undefined | readonly [] {
  return list === undefined || list.length === 0;
}
