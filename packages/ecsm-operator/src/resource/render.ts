/**
 * Renders the payload of a creation or an update. Fields that the spec does not set are omitted, so that the platform's
 * defaults apply.
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
  /** The template of the revision is rendered, not that of the spec: a paused service keeps an older one. */
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
    // The platform's default is false; the client omits the field from updates.
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
