/** Sets the number of instances of a target. */
import { deepEqual, isApiError, type Registry } from '@ecsm/runtime';
import { ECSMService } from '../../apis/ecsm-service.ts';
import { hpaManager } from './target.ts';

const attemptsMax = 5;

/**
 * Throws `Conflict` if the number, or anything else of the spec, was changed since the decision. Changes of the status in the
 * meantime do not matter.
 */
export async function setReplicas(registry: Registry, decidedOn: ECSMService, replicas: number): Promise<void> {
  const resource = registry.resource(ECSMService);
  const { name, namespace, uid } = decidedOn.metadata;
  const patch = { spec: { deploymentStrategy: { replicas } } };
  let { resourceVersion } = decidedOn.metadata;
  for (let attempt = 1; ; attempt++) {
    try {
      await resource.patch(name, patch, { namespace, uid, resourceVersion, manager: hpaManager });
      return;
    } catch (error) {
      if (!isApiError(error, 'Conflict') || attempt === attemptsMax) throw error;
      const newest = await resource.get(name, { namespace });
      const isSame = newest.metadata.uid === uid && newest.metadata.deletionTimestamp === undefined;
      if (!isSame || !deepEqual(newest.spec, decidedOn.spec)) throw error;
      resourceVersion = newest.metadata.resourceVersion;
    }
  }
}
