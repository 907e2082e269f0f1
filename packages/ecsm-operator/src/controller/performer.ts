/**
 * Performs plans. The status with the attempt is written before the steps are sent, so that a restarted operator finds it.
 * The registry rejects an operator that lost its lease before each step. After any step the platform is read again.
 */
import { platformResponse } from '@ecsm/client';
import type {
  ApiError,
  Clock,
  EventRecorder,
  ReconcileContext,
  ReconcileResult,
  Registry,
  Request,
} from '@ecsm/runtime';
import type { ECSMService, ServiceSpec, ServiceStatus } from '../apis/ecsm-service.ts';
import { platformFinalizer } from '../apis/well-known.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { Observer } from '../observe/observer.ts';
import type { ServiceManager } from '../resource/manager.ts';
import type { Plan, PlanInput, PlannedEvent, Step } from '../service/model.ts';
import { condition } from '../service/reasons.ts';
import { answerText, type Refusal } from '../service/refusal.ts';
import { withoutUnsent } from '../service/removals.ts';
import { type StepResult, sendStep } from './send-step.ts';
import type { OperatorSettings } from './settings.ts';
import { reachable, statusAfter, writeConditions, writeStatus } from './status.ts';

/** One reconcile. */
export interface Job extends Request {
  /** The name on the platform, without a revision. */
  readonly base: string;
  readonly context: ReconcileContext<ServiceSpec, ServiceStatus>;
}

export interface PerformerOptions {
  readonly manager: ServiceManager;
  readonly observer: Observer;
  readonly fleet: Fleet;
  readonly clock: Clock;
  readonly settings: OperatorSettings;
}

/** Steps in a row that may be overtaken: reading again takes 2 s, and a deletion on the platform up to 30 s. */
const overtakingsMax = 15;

export class Performer {
  readonly #options: PerformerOptions;
  #recorder: EventRecorder | undefined;

  constructor(options: PerformerOptions) {
    this.#options = options;
  }

  /** Sets the recorder of events. */
  recordIn(recorder: EventRecorder): void {
    this.#recorder = recorder;
  }

  /**
   * Writes the status, sends the steps, and reports what failed. Returns when to reconcile again. `recording`: no operator
   * has reconciled the object before, and its first revision is being stored. Nothing is sent before that, the status and
   * the finalizer are stored.
   */
  async perform(
    service: ECSMService,
    decided: Plan,
    { observed }: Pick<PlanInput, 'observed'>,
    job: Job,
    recording?: Promise<unknown>,
  ): Promise<ReconcileResult> {
    const { clock, observer } = this.#options;
    const { registry } = job.context;
    const status = statusAfter(service, decided, [reachable], clock);
    const [written] = await Promise.all([
      this.#write(registry, service, status, recording === undefined ? undefined : platformFinalizer),
      recording,
    ]);
    let done = 0;
    let accepted = 0;
    // The first events are those of the steps, in their order; undefined: the step was not sent.
    const events: (PlannedEvent | undefined)[] = [...decided.events];
    const record = (some: typeof events) => {
      for (const one of some) if (one) this.#recorder?.record(service, one.type, one.reason, one.message);
    };
    for (const step of decided.steps) {
      // The deletion was requested and is still in progress: a second request would do nothing, or harm.
      if (step.do === 'delete' && observer.staleness.isBeingDeleted(step.id)) {
        events[done] = undefined;
        done++;
        continue;
      }
      const end = await this.#step(step, observed, job);
      if (end.is === 'refused' && isAttempt(step)) {
        const { message } = refusalOf(step, end.error, service);
        job.context.log.write('warn', message);
        events[done] = { type: 'Warning', reason: 'PlatformRefused', message };
        done++;
        continue;
      }
      if (end.is !== 'done') record(events.slice(0, done));
      if (end.is === 'refused') {
        const refusal = refusalOf(step, end.error, service);
        const status = { ...withoutUnsent(decided.status, service.status, decided.steps.slice(done)), refusal };
        return this.reportRefusal(written, { ...decided, status }, refusal.message, job);
      }
      if (end.is === 'overtaken' || end.is === 'unanswered') {
        const status = withoutUnsent(decided.status, service.status, decided.steps.slice(done + 1));
        await this.#write(registry, written, statusAfter(written, { ...decided, status }, [reachable], clock));
        return this.readAgain(job, `${step.do} was ${end.is}: ${end.error.message}`);
      }
      accepted++;
      done++;
    }
    if (accepted > 0) await this.#clearRefusal(written, decided, job);
    observer.owners.accepted(job.base);
    record(events);
    const { requeueAfterMs } = decided;
    const isInProgress = done > 0 || (requeueAfterMs ?? Number.POSITIVE_INFINITY) <= this.#pollMs;
    observer.poller.setInProgress(job.base, isInProgress);
    // The poller detects changes, but not that a wait has ended.
    const isDueSooner = (requeueAfterMs ?? this.#pollMs) < this.#pollMs;
    if (isInProgress && !isDueSooner) return { requeueAfterMs: observer.poller.requeueMs };
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  /** The services that depend on this one need not wait until the informer observes the status. */
  async #write(
    registry: Registry,
    service: ECSMService,
    status: ServiceStatus,
    finalizer?: string,
  ): Promise<ECSMService> {
    const written = await writeStatus(registry, service, status, finalizer);
    this.#options.fleet.set(written);
    return written;
  }

  /** The platform accepted what it had refused before. The status was written before that was known. */
  async #clearRefusal(service: ECSMService, { status, conditions }: Plan, { context }: Job): Promise<void> {
    const { refusal, ...rest } = status;
    if (refusal === undefined) return;
    const { generation: observedGeneration } = service.metadata;
    const accepted = { ...condition('Degraded', 'False', 'AsExpected', 'no problems'), observedGeneration };
    const after = statusAfter(service, { status: rest, conditions }, [accepted, reachable], this.#options.clock);
    await this.#write(context.registry, service, after);
  }

  async #step(step: Step, observed: PlanInput['observed'], { base, context }: Job): Promise<StepResult> {
    const { manager, observer } = this.#options;
    await context.registry.checkFence();
    context.log.write('info', step.do, { ...subjectOf(step), why: step.why });
    observer.stepStarts(base, step, observed);
    const end = await sendStep(step, manager, context.signal);
    observer.stepEnded(base, step, observed, end);
    if (end.is !== 'overtaken') return end;
    // If it lasts, what was read is not the cause: as if a service that is not listed had the name.
    return observer.owners.overtaken(base) > overtakingsMax ? { is: 'refused', error: end.error } : end;
  }

