/** The conditions of a service, and the events about their changes. */
import { findCondition } from '@ecsm/runtime';
import { allocationConditions, allocationEvents } from './allocation.ts';
import { conditionWithout, dependencyEvents } from './dependencies/gate.ts';
import type { Healing } from './healing-backoff.ts';
import { describe, inState } from './instances.ts';
import type { Decision } from './lifecycle.ts';
import type { PlannedCondition, PlannedEvent } from './model.ts';
import type { PlanContext } from './plan-context.ts';
import { type CrashLoop, problemsOf } from './problems.ts';
import type { Counts, Progress } from './progress.ts';
import { condition, event, type Reason, reasons } from './reasons.ts';
import type { Refusal } from './refusal.ts';
import { needsRollout } from './rollout.ts';
import { joined } from './step-with-event.ts';

export interface Findings {
  readonly context: PlanContext;
  readonly decision: Decision;
  readonly counts: Counts;
  readonly progress: Progress;
  readonly crashLoop: CrashLoop;
  readonly healing?: Healing;
  /** What the platform refused, and has not accepted since. */
  readonly refusal?: Refusal;
}

export function conditionsOf(findings: Findings): readonly PlannedCondition[] {
  const { context } = findings;
  const { input, gate } = context;
  const observedGeneration = input.service.metadata.generation;
  const dependencies = gate === undefined ? conditionWithout(input.service.status?.conditions) : [gate.condition];
  const usual = [available(findings), progressing(findings), degraded(findings)];
  const conditions = [...usual, ...dependencies, ...allocationConditions(context)];
  return conditions.map((one) => ({ ...one, observedGeneration }));
}

function available({ context, counts }: Findings): PlannedCondition {
  const { desired, obstacle, input, gate } = context;
  if (obstacle !== undefined) return condition('Available', 'False', 'ForeignService', obstacle);
  if (gate?.hold !== undefined) return condition('Available', 'False', gate.hold.reason, gate.hold.message);
  // Compared with what the user wants: instances that are held back are missing.
  if (desired.replicas === 0) return condition('Available', 'True', 'ScaledToZero', 'scaled to 0 instances');
  // A rolling update tolerates missing instances, but at least one has to be ready.
  const isRolling = input.service.spec.updateStrategy.type === 'RollingUpdate';
  const needed = isRolling ? Math.max(desired.readyMin, 1) : desired.replicas;
  const message = `${counts.readyReplicas} of ${desired.replicas} instances are ready, ${needed} required`;
  return counts.readyReplicas >= needed
    ? condition('Available', 'True', 'EnoughReady', message)
    : condition('Available', 'False', 'NotEnoughReady', message);
}

function progressing(findings: Findings): PlannedCondition {
  const { context, decision, counts, progress } = findings;
  const { input, wanted, owned, obstacle, gate } = context;
  const { hash } = input.revision;
  if (obstacle !== undefined) return condition('Progressing', 'False', 'ForeignService', obstacle);
  if (gate?.hold !== undefined) return condition('Progressing', 'Unknown', gate.hold.reason, gate.hold.message);
  if (input.service.spec.paused) {
    const isChanged = progress.currentRevision !== hash || owned.some(({ revision }) => revision !== hash);
    const waiting = isChanged ? `revision ${hash} waits` : 'changes of the template wait';
    return condition(
      'Progressing',
      'Unknown',
      'Paused',
      `${waiting} for ${decision.waiting ?? 'spec.paused to be false'}`,
    );
  }
  if (progress.isComplete) {
    return condition(
      'Progressing',
      'True',
      'Complete',
      `revision ${hash} is rolled out, ${counts.readyReplicas} instances are ready`,
    );
  }
  const sofar = `${counts.updatedReplicas} of ${wanted.replicas} instances have revision ${hash}, ${counts.readyReplicas} are ready in total`;
  if (progress.isOverdue) {
    const message = `${sofar}; no progress since ${progress.progressTime}: ${whyStuck(findings)}`;
    return condition('Progressing', 'False', 'ProgressDeadlineExceeded', message);
  }
  if (!progress.isRolling) return condition('Progressing', 'True', 'Settling', sofar);
  if (owned.length === 0) return condition('Progressing', 'True', 'Creating', sofar);
  if (needsRollout(context)) return condition('Progressing', 'True', 'RollingOut', sofar);
  return condition('Progressing', 'True', progress.currentRevision === undefined ? 'Creating' : 'Updating', sofar);
}

