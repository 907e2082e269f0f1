/** Payloads of requests to the platform: a rendered service, or the existing one with another size. */
import type { ServiceBody, ServiceImageBody } from '@ecsm/client';
import { shape } from '@ecsm/runtime';
import type { PlatformService } from '../resource/model.ts';
import { present } from '../resource/present.ts';
import { renderService } from '../resource/render.ts';
import type { RevisionContent } from './model.ts';
import type { PlanContext } from './plan-context.ts';

/** Number of instances of a dynamic service, and the nodes of either policy. */
export interface Size {
  readonly replicas?: number;
  readonly nodeNames?: readonly string[];
}

/** Default: the desired size. */
export function rendered(
  { input, wanted }: PlanContext,
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
 * The service as it is, with another size. Rendered from its old revision it could differ in other fields, and then the
 * platform would replace the instances. Returns undefined if the platform does not return enough of the service.
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

/** Checks only the required fields: the image is sent back unchanged. */
function isImageBody(image: Readonly<Record<string, unknown>>): image is ServiceImageBody {
  return typeof image['ref'] === 'string' && shape.isObject(image['config']);
}
