/** The states of the instances of a service, as decisions use them. */
import type { Instance, PlatformService } from '../resource/model.ts';

/**
 * - `ready`: running, or only loaded as requested.
 * - `starting`: being deployed.
 * - `failed`: the deployment failed.
 * - `stopped`, `paused`: deployed and not running.
 * - `unknown`: unknown to the platform. Counts neither as ready nor as deleted, and is not changed.
 */
export type InstanceState = 'ready' | 'starting' | 'failed' | 'stopped' | 'paused' | 'unknown';

export interface ObservedInstance {
  readonly instance: Instance;
  readonly state: InstanceState;
}

/** `isBeingDeleted`: the service is being deleted. Its instances exist, and none is ready. */
export function observedInstances(
  service: PlatformService,
  offlineNodes: ReadonlySet<string>,
  isBeingDeleted = false,
): ObservedInstance[] {
  // A service with the action `load` is complete when its containers exist.
  const isLoaded = service.detail.image?.action === 'load';
  return service.instances.map((instance) => {
    const state = stateOf(instance, isLoaded, offlineNodes);
    return { instance, state: isBeingDeleted && state !== 'unknown' ? 'starting' : state };
  });
}

function stateOf(instance: Instance, isLoaded: boolean, offlineNodes: ReadonlySet<string>): InstanceState {
  const { status, deployment, nodeName } = instance;
  // A platform may still report the last state of an instance on an offline node.
  if (status === null || offlineNodes.has(nodeName)) return 'unknown';
  if (deployment === 'failure') return 'failed';
  if (deployment !== 'success') return 'starting';
  if (isLoaded || status === 'running') return 'ready';
  if (status === 'paused') return 'paused';
  return status === 'created' || status === 'exited' ? 'stopped' : 'unknown';
}

export function inState(instances: readonly ObservedInstance[], state: InstanceState): readonly Instance[] {
  return instances.filter((seen) => seen.state === state).map(({ instance }) => instance);
}

const describedMax = 3;

/** `worker-1 on sat-1 (no space left)` for each of the first few. */
export function describe(instances: readonly Instance[]): string {
  const some = instances.slice(0, describedMax).map(({ name, nodeName, message }) => {
    return `${name} on ${nodeName}${message === undefined ? '' : ` (${message})`}`;
  });
  const more = instances.length - some.length;
  return more === 0 ? some.join(', ') : `${some.join(', ')} and ${more} more`;
}