/** The newest revision is checked first: it is the most likely cause. */
function whyStuck({ context, decision, crashLoop, refusal }: Findings): string {
  if (refusal !== undefined) return refusal.message;
  const { newest, olds, owned, lost, input } = context;
  const { unschedulable, waiting } = input.allocation?.placement ?? {};
  const shortage = unschedulable ?? waiting;
  if (shortage !== undefined) return shortage;
  for (const { instances, reason } of problemsOf([...(newest === undefined ? [] : [newest]), ...olds])) {
    return `${reasons[reason].sentence.slice(0, -1)}: ${describe(instances)}`;
  }
  if (crashLoop.instances.length > 0) return `exits repeatedly: ${describe(crashLoop.instances)}`;
  if (lost.nodes.length > 0) return `nodes offline: ${lost.nodes.map(({ name }) => name).join(', ')}`;
  if (decision.notKept !== undefined) return `updates have no effect: ${joined(decision.notKept)}`;
  const starting = owned.flatMap(({ instances }) => inState(instances, 'starting'));
  if (starting.length > 0) return `still deploying: ${describe(starting)}`;
  const missing = owned.filter(({ instances, size }) => instances.length < size).map(({ service }) => service.name);
  return missing.length > 0 ? `the platform has not created all instances of ${missing.join(', ')}` : 'cause unknown';
}

function degraded(findings: Findings): PlannedCondition {
  const { context, decision, crashLoop, healing, refusal } = findings;
  const { owned, lost, obstacle } = context;
  if (obstacle !== undefined) return condition('Degraded', 'True', 'ForeignService', obstacle);
  const attempts = healing?.attempts ?? 0;
  const after = attempts === 0 ? '' : ` after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  const found: (readonly [DegradedReason, string])[] = [];
  const problems = problemsOf(owned);
  const instancesIn = (wanted: string) =>
    problems.flatMap(({ reason, instances }) => (reason === wanted ? instances : []));
  if (refusal !== undefined) found.push(['PlatformRefused', refusal.message]);
  const failed = instancesIn('DeploymentFailed');
  if (failed.length > 0) found.push(['DeploymentFailed', `deployment failed${after}: ${describe(failed)}`]);
  if (crashLoop.instances.length > 0) found.push(['CrashLoop', `exits repeatedly: ${describe(crashLoop.instances)}`]);
  if (lost.nodes.length > 0)
    found.push(['NodeLost', `nodes offline: ${lost.nodes.map(({ name }) => name).join(', ')}`]);
  const stopped = instancesIn('InstanceStopped').filter((one) => !crashLoop.instances.includes(one));
  if (stopped.length > 0) found.push(['InstanceStopped', `not running: ${describe(stopped)}`]);
  const paused = instancesIn('InstancePaused');
  if (paused.length > 0) found.push(['InstancePaused', `paused: ${describe(paused)}`]);
  // An update that was refused cannot have an effect.
  if (decision.notKept !== undefined && refusal === undefined) {
    found.push(['NotKept', `updates have no effect${after}: ${joined(decision.notKept)}`]);
  }
  const lostNames = new Set(lost.nodes.map(({ name }) => name));
  const unknown = owned
    .flatMap(({ instances }) => inState(instances, 'unknown'))
    .filter(({ nodeName }) => !lostNames.has(nodeName));
  if (unknown.length > 0) found.push(['InstanceUnknown', `state unknown: ${describe(unknown)}`]);
  const [first] = found;
  if (first === undefined) return condition('Degraded', 'False', 'AsExpected', 'no problems');
  return condition('Degraded', 'True', first[0], found.map(([, message]) => message).join('; '));
}

type DegradedReason = Parameters<typeof condition<'Degraded'>>[2];

/** Recorded as an event once, when the condition gets this reason. */
const announced = [
  'ForeignService',
  'ProgressDeadlineExceeded',
  'DeploymentFailed',
  'CrashLoop',
  'NotKept',
  'Unschedulable',
  'Preempting',
] as const;

/** Events about changes of state. Events about actions come with the steps. */
export function eventsOf({ context, progress }: Findings, conditions: readonly PlannedCondition[]): PlannedEvent[] {
  const { status } = context.input.service;
  const { hash } = context.input.revision;
  const events: PlannedEvent[] = [];
  const known = new Set(status?.lostNodes?.map(({ name }) => name));
  const lost = context.lost.nodes.map(({ name }) => name).filter((name) => !known.has(name));
  if (lost.length > 0) events.push(event('Warning', 'NodeLost', `nodes went offline: ${lost.join(', ')}`));
  const back = [...known].filter((name) => !context.input.offlineNodes.has(name));
  if (back.length > 0) events.push(event('Normal', 'NodeOnline', `nodes are online again: ${back.join(', ')}`));
  for (const reason of announced) {
    const now = conditions.find((one) => one.reason === reason);
    if (now === undefined) continue;
    const before: Reason | string | undefined = findCondition(status?.conditions, now.type)?.reason;
    if (before !== reason) events.push(event(reason === 'Preempting' ? 'Normal' : 'Warning', reason, now.message));
  }
  events.push(...allocationEvents(context));
  if (progress.isComplete && status?.currentRevision !== hash) {
    events.push(event('Normal', 'Complete', `rolled out revision ${hash}`));
  }
  const dependencies = conditions.find(({ type }) => type === 'DependenciesReady');
  if (dependencies !== undefined) events.push(...dependencyEvents(dependencies, status?.conditions));
  return events;
}
