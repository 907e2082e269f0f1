/**
 * Carries plans out. What is going to be done is written into the status before it is done, so an operator that starts
 * again knows what was tried. One that is not the leader any more is stopped by its registry before each step. After any
 * step the world is looked at again.
 */
import type { Clock, EventRecorder, ReconcileContext, ReconcileResult, Request } from '@ecsm/runtime';
import type { ECSMService, ServiceSpec, ServiceStatus } from '../apis/ecsm-service.ts';
import type { KnownIds } from '../observe/known-ids.ts';
import type { Memory } from '../observe/owner-records.ts';
import type { Observer } from '../observe/poller.ts';
import type { Freshness } from '../observe/staleness.ts';
import type { ServiceManager } from '../resource/manager.ts';
import type { Plan, PlanInput, Step } from '../service/model.ts';
import { condition } from '../service/reasons.ts';
import { withoutUnsent } from '../service/removals.ts';
import { begun } from './background.ts';
import { carryOut, type StepEnd } from './carry-out.ts';
import type { OperatorSettings } from './settings.ts';
import { reachable, statusAfter, withConditions, writeStatus } from './status.ts';

/** One reconcile. */
export interface Job extends Request {
  /** The name on the platform, at rest. */
  readonly base: string;
  readonly context: ReconcileContext<ServiceSpec, ServiceStatus>;
}

export interface PerformerOptions {
  readonly manager: ServiceManager;
  readonly observer: Observer;
  readonly freshness: Freshness;
  readonly known: KnownIds;
  readonly memory: Memory;
  readonly clock: Clock;
  readonly settings: OperatorSettings;
}

export interface PerformOptions {
  /**
   * It is the first thing that is ever done for this object. What was tried then is told by the name on the platform and
   * its mark, and its finalizer was written just now, so the status need not be there before. Default: it has to be.
   */
  readonly isFirst?: boolean;
}

export class Performer {
  readonly #options: PerformerOptions;
  #recorder: EventRecorder | undefined;

  constructor(options: PerformerOptions) {
    this.#options = options;
  }

  /** Events go here from now on. */
  recordIn(recorder: EventRecorder): void {
    this.#recorder = recorder;
  }

  /** Says what is going to be done, does it, and says what went wrong. Answers when to look again. */
  async perform(
    service: ECSMService,
    decided: Plan,
    { observed }: Pick<PlanInput, 'observed'>,
    job: Job,
    { isFirst = false }: PerformOptions = {},
  ): Promise<ReconcileResult> {
    const { clock, memory, observer } = this.#options;
    const { registry } = job.context;
    const writing = begun(writeStatus(registry, service, statusAfter(service, decided, [reachable], clock)));
    if (!isFirst) await writing;
    let done = 0;
    // The first events are those of the steps, in their order.
    const tell = (events: Plan['events']) => {
      for (const { type, reason, message } of events) this.#recorder?.record(service, type, reason, message);
    };
    for (const step of decided.steps) {
      const end = await this.#step(step, observed, job);
      if (end.is !== 'done') tell(decided.events.slice(0, done));
      if (end.is === 'refused' && !isAttempt(step)) {
        const message = `the platform refused to ${verbs[step.do]} (${step.why}): ${end.error.message}`;
        const status = withoutUnsent(decided.status, service.status, decided.steps.slice(done));
        return this.complain(await writing, { ...decided, status }, message, job);
      }
      if (end.is === 'overtaken' || end.is === 'unanswered') {
        const status = withoutUnsent(decided.status, service.status, decided.steps.slice(done + 1));
        const written = await writing;
        await writeStatus(registry, written, statusAfter(written, { ...decided, status }, [reachable], clock));
        return this.lookAgain(job, `${step.do} was ${end.is}: ${end.error.message}`);
      }
      done++;
    }
    await writing;
    memory.accepted(job.key);
    tell(decided.events);
    const { requeueAfterMs } = decided;
    const isUnderWay = done > 0 || (requeueAfterMs ?? Number.POSITIVE_INFINITY) <= this.#pollMs;
    observer.follow(job, isUnderWay);
    // The observer sees what changes; that the time has come for something it does not.
    const isDueSooner = (requeueAfterMs ?? this.#pollMs) < this.#pollMs;
    if (isUnderWay && !isDueSooner) {
      return { requeueAfterMs: observer.selfLookMs };
    }
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  async #step(step: Step, observed: PlanInput['observed'], { key, base, context }: Job): Promise<StepEnd> {
    const { manager, observer, freshness, known, memory } = this.#options;
    // Asked for and not done yet: to ask again would be noise, or worse.
    if (step.do === 'delete' && freshness.isBeingDeleted(step.id)) return { is: 'done' };
    await context.registry.checkFence();
    context.log.write('info', step.do, { ...subjectOf(step), why: step.why });
    if (step.do === 'create') {
      observer.gave(base);
      memory.creating(key, false);
    }
    const touch = () => {
      for (const { id } of observed) observer.touch(id);
    };
    touch();
    const end = await carryOut(step, manager, context.signal);
    // Once more: a look may have begun before the platform had done it.
    touch();
    if (step.do === 'create') {
      observer.gave(base);
      memory.creating(key, end.is !== 'unanswered');
    }
    if (end.is !== 'done') return end;
    const { writtenId } = end;
    if (writtenId !== undefined) known.add(base, [writtenId]);
    if (step.do === 'create' && writtenId !== undefined) memory.made(writtenId, step.body);
    const before = 'id' in step ? observed.find(({ id }) => id === step.id) : undefined;
    if (step.do === 'update' && before) freshness.updated(before, step.body);
    if (step.do === 'delete') freshness.deleted(step.id);
    return end;
  }

  /** The platform does not want what we want. It is asked again later, and later each time. */
  async complain(
    service: ECSMService,
    said: Partial<Pick<Plan, 'status' | 'conditions'>>,
    message: string,
    job: Job,
  ): Promise<ReconcileResult> {
    const { clock, memory, observer } = this.#options;
    const { key, context } = job;
    const others = [condition('Degraded', 'True', 'PlatformRefused', message), reachable];
    const { status, conditions } = said;
    const next =
      status && conditions
        ? statusAfter(service, { status, conditions }, others, clock)
        : withConditions(service, others, clock);
    await writeStatus(context.registry, service, next);
    context.log.write('warn', message);
    this.#recorder?.record(service, 'Warning', 'PlatformRefused', message);
    observer.follow(job, false);
    return { requeueAfterMs: memory.refused(key) };
  }

  lookAgain(job: Job, why: string): ReconcileResult {
    job.context.log.write('debug', 'the platform is looked at again', { why });
    this.#options.observer.follow(job, true);
    return { requeueAfterMs: this.#pollMs };
  }

  get #pollMs(): number {
    return this.#options.settings.plan.pollMs;
  }
}

/** One that may be refused: the next plan tries something else. */
function isAttempt(step: Step): boolean {
  return step.do === 'startInstance' || step.do === 'unpauseInstance';
}

const verbs: Readonly<Record<Step['do'], string>> = {
  create: 'make the service',
  update: 'change the service',
  delete: 'delete the service',
  start: 'start the service',
  unpause: 'continue the service',
  startInstance: 'start an instance',
  unpauseInstance: 'continue an instance',
  redeploy: 'deploy the service again',
};

function subjectOf(step: Step): Readonly<Record<string, string>> {
  if ('body' in step) return { platformName: step.body.name };
  return 'name' in step ? { platformName: step.name } : { instance: step.instance };
}
