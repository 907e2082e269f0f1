/** Computed columns of a service. */
import { type Condition, findCondition } from '@ecsm/runtime';

interface Shown {
  readonly spec: {
    readonly deploymentStrategy: {
      readonly type: string;
      readonly replicas?: number;
      readonly nodes?: readonly string[];
    };
  };
  readonly status?: { readonly readyReplicas: number };
}

/** The desired number of instances. */
export function replicasWanted({ spec: { deploymentStrategy } }: Pick<Shown, 'spec'>): number {
  const { type, replicas, nodes } = deploymentStrategy;
  return type === 'Static' ? (nodes?.length ?? 0) : (replicas ?? 0);
}

interface WithConditions extends Shown {
  readonly metadata: { readonly generation: number; readonly deletionTimestamp?: string };
  readonly status?: {
    readonly readyReplicas: number;
    readonly replicas: number;
    readonly updatedReplicas: number;
    readonly observedGeneration?: number;
    readonly conditions: readonly Condition[];
  };
}

/** Whether all desired instances of the current generation are ready, and nothing is in progress. */
function isDone(service: WithConditions): boolean {
  const { metadata, status } = service;
  if (status === undefined || status.observedGeneration !== metadata.generation) return false;
  const { replicas, readyReplicas, updatedReplicas, conditions } = status;
  const wanted = replicasWanted(service);
  const isAvailable = findCondition(conditions, 'Available')?.status === 'True';
  return isAvailable && [replicas, readyReplicas, updatedReplicas].every((one) => one === wanted);
}

/** Conditions that name a problem, the worst one first, with the status that does. */
const problems = [
  ['PlatformReachable', 'False'],
  ['Degraded', 'True'],
  ['Preempted', 'True'],
  ['Unschedulable', 'True'],
  ['DependenciesReady', 'False'],
] as const;

/**
 * One word: the worst problem, the operation in progress, or `Available`. `Pending`: it, or its change, is not observed yet.
 * A problem comes before `Available`: instances that run between two crashes are ready.
 */
export function statusText(service: WithConditions): string {
  if (service.metadata.deletionTimestamp !== undefined) return 'Deleting';
  const conditions = service.status?.conditions ?? [];
  const reasonOf = (type: string, status: string) => {
    const found = findCondition(conditions, type);
    return found?.status === status ? found.reason : undefined;
  };
  for (const [type, status] of problems) {
    const reason = reasonOf(type, status);
    if (reason !== undefined) return reason;
  }
  if (isDone(service)) return 'Available';
  const progress = findCondition(conditions, 'Progressing')?.reason;
  // Complete is then an earlier generation.
  const isObserved = service.status?.observedGeneration === service.metadata.generation;
  const current = progress === 'Complete' && !isObserved ? 'Pending' : progress;
  return current ?? reasonOf('Available', 'False') ?? 'Pending';
}

interface Restarted {
  readonly status?: { readonly instances?: readonly { readonly restarts: number }[] };
}

/** Restarts of the present instances by the platform. Empty before the first observation. */
export function restartsText({ status }: Restarted): string {
  if (status === undefined) return '';
  const { instances = [] } = status;
  return String(instances.reduce((sum, { restarts }) => sum + restarts, 0));
}

/** `2/3` */
export function readyText(service: Shown): string {
  return `${service.status?.readyReplicas ?? 0}/${replicasWanted(service)}`;
}

export function strategyText({ spec }: Pick<Shown, 'spec'>): string {
  return spec.deploymentStrategy.type;
}

interface Waiting {
  readonly metadata: { readonly namespace: string };
  readonly status?: {
    readonly dependencies?: readonly { readonly name: string; readonly state: string }[];
    readonly conditions: readonly Condition[];
  };
}

const namesMax = 2;

/** `bus, time/clock`; `bus (lost)` for one that was met; `cycle`. Empty if it waits for nothing. */
export function waitsForText({ metadata, status }: Waiting): string {
  const { dependencies = [], conditions = [] } = status ?? {};
  if (findCondition(conditions, 'Progressing')?.reason === 'DependentsRemain') return 'deletion of dependents';
  if (findCondition(conditions, 'DependenciesReady')?.reason === 'DependencyCycle') return 'cycle';
  const own = `${metadata.namespace}/`;
  const texts = dependencies.flatMap(({ name, state }) => {
    const text = name.startsWith(own) ? name.slice(own.length) : name;
    return state === 'Lost' ? [`${text} (lost)`] : state === 'Waiting' ? [text] : [];
  });
  const more = texts.length - namesMax;
  return [...texts.slice(0, namesMax), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
