/**
 * What a pass over a service does: from what was observed to the status, the steps and the time of the next pass, and from
 * what happened to the steps to what is said about it. Pure functions.
 */
import type { Decision, PlannedEvent as Event, Happened, PlannedStep, Report } from '@ecsm/runtime';
import type { ECSMService, ServiceStatus } from '../apis/ecsm-service.ts';
import { platformFinalizer } from '../apis/well-known.ts';
import { ownedBy } from '../resource/mark.ts';
import { type CleanupInput, planCleanup } from './cleanup.ts';
import type { Plan, PlanInput, PlannedEvent, Step } from './model.ts';
import { plan } from './plan.ts';
import { event } from './reasons.ts';
import type { Refusal } from './refusal.ts';
import { withoutUnsent } from './removals.ts';
import { degraded, type LostContact, reachable, statusAfter, unreachable, withConditions } from './status.ts';

/** What a pass has found. */
export type ServiceFacts =
  /** The link is down. `isLong`: for so long that the status says so. */
  | ({ readonly is: 'unreachable'; readonly isLong: boolean } & LostContact)
  /** Nothing was left to do and nothing has changed since, so nothing was read. */
  | { readonly is: 'resting' }
  /** What was read is older than what was read or written before. */
  | { readonly is: 'stale'; readonly error: Error; readonly retryMs: number }
  /** The platform did not answer a read. */
  | { readonly is: 'unanswered'; readonly error: Error; readonly retryMs: number }
  /** The platform refused a read. */
  | { readonly is: 'refused'; readonly error: Error; readonly retryMs: number }
  /** It is being deleted, and stays on the platform. */
  | { readonly is: 'orphaned' }
  /** It is being deleted. */
  | ({
      readonly is: 'leaving';
      readonly input: Omit<CleanupInput, 'nowMs'>;
      /** How long a creation that was not answered may still take effect. */
      readonly lateCreationMs: number;
    } & Observed)
  | ({
      readonly is: 'observed';
      readonly input: Omit<PlanInput, 'nowMs'>;
      /** The services were just created, and are assumed to match their payloads. */
      readonly isAssumed: boolean;
      /** Nothing but this revision is recorded, so there is nothing to record or to delete. */
      readonly isOnlyRevision: boolean;
    } & Observed);

/** Those of a pass that has read the platform. */
export type ObservedFacts = Extract<ServiceFacts, { readonly input: unknown }>;

interface Observed {
  /** Ids of services whose deletion was requested and may be in progress: a second request would do nothing, or harm. */
  readonly beingDeleted: ReadonlySet<string>;
  /** Delay of the pass after a step was sent. Until then the poller detects changes. */
  readonly requeueMs: number;
  /** Delay after a refusal. */
  readonly retryMs: number;
}

export type ServiceStep =
  | (Step & {
      readonly event?: Event;
      /** Recorded if an attempt is accepted. */
      readonly accepted?: Event;
    })
  /** Stores the revision of the spec as the newest. `inUse`: deletes the oldest of the others, if there are too many. */
  | ({ readonly do: 'record revision'; readonly inUse?: ReadonlySet<string> } & PlannedStep);

type ServiceDecision = Decision<ServiceStatus, ServiceStep>;

/** Delay of a pass that is caused by the link, or by the deletion of dependents, in case that nothing enqueues it. */
const waitMs = 600_000;

export function decideService(service: ECSMService, facts: ServiceFacts, nowMs: number): ServiceDecision {
  const { status } = service;
  // Nothing exists for a new object, so it gets its finalizer together with its first status.
  const hold = !isNew(service);
  switch (facts.is) {
    case 'unreachable':
      if (!facts.isLong) return { status, hold, requeueAfterMs: waitMs };
      return { status: withConditions(service, [unreachable(facts)], nowMs), requeueAfterMs: waitMs };
    case 'resting':
      return { status: withConditions(service, [reachable], nowMs) };
    case 'stale':
    case 'unanswered':
      return { status, hold, requeueAfterMs: facts.retryMs };
    case 'refused': {
      const message = `the platform refused a read: ${facts.error.message}`;
      return {
        status: withConditions(service, [degraded(service, message), reachable], nowMs),
        events: [event('Warning', 'PlatformRefused', message)],
        requeueAfterMs: facts.retryMs,
      };
    }
    case 'orphaned':
      return { status, hold: false };
    case 'leaving': {
      const { input, lateCreationMs } = facts;
      const planned = planCleanup({ ...input, nowMs });
      if (!planned.isClean) {
        const { pollMs } = input.settings;
        const requeueAfterMs = nextMs(planned, facts) ?? ((input.deletedBefore ?? []).length === 0 ? pollMs : waitMs);
        return { ...actionsOf(planned, facts), status: statusAfter(service, planned, nowMs), requeueAfterMs };
      }
      return lateCreationMs > 0 ? { status, requeueAfterMs: lateCreationMs } : { status, hold: false };
    }
    case 'observed': {
      const planned = plan({ ...facts.input, nowMs });
      const requeueAfterMs = nextMs(planned, facts);
      return {
        ...actionsOf(planned, facts),
        status: statusAfter(service, planned, nowMs),
        records: recordsOf(facts, requeueAfterMs === undefined),
        ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }),
      };
    }
  }
}

