/** Whether the services that a service needs meet their conditions. Pure functions of the fleet. */
import type { ECSMService } from '../../apis/ecsm-service.ts';
import { type FleetDependency, type FleetService, fleetServiceOf } from '../../fleet/fleet-service.ts';
import type { PlanSettings } from '../model.ts';
import { togetherMs } from '../times.ts';
import { cycleOf } from './cycles.ts';

/**
 * Why a dependency is not met. `TooFewReady`: it is not available, but some instance is ready, as after an increase of its
 * replicas. That, and a preempted dependency, prevents a start and is no loss.
 */
export type Problem = 'Missing' | 'BeingDeleted' | 'NotAvailable' | 'NoInstances' | 'TooFewReady' | 'Preempted';

export interface Dependency {
  /** `namespace/name` */
  readonly name: string;
  readonly onLost: FleetDependency['onLost'];
  /** Absent: it is met. */
  readonly problem?: Problem;
  /** Whether it was met before, by the status of the service that needs it. */
  readonly wasMet: boolean;
  /** It is being deleted, which is no loss before this time has passed: the service may be deleted together with it. */
  readonly lostAfterMs?: number;
}

export interface DependencyState {
  readonly dependencies: readonly Dependency[];
  /** Names of a cycle through the service, which is at both ends. */
  readonly cycle?: readonly string[];
}

type FleetLookup = (key: string) => FleetService | undefined;

interface DependencySources {
  readonly lookup: FleetLookup;
  readonly nowMs: number;
  readonly settings: Pick<PlanSettings, 'pollMs'>;
}

/** Returns undefined for a service without dependencies. */
export function dependencyStateOf(
  service: ECSMService,
  { lookup, nowMs, settings: { pollMs } }: DependencySources,
): DependencyState | undefined {
  if ((service.spec.dependsOn ?? []).length === 0) return undefined;
  const own = fleetServiceOf(service);
  const before = new Map(service.status?.dependencies?.map(({ name, state }) => [name, state]));
  // The object is newer than what the fleet has of it.
  const cycle = cycleOf(own.key, (key) => (key === own.key ? own : lookup(key)));
  const isLeaving = lookup(own.key)?.isBeingDeleted ?? false;
  return {
    dependencies: own.dependsOn.map((needed) => {
      const name = nameIn(needed.key);
      const other = lookup(needed.key);
      const problem = problemOf(needed, other);
      const lostAfterMs = isLeaving ? pollMs : togetherMs(other?.deletionTime, pollMs, nowMs);
      const wasMet = (before.get(name) ?? 'Waiting') !== 'Waiting';
      return {
        name,
        onLost: needed.onLost,
        wasMet,
        ...(problem === undefined ? {} : { problem }),
        ...(problem === 'BeingDeleted' && lostAfterMs > 0 ? { lostAfterMs } : {}),
      };
    }),
    ...(cycle === undefined ? {} : { cycle: cycle.map(nameIn) }),
  };
}

/**
 * Returns undefined if the condition is met. Whether the status is of the newest spec does not matter: otherwise each edit
 * of a dependency, such as a change of its replicas, would be a loss.
 */
export function problemOf(
  { condition }: Pick<FleetDependency, 'condition'>,
  needed: FleetService | undefined,
): Problem | undefined {
  if (needed === undefined) return 'Missing';
  if (needed.isBeingDeleted) return 'BeingDeleted';
  const { existingCount, readyCount, isReportedAvailable, preempted } = needed;
  // A service that was scaled to 0 has the condition Available, but nothing of it can be used.
  const isMet = condition === 'Exists' ? existingCount > 0 : isReportedAvailable && readyCount > 0;
  if (isMet) return undefined;
  if (preempted !== undefined) return 'Preempted';
  if (condition === 'Exists') return 'NoInstances';
  return readyCount > 0 ? 'TooFewReady' : 'NotAvailable';
}

/** `namespace/name`: the end of a key. */
export function nameIn(key: string): string {
  return key.split('/').slice(-2).join('/');
}
