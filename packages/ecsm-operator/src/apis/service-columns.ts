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
