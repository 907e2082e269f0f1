/** Auto-upgrade: services that asked for it follow an image of their name that arrives in the local registry. */
import { formatImageRef, isLargerVersion, parseImageRef } from './image-ref.ts';
import type { Image, Service } from './model.ts';
import { Refusal } from './refusal.ts';
import { applySpec } from './services.ts';
import { checkSpec, specOf } from './spec.ts';
import type { World } from './world.ts';

/** To the service it is an update like any other, with a record; start parameters stay as they are. */
export function upgradeServices(world: World, image: Image): void {
  for (const service of [...world.services.values()]) {
    if (service.deletingMs !== null || !wantsUpgrade(world, service, image)) continue;
    try {
      const spec = specOf(service);
      const upgraded = { ...spec, image: { ...spec.image, ref: formatImageRef(image) } };
      // Content that is new under the old reference changes nothing in the spec, and has to be deployed all the same.
      applySpec(world, service, checkSpec(world, upgraded, service), true);
      world.log.write('info', 'service upgraded', { service: service.name, image: upgraded.image.ref });
    } catch (error) {
      // The arrival of an image is no reason to fail: a service that cannot follow stays as it is.
      if (!(error instanceof Refusal)) throw error;
      world.log.write('warn', 'service cannot be upgraded', { service: service.name, reason: error.message });
    }
  }
}

function wantsUpgrade(world: World, service: Service, image: Image): boolean {
  const ref = parseImageRef(service.image.ref);
  if (ref === undefined || ref.name !== image.name) return false;
  const os = ref.os ?? world.localImage(service.image.ref)?.os;
  if (os !== image.os) return false;
  switch (service.image.autoUpgrade.toLowerCase()) {
    case 'always':
      return true;
    case 'larger':
      return isLargerVersion(image.tag, ref.tag);
    default:
      return false;
  }
}