  /** The platform rejected a call. It is retried with backoff. */
  async reportRefusal(
    service: ECSMService,
    planned: Partial<Pick<Plan, 'status' | 'conditions'>>,
    message: string,
    job: Job,
  ): Promise<ReconcileResult> {
    const { clock, observer } = this.#options;
    const { base, context } = job;
    const { generation: observedGeneration } = service.metadata;
    const others = [{ ...condition('Degraded', 'True', 'PlatformRefused', message), observedGeneration }, reachable];
    const { status, conditions } = planned;
    if (status && conditions) {
      await this.#write(context.registry, service, statusAfter(service, { status, conditions }, others, clock));
    } else {
      await writeConditions(context.registry, service, others, clock);
    }
    context.log.write('warn', message);
    this.#recorder?.record(service, 'Warning', 'PlatformRefused', message);
    observer.poller.setInProgress(base, false);
    return { requeueAfterMs: observer.owners.refused(base) };
  }

  readAgain(job: Job, why: string): ReconcileResult {
    job.context.log.write('debug', 'reading the platform again', { why });
    this.#options.observer.poller.setInProgress(job.base, true);
    return { requeueAfterMs: this.#pollMs };
  }

  get #pollMs(): number {
    return this.#options.settings.plan.pollMs;
  }
}

/** Marks the failure of work as handled until its caller awaits it: an unhandled rejection would end the process. */
export function startInBackground<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

/** The refused call, why it was made, and the answer of the platform in English and in its own words. */
function refusalOf(step: Step, error: ApiError, { metadata }: ECSMService): Refusal {
  const answer = platformResponse(error);
  const said = answer === undefined ? error.message : answerText(answer);
  return {
    message: `the platform refused to ${verbs[step.do]} (${step.why}): ${said}`,
    ...(answer?.code === undefined ? {} : { code: answer.code }),
    observedGeneration: metadata.generation,
  };
}

/** A step that may be refused: the next plan tries another one. */
function isAttempt(step: Step): boolean {
  return step.do === 'startInstance' || step.do === 'unpauseInstance';
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

function subjectOf(step: Step): Readonly<Record<string, string>> {
  if ('body' in step) return { platformName: step.body.name };
  return 'name' in step ? { platformName: step.name } : { instance: step.instance };
}
