/** The recorded revisions of a service and their state. */
import { revisionHash } from '@ecsm/operator';
import { type ECSMService, restartedAtAnnotation, ServiceRevision } from '@ecsm/operator/kinds';
import { deepEqual } from '@ecsm/runtime';
import type { Session } from '../shared/session.ts';

/** The newest first. Excludes revisions of an earlier service of the same name. */
export async function revisionsOf(
  { registry, warn }: Session,
  service: ECSMService,
): Promise<readonly ServiceRevision[]> {
  const { name, namespace, uid } = service.metadata;
  const { items, problems } = await registry.resource(ServiceRevision).list({
    namespace,
    fieldSelector: `spec.service=${name}`,
  });
  for (const { key, reason } of problems) warn(`${key} cannot be read: ${reason}`);
  return items
    .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))
    .sort((one, other) => other.spec.number - one.spec.number);
}

/** Whether the spec equals this revision. */
export function isWanted(
  { spec, metadata }: ECSMService,
  { spec: { template, restartedAt } }: ServiceRevision,
): boolean {
  return restartedAt === metadata.annotations?.[restartedAtAnnotation] && deepEqual(template, spec.template);
}

/** Whether the revision contains the template that it was made of, with all values. */
export function isComplete({ spec: { template, restartedAt, hash } }: ServiceRevision): boolean {
  // The operator has written the template of a service.
  return revisionHash({ template: template as unknown as ECSMService['spec']['template'], restartedAt }) === hash;
}

/** The state of a revision, for the table. */
export function useOf(service: ECSMService, { spec: { hash } }: ServiceRevision): string {
  const { currentRevision, updateRevision } = service.status ?? {};
  if (hash === updateRevision && hash !== currentRevision) return service.spec.paused ? 'paused' : 'rolling out';
  return hash === currentRevision ? 'current' : '';
}

/** `1, 2 and 5`, in ascending order. */
export function numbersText(revisions: readonly ServiceRevision[]): string {
  const numbers = revisions.map(({ spec }) => spec.number).sort((one, other) => one - other);
  const last = numbers.pop();
  return numbers.length === 0 ? String(last ?? 'none') : `${numbers.join(', ')} and ${last}`;
}

/** The image of a template, which users may have edited. */
export function imageOf({ spec: { template } }: ServiceRevision): string {
  const isObject = typeof template === 'object' && template !== null && 'image' in template;
  return isObject && typeof template.image === 'string' ? template.image : '<none>';
}
