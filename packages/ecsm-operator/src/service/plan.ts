/**
 * The decision for one service: from what is wanted and what is there to the few calls that bring the two together, what
 * to say about it, and when to look again. A pure function: it reads no clock and remembers nothing.
 */
import { conditionsOf, eventsOf, type Findings } from './conditions.ts';
import { type Care, heal } from './healing.ts';
import { adopt, correct, create, type Decision, empty, nothing } from './lifecycle.ts';
import type { Plan, PlanInput } from './model.ts';
import { countsOf, progressOf } from './progress.ts';
import { type Removal, removalsAfter } from './removals.ts';
import { needsRollout, rollOut } from './rollout.ts';
import { type Situation, situationOf } from './situation.ts';
import { changedIds, type StepWithEvent } from './step-with-event.ts';
import { earliest, leftMs } from './times.ts';
import { crashLoopOf } from './trouble.ts';

/**
 * The same world gives the same plan, and a world in which its steps have taken effect and settled gives an empty one.
 * It has to be a world that was just looked at: steps are safe for that one only.
 */
export function plan(input: PlanInput): Plan {
  const situation = situationOf(input);
  const decision = decide(situation);
  const care = heal(situation, changedIds(decision.actions), decision.healing ?? unresolvedHealing(situation));
  const counts = countsOf(situation);
  const progress = progressOf(situation, decision, counts);
  const crashLoop = crashLoopOf(situation);
  const healing = care.healing;
  const findings: Findings = {
    situation,
    decision,
    counts,
    progress,
    crashLoop,
    ...(healing === undefined ? {} : { healing }),
  };
  const conditions = conditionsOf(findings);
  const actions: readonly StepWithEvent[] = [...decision.actions, ...care.actions];
  const requeueAfterMs = earliest(
    actions.length > 0 || isUnderWay(findings) ? input.settings.pollMs : undefined,
    decision.dueMs,
    care.dueMs,
    progress.dueMs,
    situation.lost.dueMs,
    crashLoop.dueMs,
    situation.removals.dueMs,
  );
  const steps = actions.map(({ step }) => step);
  return {
    steps,
    status: statusOf(findings, removalsAfter(situation.removals, steps, input.nowMs)),
    conditions,
    events: [...actions.map(({ event }) => event), ...eventsOf(findings, conditions)],
    ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }),
  };
}

function decide(situation: Situation): Decision {
  const { obstacle, adopted, owned, wanted } = situation;
  const [first] = owned;
  if (obstacle !== undefined) return nothing;
  if (adopted !== undefined) return adopt(situation, adopted);
  if (wanted.replicas === 0) return empty(situation);
  if (first === undefined) return create(situation);
  return needsRollout(situation) ? rollOut(situation) : correct(situation, first);
}

/** Differences that are gone need no further attempts. */
function unresolvedHealing({ healing }: Situation): Care['healing'] {
  return healing?.reason === 'Differs' ? undefined : healing;
}

/** Whether the platform is busy with something of ours. One that does not get on is left to the observer. */
function isUnderWay({ situation, progress, healing }: Findings): boolean {
  const { input, owned } = situation;
  const { paused, updateStrategy } = input.service.spec;
  const deadlineMs = updateStrategy.progressDeadlineSeconds * 1000;
  const isRecent = (moment: string | undefined) => moment !== undefined && leftMs(moment, deadlineMs, input.nowMs) > 0;
  if (isRecent(progress.progressTime) && owned.length > 1 && !paused) return true;
  const isBusy = owned.some(
    ({ instances, size }) => instances.length !== size || instances.some(({ state }) => state === 'starting'),
  );
  return isBusy && (isRecent(progress.progressTime) || isRecent(healing?.lastTime));
}

function statusOf({ situation, counts, progress, healing }: Findings, removals: readonly Removal[]): Plan['status'] {
  const { input, owned, newest, lost } = situation;
  const main = newest ?? owned[0];
  const { currentRevision, progressTime } = progress;
  return {
    observedGeneration: input.service.metadata.generation,
    ...counts,
    ...(main === undefined ? {} : { underlyingServiceID: main.service.id, platformName: main.service.name }),
    ...(currentRevision === undefined ? {} : { currentRevision }),
    updateRevision: input.revision.hash,
    ...(progressTime === undefined ? {} : { progressTime }),
    ...(healing === undefined ? {} : { healing }),
    ...(lost.nodes.length === 0 ? {} : { lostNodes: [...lost.nodes] }),
    ...(removals.length === 0 ? {} : { removals: [...removals] }),
  };
}
