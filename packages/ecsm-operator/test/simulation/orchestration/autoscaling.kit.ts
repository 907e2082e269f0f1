/** Oracles of autoscaling: the number stays within its limits, and does not fall without data. */
import type { Simulation } from '@ecsm/runtime/simulation';
import { stored } from '../world.kit.ts';

interface StoredHpa {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly scaleTargetRef: { readonly name: string };
    readonly minReplicas: number;
    readonly maxReplicas: number;
  };
  readonly status?: { readonly lastScaleTime?: string };
}

interface AutoscalingFacts {
  /** Since when no instance has measurements; undefined if they have. */
  readonly unmeasuredSinceMs: number | undefined;
}

/** Measurements that were read before they disappeared may still decide. */
const reactionMs = 60_000;

export function watchAutoscaling(simulation: Simulation, facts: () => AutoscalingFacts): void {
  const counts = new Map<string, number>();
  let revision = -1;
  simulation.always('autoscaling stays between minimum and maximum', () => {
    for (const { spec, status } of hpas(simulation)) {
      if (status?.lastScaleTime === undefined) continue;
      const target = stored(simulation).find(({ metadata }) => metadata.name === spec.scaleTargetRef.name);
      const replicas = target?.spec.deploymentStrategy.replicas;
      if (replicas === undefined || replicas === 0) continue;
      if (replicas < spec.minReplicas || replicas > spec.maxReplicas) {
        return `${target?.metadata.name} has ${replicas} replicas, not ${spec.minReplicas} to ${spec.maxReplicas}`;
      }
    }
    return undefined;
  });

  simulation.always('nothing is scaled down without measurements', () => {
    if (revision === simulation.store.newest) return undefined;
    revision = simulation.store.newest;
    const { unmeasuredSinceMs } = facts();
    const targets = new Set(hpas(simulation).map(({ spec }) => spec.scaleTargetRef.name));
    for (const { metadata, spec } of stored(simulation)) {
      if (!targets.has(metadata.name)) continue;
      const { replicas = 0 } = spec.deploymentStrategy;
      const before = counts.get(metadata.uid);
      counts.set(metadata.uid, replicas);
      const isUnmeasured = unmeasuredSinceMs !== undefined && simulation.nowMs - unmeasuredSinceMs > reactionMs;
      if (isUnmeasured && before !== undefined && replicas < before) {
        return `${metadata.name} was scaled from ${before} to ${replicas} without measurements`;
      }
    }
    return undefined;
  });
}

function hpas({ store }: Simulation): readonly StoredHpa[] {
  return [...store.jsonBelow('ecsm.sh/v1/ecsmhpas/')].map(([, value]) => value as StoredHpa);
}
