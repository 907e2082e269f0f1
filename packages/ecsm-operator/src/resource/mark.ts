/**
 * The owner mark. The platform has no field for it, but it stores and returns the environment of instances, so the mark is
 * kept there. It overrides a variable of the same name in a template.
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

/** The lines of the environment that contain the mark. */
export function markLines(mark: Mark): readonly string[] {
  return [`${ownerVariable}=${markText(mark)}`, `${revisionVariable}=${mark.revision}`];
}

/**
 * Returns undefined if there is no mark, or if there are several different ones. A mark without a revision is valid, with
 * a revision that matches none.
 */
export function readMark(detail: Pick<ServiceDetail, 'image'>): Mark | undefined {
  const environment = environmentOf(detail).map(splitLine);
  const owner = onlyValue(environment, ownerVariable);
  const match = owner === undefined ? null : /^(.+)\/([^/]+)\/([^/]+)\/([^/]+)$/u.exec(owner);
  if (match === null) return undefined;
  const [, registry = '', namespace = '', name = '', uid = ''] = match;
  return { registry, namespace, name, uid, revision: onlyValue(environment, revisionVariable) ?? '' };
}

/** Whether it belongs to an object of this registry, namespace and name: this one, or an earlier one of the same name. */
export function isOurs(mark: Mark | undefined, { registryId, namespace, name }: OwnerIdentity): boolean {
  return mark?.registry === registryId && mark.namespace === namespace && mark.name === name;
}

function onlyValue(environment: readonly (readonly [string, string])[], variable: string): string | undefined {
  const values = new Set(environment.flatMap(([name, value]) => (name === variable ? [value] : [])));
  return values.size === 1 ? [...values][0] : undefined;
}

/** The services of one owner. */
export function ownedBy<T extends { readonly mark?: Mark }>(
  services: readonly T[],
  owner: OwnerIdentity,
): readonly T[] {
  return services.filter(({ mark }) => isOurs(mark, owner));
}
