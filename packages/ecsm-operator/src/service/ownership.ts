/** Which services on the platform this ECSMService owns, and which prevent it from creating one. Others are never changed. */
import { adoptAnnotation } from '../apis/well-known.ts';
import { isOurs } from '../resource/mark.ts';
import type { PlatformService } from '../resource/model.ts';
import { platformName } from '../resource/naming.ts';
import type { PlanInput } from './model.ts';

export interface Ownership {
  /** Oldest first. The order is stable, so that a service that is being deleted is chosen again. */
  readonly owned: readonly PlatformService[];
  /** A service of our name without an owner mark, to be adopted with an update. */
  readonly adopted?: PlatformService;
  /** Why no step is possible. */
  readonly obstacle?: string;
}

export function ownershipOf(input: Pick<PlanInput, 'service' | 'registryId' | 'observed'>): Ownership {
  const { service, registryId, observed } = input;
  const { namespace, name, annotations } = service.metadata;
  const base = platformName(namespace, name);
  const owned = observed.filter(({ mark }) => isOurs(mark, { registryId, namespace, name })).sort(byAge);
  // Other services do not matter then: a second service of ours gets a name that is free.
  if (owned.length > 0) return { owned };
  const sameOwner = observed.find(({ mark }) => mark?.namespace === namespace && mark.name === name);
  if (sameOwner !== undefined) {
    return {
      owned,
      obstacle: `the service ${sameOwner.name} on the platform belongs to the registry ${ownerOf(sameOwner)}`,
    };
  }
  const sameName = observed.find((one) => one.name === base);
  if (sameName === undefined) return { owned };
  if (sameName.mark !== undefined) {
    return { owned, obstacle: `the service ${base} on the platform belongs to ${ownerOf(sameName)}` };
  }
  if (annotations?.[adoptAnnotation] === 'true') return { owned, adopted: sameName };
  const hint = `annotate the ECSMService with ${adoptAnnotation}=true to adopt it`;
  return { owned, obstacle: `the service ${base} on the platform has no owner mark: ${hint}` };
}

function ownerOf({ mark }: PlatformService): string {
  return mark === undefined ? 'no owner' : `${mark.registry} (${mark.namespace}/${mark.name})`;
}

function byAge(left: PlatformService, right: PlatformService): number {
  return compare(left.detail.createdTime ?? '', right.detail.createdTime ?? '') || compare(left.name, right.name);
}

function compare(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}
