/**
 * A service as the platform is to have it: the whole body of a creation or an update. What the spec does not set is not
 * in it, so that the platform's own defaults stay.
 */
import type { ImageVsoa, ServiceBody } from '@ecsm/client';
import type { ECSMService, ServiceTemplate } from '../apis/ecsm-service.ts';
import { osOf } from '../apis/image.ts';
import { imageRefOf, pullPolicyOf } from './image-source.ts';
import { markLines } from './mark.ts';
import { present } from './present.ts';
import { renderLinux } from './render-linux.ts';
import { renderSylixos } from './render-sylixos.ts';

export interface RenderInput {
  readonly service: {
    readonly metadata: Pick<ECSMService['metadata'], 'namespace' | 'name' | 'uid'>;
    readonly spec: Pick<ECSMService['spec'], 'deploymentStrategy' | 'upgradeStrategy'>;
  };
  /** The template that is rendered is the revision's, not the spec's: an older one may have to stay for now. */
  readonly revision: { readonly hash: string; readonly template: ServiceTemplate };
  readonly registryId: string;
  readonly platformName: string;
  /** Default: those of the spec. Only for Dynamic. */
  readonly replicas?: number | undefined;
  /** Default: the nodes of the spec. */
  readonly nodeNames?: readonly string[] | undefined;
}

export function renderService(input: RenderInput): ServiceBody {
  const { service, revision, registryId } = input;
  const { namespace, name, uid } = service.metadata;
  const mark = markLines({ registry: registryId, namespace, name, uid, revision: revision.hash });
  const { template } = revision;
  return {
    name: input.platformName,
    image: {
      ref: imageRefOf(template),
      action: template.platformSpecific.action === 'Load' ? 'load' : 'run',
      config: osOf(template) === 'linux' ? renderLinux(template, mark) : renderSylixos(template, mark),
      pullPolicy: pullPolicyOf(template),
      autoUpgrade: service.spec.upgradeStrategy.type,
      ...(template.vsoa === undefined ? {} : { vsoa: vsoaOf(template.vsoa) }),
    },
    ...placementOf(input),
    // Off is the platform's default; the client leaves the field out of updates, where it has no place.
    ...(template.prepull ? { prepull: true } : {}),
  };
}

function placementOf({ service, replicas, nodeNames }: RenderInput): Pick<ServiceBody, 'node' | 'policy' | 'factor'> {
  const strategy = service.spec.deploymentStrategy;
  if (strategy.type === 'Static') return { node: { names: nodeNames ?? strategy.nodes ?? [] }, policy: 'static' };
  return {
    node: { names: nodeNames ?? strategy.nodePool ?? [] },
    policy: 'dynamic',
    factor: replicas ?? strategy.replicas ?? 0,
  };
}

function vsoaOf({ port, password, healthCheck }: NonNullable<ServiceTemplate['vsoa']>): ImageVsoa {
  const milliseconds = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000);
  return present({
    port,
    password,
    healthPath: healthCheck?.path,
    healthTimeout: milliseconds(healthCheck?.timeoutSeconds),
    healthRetries: healthCheck?.failureThreshold,
    healthStartPeriod: milliseconds(healthCheck?.initialDelaySeconds),
    healthInterval: milliseconds(healthCheck?.periodSeconds),
  });
}
