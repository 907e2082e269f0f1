/** Which services on the platform are ours, and which are in our way. Nothing that is not ours is ever touched. */
import { adoptAnnotation } from '../apis/well-known.ts';
import { isOurs } from '../resource/mark.ts';
import type { PlatformService } from '../resource/model.ts';
import { platformName } from '../resource/naming.ts';
import type { PlanInput } from './model.ts';

export interface Ownership {
  /** Oldest first, an order in which they stay: whichever is being removed now was chosen first before, too. */
  readonly owned: readonly PlatformService[];
  /** Somebody's service that has our name and is to become ours by an update. */
  readonly adopted?: PlatformService;
  /** Why nothing can be done. */
  readonly obstacle?: string;
}

export function ownershipOf(input: Pick<PlanInput, 'service' | 'registryId' | 'observed'>): Ownership {
  const { service, registryId, observed } = input;
  const { namespace, name, annotations } = service.metadata;
  const base = platformName(namespace, name);
  const owned = observed.filter(({ mark }) => isOurs(mark, { registryId, namespace, name })).sort(byAge);
  // Whatever else is there, what is ours is looked after; a new name can be found for a second service.
  if (owned.length > 0) return { owned };
  const twin = observed.find(({ mark }) => mark?.namespace === namespace && mark.name === name);
  if (twin !== undefined) {
    return { owned, obstacle: `the service ${twin.name} on the platform belongs to the registry ${ownerOf(twin)}` };
  }
  const inTheWay = observed.find((one) => one.name === base);
  if (inTheWay === undefined) return { owned };
  if (inTheWay.mark !== undefined) {
    return { owned, obstacle: `the service ${base} on the platform belongs to ${ownerOf(inTheWay)}` };
  }
  if (annotations?.[adoptAnnotation] === 'true') return { owned, adopted: inTheWay };
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
