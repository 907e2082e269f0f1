/** Warns about changes of a number that an autoscaler sets. */
import { ECSMHpa, ECSMService } from '@ecsm/operator/kinds';
import { isApiError } from '@ecsm/runtime';
import type { Session } from '../shared/session.ts';
import type { Target } from '../shared/targets.ts';

/** Undefined if no autoscaler has this target, or if that cannot be read. */
export async function autoscalingWarning(
  { registry }: Pick<Session, 'registry'>,
  { kind, namespace, name }: Target,
): Promise<string | undefined> {
  if (kind !== ECSMService) return undefined;
  try {
    const { items } = await registry.resource(ECSMHpa).list({ namespace });
    const found = items.find(({ spec }) => spec.scaleTargetRef.name === name);
    if (found === undefined) return undefined;
    const { minReplicas, maxReplicas } = found.spec;
    const hpa = `ecsmhpa/${found.metadata.name}`;
    return `${hpa} sets the number of instances of ecsmservice/${name}, from ${minReplicas} to ${maxReplicas}, and may change it again: edit or delete ${hpa} instead`;
  } catch (error) {
    // A server may not have the kind, or the user may not read it. The change itself is not affected.
    if (isApiError(error)) return undefined;
    throw error;
  }
}
