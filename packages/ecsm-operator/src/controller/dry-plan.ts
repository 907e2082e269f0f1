/** The plan for a service without performing it: everything is read, nothing is written. */
import type { Registry } from '@ecsm/runtime';
import { ECSMService } from '../apis/ecsm-service.ts';
import { Fleet } from '../fleet/fleet.ts';
import { keyOfService } from '../fleet/fleet-service.ts';
import type { ServiceManager } from '../resource/manager.ts';
import { type OwnerKey, platformName } from '../resource/naming.ts';
import { allocationOfStatus } from '../service/allocation.ts';
import { planCleanup } from '../service/cleanup.ts';
import { deletedBefore } from '../service/dependencies/deletion-order.ts';
import { dependencyStateOf } from '../service/dependencies/dependency-state.ts';
import type { Plan, PlanSettings } from '../service/model.ts';
import { plan } from '../service/plan.ts';
import { readRegistryId } from './registry-id.ts';
import { knownRevisions, revisionOf } from './revisions.ts';

interface DryPlanSources {
  readonly registry: Registry;
  readonly manager: Pick<ServiceManager, 'find' | 'offlineNodes'>;
  readonly settings: PlanSettings;
  /** See `PlanInput`. */
  readonly showValues?: boolean;
}

/** Replaces the id of a registry that has none yet: no service on the platform has it. */
const noId = 'none';

/** Throws `NotFound` if there is no such service. */
export async function planFor(
  { registry, manager, settings, showValues = false }: DryPlanSources,
  { namespace, name }: OwnerKey,
): Promise<Plan> {
  const service = await registry.resource(ECSMService).get(name, { namespace });
  const [observed, offlineNodes, id] = await Promise.all([
    manager.find(platformName(namespace, name)),
    manager.offlineNodes(),
    readRegistryId(registry),
  ]);
  const common = { service, registryId: id ?? noId, observed, nowMs: registry.clock.now(), settings };
  const fleet = new Fleet();
  if (service.metadata.deletionTimestamp !== undefined) {
    await fleet.load(registry);
    const key = keyOfService(namespace, name);
    const hasDependents = fleet.dependentsOf(key).length > 0;
    return planCleanup({ ...common, deletedBefore: deletedBefore(key, fleet), hasDependents });
  }
  if (service.spec.dependsOn !== undefined) await fleet.load(registry);
  const dependencies = dependencyStateOf(service, { ...common, lookup: (key) => fleet.get(key) });
  const revision = revisionOf(service);
  const revisions = await knownRevisions(registry, service, revision, observed);
  const allocation = allocationOfStatus(service, observed);
  const more = { ...(dependencies && { dependencies }), ...(allocation && { allocation }) };
  return plan({ ...common, revision, revisions, offlineNodes, showValues, ...more });
}