/** What is said about steps that were sent. */
export function reportService(
  service: ECSMService,
  happened: Happened<ServiceStatus, ServiceStep, ServiceFacts>,
  nowMs: number,
): Report<ServiceStatus> | undefined {
  // An invalid spec is planned as far as possible: what is on the platform keeps running.
  if (happened.is === 'invalid' || !('input' in happened.facts)) return undefined;
  const { facts, decision, done, step, message, code } = happened;
  const { status } = service;
  if (status === undefined) return undefined;
  const { input, retryMs } = facts;
  const { steps = [] } = decision;
  const unsent = (from: number) => withoutUnsent(status, input.service.status, steps.slice(from).filter(isSent));
  if (happened.is === 'unknown') {
    const after = withConditions(service, [], nowMs, unsent(done.length + 1));
    return { status: after, requeueAfterMs: input.settings.pollMs };
  }
  if (happened.is === 'refused' && step !== undefined && isSent(step)) {
    const { generation: observedGeneration } = service.metadata;
    const text = refusedText(step, message);
    const refusal: Refusal = { message: text, ...(code === undefined ? {} : { code }), observedGeneration };
    const conditions = [degraded(service, text), reachable];
    return {
      status: withConditions(service, conditions, nowMs, { ...unsent(done.length), refusal }),
      events: [event('Warning', 'PlatformRefused', text)],
      requeueAfterMs: retryMs,
    };
  }
  const { refusal, ...rest } = status;
  if (refusal === undefined || done.every((one) => !isSent(one) || isAttempt(one))) return undefined;
  // The platform accepted what it had refused before. The status was written before that was known.
  return { status: withConditions(service, [degraded(service, undefined), reachable], nowMs, rest) };
}

/** Whether the platform is still carrying out a step: then the poller is to detect the end soon. */
export function isInProgress({ steps = [], requeueAfterMs }: ServiceDecision, facts: ServiceFacts): boolean {
  if (!('input' in facts)) return false;
  const isAwaited = requeueAfterMs !== undefined && requeueAfterMs <= facts.input.settings.pollMs;
  return steps.length > 0 || isAwaited || requeueAfterMs === facts.requeueMs;
}

/** No operator has reconciled it yet. */
export function isNew({ metadata, status }: ECSMService): boolean {
  const { deletionTimestamp, finalizers = [] } = metadata;
  return deletionTimestamp === undefined && status === undefined && !finalizers.includes(platformFinalizer);
}

/** A step that may be refused: the next plan tries another one. */
export function isAttempt(step: Step): boolean {
  return step.do === 'startInstance' || step.do === 'unpauseInstance';
}

/** The refused call, why it was made, and the answer of the platform. */
export function refusedText(step: Step, answer: string): string {
  return `the platform refused to ${verbs[step.do]} (${step.why}): ${answer}`;
}

const verbs: Readonly<Record<Step['do'], string>> = {
  create: 'create the service',
  update: 'update the service',
  delete: 'delete the service',
  start: 'start the service',
  unpause: 'unpause the service',
  startInstance: 'start an instance',
  unpauseInstance: 'unpause an instance',
  redeploy: 'redeploy the service',
};

function isSent(step: ServiceStep): step is Extract<ServiceStep, Step> {
  return step.do !== 'record revision';
}

/** The steps with their events, and the other events. */
function actionsOf(planned: Plan, { beingDeleted }: Observed): Required<Pick<ServiceDecision, 'steps' | 'events'>> {
  const steps = planned.steps.flatMap((step, index): readonly ServiceStep[] => {
    if (step.do === 'delete' && beingDeleted.has(step.id)) return [];
    const said: PlannedEvent | undefined = planned.events[index];
    if (said === undefined) return [step];
    return [isAttempt(step) ? { ...step, accepted: said } : { ...step, event: said }];
  });
  return { steps, events: planned.events.slice(planned.steps.length) };
}

/** The poller detects changes, but not that a wait has ended. */
function nextMs({ steps, requeueAfterMs }: Plan, { requeueMs, ...facts }: ObservedFacts): number | undefined {
  const { pollMs } = facts.input.settings;
  if (requeueAfterMs !== undefined && requeueAfterMs < pollMs) return requeueAfterMs;
  return steps.length > 0 || requeueAfterMs === pollMs ? requeueMs : requeueAfterMs;
}

function recordsOf(
  { input, isOnlyRevision }: Extract<ServiceFacts, { readonly is: 'observed' }>,
  isAtRest: boolean,
): readonly ServiceStep[] {
  if (isOnlyRevision) return [];
  if (!isAtRest) return [{ do: 'record revision' }];
  const { revision, service, registryId, observed } = input;
  const ours = ownedBy(observed, { ...service.metadata, registryId });
  return [
    { do: 'record revision', inUse: new Set([revision.hash, ...ours.flatMap(({ mark }) => mark?.revision ?? [])]) },
  ];
}
