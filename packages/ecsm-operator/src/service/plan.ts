/**
 * The plan for one service: from the desired and the observed state to a few steps, the status, conditions and events, and
 * the time of the next plan. A pure function without clock and state.
 */
import { preemptedOf } from './allocation.ts';
import { conditionsOf, eventsOf, type Findings } from './conditions.ts';
import { heal, type Repairs } from './healing.ts';
import { instancesStatus } from './instance-status.ts';
import { adopt, correct, create, type Decision, noActions, removeAll, scaleToZero } from './lifecycle.ts';
import type { Plan, PlanInput } from './model.ts';
import { type PlanContext, planContextOf } from './plan-context.ts';
import { crashLoopOf } from './problems.ts';
import { countsOf, progressOf } from './progress.ts';
import { standingRefusal } from './refusal.ts';
import { type Removal, removalsAfter } from './removals.ts';
import { needsRollout, rollOut } from './rollout.ts';
import { changedIds, type StepWithEvent } from './step-with-event.ts';
import { earliest, remainingMs } from './times.ts';

/**
 * The same input results in the same plan; after its steps have taken effect the plan is empty. The observed state has to
 * be fresh: the steps are safe for that state only.
 */
export function plan(input: PlanInput): Plan {
  const context = planContextOf(input);
  const decision = decide(context);
  const repairs = heal(context, changedIds(decision.actions), decision.healing ?? unresolvedHealing(context));
  const counts = countsOf(context);
  const progress = progressOf(context, decision, counts);
  const crashLoop = crashLoopOf(context);
  const healing = repairs.healing;
  const actions: readonly StepWithEvent[] = [...decision.actions, ...repairs.actions];
  const refusal = standingRefusal(input, actions.length > 0 || healing !== undefined);
  const findings: Findings = {
    context,
    decision,
    counts,
    progress,
    crashLoop,
    ...(healing === undefined ? {} : { healing }),
    ...(refusal === undefined ? {} : { refusal }),
  };
  const conditions = conditionsOf(findings);
  const requeueAfterMs = earliest(
    actions.length > 0 || isInProgress(findings) ? input.settings.pollMs : undefined,
    decision.dueMs,
    repairs.dueMs,
    progress.dueMs,
    context.lost.dueMs,
    context.gate?.dueMs,
    crashLoop.dueMs,
    context.removals.dueMs,
  );
  const steps = actions.map(({ step }) => step);
  return {
    steps,
    status: statusOf(findings, removalsAfter(context.removals, steps, input.nowMs)),
    conditions,
    events: [...actions.map(({ event }) => event), ...eventsOf(findings, conditions)],
    ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }),
  };
}

function decide(context: PlanContext): Decision {
  const { obstacle, adopted, owned, wanted } = context;
  const [first] = owned;
  if (obstacle !== undefined) return noActions;
  if (adopted !== undefined) return adopt(context, adopted);
  if (wanted.replicas === 0) return wanted.policy === 'static' ? removeAll(context) : scaleToZero(context);
  if (first === undefined) return create(context);
  return needsRollout(context) ? rollOut(context) : correct(context, first);
}

/** Attempts for differences that no longer exist are dropped. */
function unresolvedHealing({ healing }: PlanContext): Repairs['healing'] {
  return healing?.reason === 'Differs' ? undefined : healing;
}

/** Whether the platform is still working on a step. Without progress until the deadline, polls alone detect changes. */
function isInProgress({ context, progress, healing }: Findings): boolean {
  const { input, owned } = context;
  const { paused, updateStrategy } = input.service.spec;
  const deadlineMs = updateStrategy.progressDeadlineSeconds * 1000;
  const isRecent = (moment: string | undefined) =>
    moment !== undefined && remainingMs(moment, deadlineMs, input.nowMs) > 0;
  if (isRecent(progress.progressTime) && owned.length > 1 && !paused) return true;
  const isBusy = owned.some(
    ({ instances, size }) => instances.length !== size || instances.some(({ state }) => state === 'starting'),
  );
  return isBusy && (isRecent(progress.progressTime) || isRecent(healing?.lastTime));
}

function statusOf(
  { context, counts, progress, healing, refusal }: Findings,
  removals: readonly Removal[],
): Plan['status'] {
  const { input, owned, newest, lost, gate } = context;
  const main = newest ?? owned[0];
  const { currentRevision, progressTime } = progress;
  const preempted = preemptedOf(context);
  const instances = instancesStatus(context);
  return {
    observedGeneration: input.service.metadata.generation,
    ...counts,
    ...(main === undefined ? {} : { underlyingServiceID: main.service.id, platformName: main.service.name }),
    ...(currentRevision === undefined ? {} : { currentRevision }),
    updateRevision: input.revision.hash,
    ...(progressTime === undefined ? {} : { progressTime }),
    ...(healing === undefined ? {} : { healing }),
    ...(refusal === undefined ? {} : { refusal }),
    ...(instances.length === 0 ? {} : { instances }),
    ...(lost.nodes.length === 0 ? {} : { lostNodes: [...lost.nodes] }),
    ...(removals.length === 0 ? {} : { removals: [...removals] }),
    ...(gate === undefined ? {} : { dependencies: gate.dependencies }),
    ...(preempted === undefined ? {} : { preempted }),
  };
}
