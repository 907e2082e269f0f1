/** Services of a fleet, as other services see them. */
import { type FleetService, keyOfService } from './fleet-service.ts';

/** A dynamic service with one instance that runs. Depends on `dependsOn` with the defaults. */
export function fleetService(
  name: string,
  { dependsOn = [], namespace = 'default', ...changes }: FleetServiceChanges = {},
): FleetService {
  return {
    key: keyOfService(namespace, name),
    namespace,
    name,
    uid: `uid-${name}`,
    version: '1',
    createdTime: '2026-01-01T00:00:00Z',
    isBeingDeleted: false,
    dependsOn: dependsOn.map((one) => (typeof one === 'string' ? edgeTo(one, namespace) : one)),
    isWaiting: false,
    limits: {},
    policy: 'Dynamic',
    replicas: 1,
    nodeNames: ['n1'],
    maxSurge: 1,
    maxUnavailable: 0,
    isAvailable: true,
    isReportedAvailable: true,
    mayBeOnPlatform: true,
    existingCount: 1,
    readyCount: 1,
    restartCount: 0,
    isDegraded: false,
    isRolledOut: true,
    lastTransitionTime: '2026-01-01T00:00:00Z',
    ...changes,
  };
}

export type FleetServiceChanges = Partial<Omit<FleetService, 'dependsOn'>> & {
  /** Names, or `namespace/name`. */
  readonly dependsOn?: readonly (string | FleetService['dependsOn'][number])[];
};

function edgeTo(text: string, namespace: string): FleetService['dependsOn'][number] {
  const [first = text, second] = text.split('/');
  const key = second === undefined ? keyOfService(namespace, first) : keyOfService(first, second);
  return { key, condition: 'Available', onLost: 'Ignore' };
}
