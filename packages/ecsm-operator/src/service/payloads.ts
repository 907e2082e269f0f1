/** Payloads of requests to the platform: a rendered service, or the existing one with another size. */
import type { ServiceBody, ServiceImageBody } from '@ecsm/client';
import { shape } from '@ecsm/runtime';
import type { PlatformService } from '../resource/model.ts';
import { present } from '../resource/present.ts';
import { renderService } from '../resource/render.ts';
import type { RevisionContent } from './model.ts';
import type { Situation } from './situation.ts';

/** How many instances for a dynamic service, which nodes for either. */
export interface Size {
  readonly replicas?: number;
  readonly nodeNames?: readonly string[];
}

/** Default: the size that is wanted in the end. */
export function rendered(
  { input, wanted }: Situation,
  platformName: string,
  revision: RevisionContent,
  size: Size = {},
): ServiceBody {
  const { service, registryId } = input;
  return renderService({
    service,
    revision,
    registryId,
    platformName,
    replicas: size.replicas ?? wanted.replicas,
    nodeNames: size.nodeNames ?? wanted.nodeNames,
  });
}

/**
 * The service as it is, with another size. Rendered from its old revision it could differ in something else, and then
 * the platform would replace the very instances that are to stay. Undefined if the platform does not show enough of it.
 */
export function resized(service: PlatformService, size: Size): ServiceBody | undefined {
  const image = imageOf(service);
  if (image === undefined) return undefined;
  const nodes = { node: { names: size.nodeNames ?? service.nodeNames } };
  if (service.policy === 'static') return { name: service.name, image, ...nodes, policy: 'static' };
  return { name: service.name, image, ...nodes, policy: 'dynamic', factor: size.replicas ?? service.factor };
}

function imageOf({ detail }: PlatformService): ServiceImageBody | undefined {
  const { vsoa, ...more } = present(detail.image ?? {});
  const image = { action: 'run', ...more, ...(vsoa === undefined ? {} : { vsoa: present(vsoa) }) };
  return isImageBody(image) ? image : undefined;
}

/** It goes back as it came, and the platform is the one that knows what is in it. */
function isImageBody(image: Readonly<Record<string, unknown>>): image is ServiceImageBody {
  return typeof image['ref'] === 'string' && shape.isObject(image['config']);
}
