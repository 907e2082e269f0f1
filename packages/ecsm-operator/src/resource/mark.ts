/**
 * The mark of ownership. The platform has no field for it, but it keeps the environment of instances and gives it back,
 * so the mark travels there. A variable of the same name in a template gives way to it.
 */
import type { ServiceDetail } from '@ecsm/client';
import { environmentOf, splitLine } from './environment.ts';
import type { Mark } from './model.ts';

export const ownerVariable = 'ECSM_OWNER';
export const revisionVariable = 'ECSM_REVISION';

export interface OwnerIdentity {
  readonly registryId: string;
  readonly namespace: string;
  readonly name: string;
}

/** `registry/namespace/name/uid` */
export function markText({ registry, namespace, name, uid }: Omit<Mark, 'revision'>): string {
  return [registry, namespace, name, uid].join('/');
}

/** The lines of the environment that make the mark. */
export function markLines(mark: Mark): readonly string[] {
  return [`${ownerVariable}=${markText(mark)}`, `${revisionVariable}=${mark.revision}`];
}

/**
 * Undefined if there is none, or if there are several that disagree: whose it is cannot be known then. A mark without a
 * revision is one all the same, of a revision that fits nothing.
 */
export function readMark(detail: Pick<ServiceDetail, 'image'>): Mark | undefined {
  const environment = environmentOf(detail).map(splitLine);
  const owner = onlyValue(environment, ownerVariable);
  const match = owner === undefined ? null : /^(.+)\/([^/]+)\/([^/]+)\/([^/]+)$/u.exec(owner);
  if (match === null) return undefined;
  const [, registry = '', namespace = '', name = '', uid = ''] = match;
  return { registry, namespace, name, uid, revision: onlyValue(environment, revisionVariable) ?? '' };
}

/** Whether an object of this registry, namespace and name made it: this one, or an earlier one that was called so. */
export function isOurs(mark: Mark | undefined, { registryId, namespace, name }: OwnerIdentity): boolean {
  return mark?.registry === registryId && mark.namespace === namespace && mark.name === name;
}

function onlyValue(environment: readonly (readonly [string, string])[], variable: string): string | undefined {
  const values = new Set(environment.flatMap(([name, value]) => (name === variable ? [value] : [])));
  return values.size === 1 ? [...values][0] : undefined;
}
