/** Auto-upgrade: updates services when a new tag of their image is added to the local registry. */
import { checkRoom } from './admission.ts';
import { formatImageRef, isLargerVersion, parseImageRef } from './image-ref.ts';
import type { Image, Service } from './model.ts';
import { Refusal } from './refusal.ts';
import { applySpec } from './services.ts';
import { checkSpec, specOf } from './spec.ts';
import type { World } from './world.ts';

/** An upgrade is a normal update, with a record; start parameters do not change. */
export function upgradeServices(world: World, image: Image): void {
  for (const service of [...world.services.values()]) {
    if (service.deletingMs !== null || !wantsUpgrade(world, service, image)) continue;
    try {
      const spec = specOf(service);
      const upgraded = { ...spec, image: { ...spec.image, ref: formatImageRef(image) } };
      // New content with the same reference does not change the specification, but must be deployed.
      const checked = checkSpec(world, upgraded, service);
      checkRoom(world, checked, { service, isRedeployed: true });
      applySpec(world, service, checked, true);
      world.log.write('info', 'service upgraded', { service: service.name, image: upgraded.image.ref });
    } catch (error) {
      // A service that cannot be upgraded must not fail the push of the image.
      if (!(error instanceof Refusal)) throw error;
      world.log.write('warn', 'service upgrade failed', { service: service.name, reason: error.message });
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
