/** The plan for a service without performing it: everything is read, nothing is written. */
import type { Registry } from '@ecsm/runtime';
import { ECSMService } from '../apis/ecsm-service.ts';
import type { ServiceManager } from '../resource/manager.ts';
import { type OwnerKey, platformName } from '../resource/naming.ts';
import { planCleanup } from '../service/cleanup.ts';
import type { Plan, PlanSettings } from '../service/model.ts';
import { plan } from '../service/plan.ts';
import { readRegistryId } from './registry-id.ts';
import { knownRevisions, revisionOf } from './revisions.ts';

export interface DryPlanSources {
  readonly registry: Registry;
  readonly manager: Pick<ServiceManager, 'find' | 'offlineNodes'>;
  readonly settings: PlanSettings;
}

/** Replaces the id of a registry that has none yet: no service on the platform has it. */
const noId = 'none';

/** Throws `NotFound` if there is no such service. */
export async function planFor(
  { registry, manager, settings }: DryPlanSources,
  { namespace, name }: OwnerKey,
): Promise<Plan> {
  const service = await registry.resource(ECSMService).get(name, { namespace });
  const [observed, offlineNodes, id] = await Promise.all([
    manager.find(platformName(namespace, name)),
    manager.offlineNodes(),
    readRegistryId(registry),
  ]);
  const common = { service, registryId: id ?? noId, observed, nowMs: registry.clock.now(), settings };
  if (service.metadata.deletionTimestamp !== undefined) return planCleanup(common);
  const revision = revisionOf(service);
  const revisions = await knownRevisions(registry, service, revision, observed);
  return plan({ ...common, revision, revisions, offlineNodes });
}
