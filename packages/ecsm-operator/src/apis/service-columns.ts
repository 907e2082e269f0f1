/** Computed columns of a service. */
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
