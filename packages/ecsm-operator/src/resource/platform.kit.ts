/** A simulated platform and what it takes to put services on it, for tests of this folder. */
import { Ecsm, RestClient, type ServiceBody, type Transport } from '@ecsm/client';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { type Behaviour, type ProfileName, profiles, Simulator } from '@ecsm/simulator';
import { ECSMService, type ECSMServiceInput } from '../apis/ecsm-service.ts';
import { revisionHash } from './hash.ts';
import { ServiceManager } from './manager.ts';
import { platformName } from './naming.ts';
import { type RenderInput, renderService } from './render.ts';

export const registryId = 'registry-1';

export interface Stage {
  readonly clock: VirtualClock;
  readonly simulator: Simulator;
  readonly ecsm: Ecsm;
  readonly manager: ServiceManager;
  /** Called with `GET /api/v1/service…` before the platform sees it. */
  onCall: ((call: string) => void) | undefined;
}

export function platformOf(behaviour: ProfileName | Partial<Behaviour> = 'instant', nodes = 8): Stage {
  const clock = new VirtualClock();
  const simulator = new Simulator({ clock, random: new SeededRandom(1), behaviour, nodes });
  const { send, close } = simulator.transport();
  const transport: Transport = {
    send(request, options) {
      stage.onCall?.(`${request.method} ${request.target}`);
      return send(request, options);
    },
    close,
  };
  const ecsm = new Ecsm(new RestClient({ transport, clock, random: new SeededRandom(2), attemptsMax: 1 }));
  const stage: Stage = { clock, simulator, ecsm, manager: new ServiceManager(ecsm), onCall: undefined };
  return stage;
}

/** Everything takes no time, and every guess is as the profile has it. */
export function withoutWaiting(profile: ProfileName): Behaviour {
  const { migrationDelayMs, startMs, stopMs, deleteMs, restartDelayMs, pullBytesPerSecond } = profiles.instant;
  return { ...profiles[profile], migrationDelayMs, startMs, stopMs, deleteMs, restartDelayMs, pullBytesPerSecond };
}

/** As the registry would give it. */
export function stored(input: ECSMServiceInput, uid = 'uid-1'): RenderInput['service'] {
  const { metadata, spec } = ECSMService.parse({ apiVersion: 'ecsm.sh/v1', kind: 'ECSMService', ...input });
  return { metadata: { namespace: metadata.namespace, name: metadata.name, uid }, spec };
}

export function revisionOf(input: ECSMServiceInput): RenderInput['revision'] {
  const { template } = ECSMService.parse({ apiVersion: 'ecsm.sh/v1', kind: 'ECSMService', ...input }).spec;
  return { template, hash: revisionHash({ template }) };
}

export function rendered(input: ECSMServiceInput, more: Partial<RenderInput> = {}): ServiceBody {
  const service = stored(input);
  const { namespace, name } = service.metadata;
  const revision = revisionOf(input);
  return renderService({ service, revision, registryId, platformName: platformName(namespace, name), ...more });
}
