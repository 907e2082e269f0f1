/** The status of a pod, from those of its containers. */
import type { Container, ContainerStatus, Pod, PodStatus } from '@ecsm/kubernetes';

interface PodObservation {
  readonly pod: Pod;
  readonly podAddress: string;
  readonly nodeAddress: string;
  readonly startTime: string;
  /** The time of the last transition of conditions that change now. */
  readonly now: string;
  readonly initContainers: readonly ContainerStatus[];
  readonly containers: readonly ContainerStatus[];
  /** All containers have ended for good. */
  readonly hasEnded: boolean;
  /** The conditions that were written last. */
  readonly conditions: PodStatus['conditions'];
}

export function podStatus(observed: PodObservation): PodStatus {
  const { podAddress, nodeAddress, startTime, initContainers, containers } = observed;
  const isInitialized = initContainers.every(({ state }) => state?.terminated?.exitCode === 0);
  const isReady = containers.length > 0 && containers.every(({ ready }) => ready);
  const unready = containers.filter(({ ready }) => !ready).map(({ name }) => name);
  const reason = isReady
    ? {}
    : { reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]` };
  return {
    phase: phaseOf(observed, isInitialized),
    hostIP: nodeAddress,
    podIP: podAddress,
    podIPs: [{ ip: podAddress }],
    startTime,
    conditions: [
      condition(observed, 'Initialized', isInitialized, {}),
      condition(observed, 'Ready', isReady, reason),
      condition(observed, 'ContainersReady', isReady, reason),
      condition(observed, 'PodScheduled', true, {}),
    ],
    ...(initContainers.length > 0 ? { initContainerStatuses: initContainers } : {}),
    containerStatuses: containers,
  };
}

/** The status of a container that has not been started. */
export function initialStatus({ name, image = '' }: Container): ContainerStatus {
  return {
    name,
    ready: false,
    started: false,
    restartCount: 0,
    state: { waiting: { reason: 'PodInitializing' } },
    lastState: {},
    image,
    imageID: '',
  };
}

function phaseOf(
  { containers, initContainers, hasEnded }: PodObservation,
  isInitialized: boolean,
): NonNullable<PodStatus['phase']> {
  if (hasEnded) {
    const isSuccess = [...initContainers, ...containers].every(({ state }) => (state?.terminated?.exitCode ?? 1) === 0);
    return isSuccess ? 'Succeeded' : 'Failed';
  }
  const wasRun = ({ state, lastState }: ContainerStatus) =>
    state?.running !== undefined || state?.terminated !== undefined || lastState?.terminated !== undefined;
  return isInitialized && containers.some(wasRun) ? 'Running' : 'Pending';
}

function condition(
  { conditions = [], now }: PodObservation,
  type: string,
  holds: boolean,
  details: { readonly reason?: string; readonly message?: string },
) {
  const status = holds ? ('True' as const) : ('False' as const);
  const before = conditions.find((each) => each.type === type);
  const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? now) : now;
  return { type, status, lastTransitionTime, ...details };
}
