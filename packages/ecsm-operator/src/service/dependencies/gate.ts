/**
 * What the state of its dependencies means for a service: whether it may start, has to stop, or goes on; with the
 * condition, the status and the event.
 */
import { type Condition, findCondition } from '@ecsm/runtime';
import type { ServiceStatus } from '../../apis/ecsm-service.ts';
import type { PlannedCondition, PlannedEvent } from '../model.ts';
import { condition, event } from '../reasons.ts';
import { earliest } from '../times.ts';
import type { Dependency, DependencyState, Problem } from './dependency-state.ts';

type UnmetReason = 'DependencyCycle' | 'DependencyLost' | 'DependencyMissing' | 'DependencyWaiting';

export interface Gate {
  /** Present while the service has to have no instances: it may not start, or it has to stop. */
  readonly hold?: Unmet;
  /** When a dependency that is being deleted becomes a loss. */
  readonly dueMs?: number;
  readonly condition: PlannedCondition;
  readonly dependencies: NonNullable<ServiceStatus['dependencies']>;
}

interface Unmet {
  readonly reason: UnmetReason;
  readonly message: string;
}

/** `isStarted`: whether instances were requested from the platform. */
export function gateOf(state: DependencyState, isStarted: boolean): Gate {
  const unmet = unmetOf(state, isStarted);
  const mustStop = state.cycle === undefined && state.dependencies.some((one) => one.onLost === 'Stop' && isLost(one));
  const dueMs = earliest(...state.dependencies.map(({ wasMet, lostAfterMs }) => (wasMet ? lostAfterMs : undefined)));
  return {
    ...(dueMs === undefined ? {} : { dueMs }),
    ...(unmet !== undefined && (!isStarted || mustStop) ? { hold: unmet } : {}),
    condition: unmet
      ? condition('DependenciesReady', 'False', unmet.reason, unmet.message)
      : condition('DependenciesReady', 'True', 'DependenciesMet', metText(state)),
    dependencies: state.dependencies.map((one) => ({ name: one.name, state: stateOf(one, isStarted) })),
  };
}

function stateOf(dependency: Dependency, isStarted: boolean): Gate['dependencies'][number]['state'] {
  const { problem, wasMet } = dependency;
  if (problem === undefined) return 'Met';
  if (isLost(dependency)) return 'Lost';
  if (!wasMet || !isStarted) return 'Waiting';
  return problem === 'Preempted' ? 'Preempted' : 'Met';
}

function isLost({ problem, wasMet, lostAfterMs }: Dependency): boolean {
  const isLoss = problem !== undefined && problem !== 'Preempted' && problem !== 'TooFewReady';
  return isLoss && wasMet && lostAfterMs === undefined;
}

function unmetOf({ dependencies, cycle }: DependencyState, isStarted: boolean): Unmet | undefined {
  if (cycle !== undefined) {
    const effect = isStarted ? 'it keeps running' : 'it is not started';
    return { reason: 'DependencyCycle', message: `${cycle.join(' -> ')}: ${effect}` };
  }
  const unmet = dependencies.filter((one) => ['Waiting', 'Lost'].includes(stateOf(one, isStarted)));
  if (unmet.length === 0) return undefined;
  const reason = unmet.some(isLost)
    ? 'DependencyLost'
    : unmet.some(({ problem }) => problem === 'Missing')
      ? 'DependencyMissing'
      : 'DependencyWaiting';
  return { reason, message: unmet.map(problemText).join('; ') };
}

const problemTexts: Readonly<Record<Problem, string>> = {
  Missing: 'does not exist',
  BeingDeleted: 'is being deleted',
  NotAvailable: 'is not available',
  NoInstances: 'has no instances',
  TooFewReady: 'is not available',
  Preempted: 'is preempted',
};

function problemText({ name, problem }: Dependency): string {
  return `${name} ${problem === undefined ? 'is met' : problemTexts[problem]}`;
}

function metText({ dependencies }: DependencyState): string {
  return `met: ${dependencies.map(({ name }) => name).join(', ')}`;
}

/** Removed dependencies must not leave a condition that is False. */
export function conditionWithout(conditions: readonly Condition[] | undefined): readonly PlannedCondition[] {
  if (findCondition(conditions, 'DependenciesReady') === undefined) return [];
  return [condition('DependenciesReady', 'True', 'DependenciesMet', 'no dependencies')];
}

/** Once for each change of the reason. A service whose dependencies were met from the beginning gets none. */
export function dependencyEvents(
  now: PlannedCondition,
  conditions: readonly Condition[] | undefined,
): readonly PlannedEvent[] {
  const before = findCondition(conditions, 'DependenciesReady');
  if (now.reason === (before?.reason ?? 'DependenciesMet')) return [];
  switch (now.reason) {
    case 'DependenciesMet':
    case 'DependencyWaiting':
      return [event('Normal', now.reason, now.message)];
    case 'DependencyCycle':
    case 'DependencyLost':
    case 'DependencyMissing':
      return [event('Warning', now.reason, now.message)];
    default:
      return [];
  }
}
