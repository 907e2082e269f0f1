/** What state the instances of a service are in, as far as decisions go. */
import type { Instance, PlatformService } from '../resource/model.ts';

/**
 * - `ready`: does what it is there for.
 * - `starting`: is being deployed.
 * - `failed`: could not be deployed.
 * - `stopped`, `paused`: was deployed and does not run.
 * - `unknown`: the platform cannot tell. Neither ready nor gone, and nothing is done about it.
 */
export type InstanceState = 'ready' | 'starting' | 'failed' | 'stopped' | 'paused' | 'unknown';

export interface SeenInstance {
  readonly instance: Instance;
  readonly state: InstanceState;
}

/** `isLeaving`: the service is being deleted. Its instances are there, and none is ready. */
export function seenInstances(
  service: PlatformService,
  offlineNodes: ReadonlySet<string>,
  isLeaving = false,
): SeenInstance[] {
  // A service that is only loaded is as it should be when its containers are there.
  const isLoaded = service.detail.image?.action === 'load';
  return service.instances.map((instance) => {
    const state = stateOf(instance, isLoaded, offlineNodes);
    return { instance, state: isLeaving && state !== 'unknown' ? 'starting' : state };
  });
}

function stateOf(instance: Instance, isLoaded: boolean, offlineNodes: ReadonlySet<string>): InstanceState {
  const { status, deployment, nodeName } = instance;
  // A platform may go on showing the last state that it saw on a node that is offline.
  if (status === null || offlineNodes.has(nodeName)) return 'unknown';
  if (deployment === 'failure') return 'failed';
  if (deployment !== 'success') return 'starting';
  if (isLoaded || status === 'running') return 'ready';
  if (status === 'paused') return 'paused';
  return status === 'created' || status === 'exited' ? 'stopped' : 'unknown';
}

export function inState(instances: readonly SeenInstance[], state: InstanceState): readonly Instance[] {
  return instances.filter((seen) => seen.state === state).map(({ instance }) => instance);
}

const describedMax = 3;

/** `worker-1 on sat-1 (no space left)`, and so on for a few of them. */
export function describe(instances: readonly Instance[]): string {
  const some = instances.slice(0, describedMax).map(({ name, nodeName, message }) => {
    return `${name} on ${nodeName}${message === undefined ? '' : ` (${message})`}`;
  });
  const more = instances.length - some.length;
  return more === 0 ? some.join(', ') : `${some.join(', ')} and ${more} more`;
}
