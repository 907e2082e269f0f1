/** The target of an autoscaler: its number of instances, or why it cannot be scaled. */
import { isApiError, type Registry } from '@ecsm/runtime';
import { ECSMService } from '../../apis/ecsm-service.ts';
import type { ECSMHpa } from '../../apis/hpa.ts';
import { type HpaCondition, type HpaEvent, hpaCondition, hpaEvent } from '../../service/autoscaling/reasons.ts';

export type Target =
  | { readonly is: 'scalable'; readonly service: ECSMService; readonly replicas: number }
  | { readonly is: 'not scalable'; readonly conditions: readonly HpaCondition[]; readonly event?: HpaEvent };

/** The manager of the number that an autoscaler sets. An apply by others with another number is a conflict. */
export const hpaManager = 'ecsm-hpa';

export async function readTarget(registry: Registry, { metadata, spec }: ECSMHpa): Promise<Target> {
  const { name } = spec.scaleTargetRef;
  try {
    return targetOf(await registry.resource(ECSMService).get(name, { namespace: metadata.namespace }));
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
    return refused('FailedGetScale', `the target could not be read: ECSMService "${name}" not found`);
  }
}

export function targetOf(service: ECSMService): Target {
  const { metadata, spec } = service;
  const { type, replicas } = spec.deploymentStrategy;
  if (metadata.deletionTimestamp !== undefined) {
    const message = `ECSMService "${metadata.name}" is being deleted`;
    return {
      is: 'not scalable',
      conditions: (['AbleToScale', 'ScalingActive'] as const).map((one) =>
        hpaCondition(one, false, 'TargetTerminating', message),
      ),
    };
  }
  if (type === 'Static' || replicas === undefined) {
    const message = `ECSMService "${metadata.name}" is Static: it has one instance on each of its nodes`;
    return refused('NotScalable', message);
  }
  return { is: 'scalable', service, replicas };
}

/** Another autoscaler has the same target. */
export function ambiguous(hpa: ECSMHpa, acting: ECSMHpa): Target {
  const { kind, name } = hpa.spec.scaleTargetRef;
  return refused('AmbiguousTarget', `${kind} "${name}" is scaled by ECSMHpa "${acting.metadata.name}", which is older`);
}

function refused(reason: 'FailedGetScale' | 'NotScalable' | 'AmbiguousTarget', message: string): Target {
  return {
    is: 'not scalable',
    conditions: [
      hpaCondition('AbleToScale', false, reason, message),
      hpaCondition('ScalingActive', false, reason, message),
    ],
    event: hpaEvent('Warning', reason, message),
  };
}
