/**
 * Makes one ECSMService true: reads it and the platform, lets the service room decide, carries the plan out, and writes
 * down what was seen. It decides nothing itself but when to look again.
 *
 * The order within a reconcile: what is going to be done is written into the status before it is done, so that one that
 * starts again knows what was tried. An operator that is not the leader any more is stopped by its registry before it
 * touches the platform.
 */
import type { CircuitBreaker } from '@ecsm/client';
import {
  ApiError,
  type EventRecorder,
  isApiError,
  type Random,
  type ReconcileResult,
  type Registry,
  type Request,
  withFinalizer,
} from '@ecsm/runtime';
import { ECSMService } from '../apis/ecsm-service.ts';
import { platformFinalizer } from '../apis/well-known.ts';
import { cheapView, freshView, type Sources, type View } from '../observe/observer.ts';
import type { Memory } from '../observe/owner-records.ts';
import { PlatformTrouble } from '../observe/platform-error.ts';
import type { Observer } from '../observe/poller.ts';
import type { ServiceManager } from '../resource/manager.ts';
import { isOurs } from '../resource/mark.ts';
import { platformName } from '../resource/naming.ts';
import type { Plan, PlanInput, RevisionContent, Step } from '../service/model.ts';
import { plan, planCleanup } from '../service/plan.ts';
import { begun } from './background.ts';
import { carryOut } from './carry-out.ts';
import { type Job, Performer, type PerformerOptions } from './performer.ts';
import { registryIdOf } from './registry-id.ts';
import { ensureRevision, knownRevisions, pruneRevisions } from './revisions.ts';
import { reachable, unreachable, withConditions, writeStatus } from './status.ts';

export interface ReconcilerOptions extends PerformerOptions, Sources {
  readonly manager: ServiceManager;
  readonly observer: Observer;
  readonly memory: Memory;
  readonly breaker: CircuitBreaker;
  readonly random: Random;
  /** Told of a key that waits for the link. */
  readonly waits: (key: string) => void;
}

/** What was believed is read after a minute at the earliest, and one service a second. */
const auditMsMin = 60_000;
const auditMsPerService = 1_000;
/** Should nobody wake a key that waits for the link, it finds out by itself. */
const outageLookMs = 600_000;

export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #performer: Performer;
  #registryId: string | undefined;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#performer = new Performer(options);
  }

  /** Events go here from now on. */
  recordIn(recorder: EventRecorder): void {
    this.#performer.recordIn(recorder);
  }

  readonly reconcile = async (request: Request, context: Job['context']): Promise<ReconcileResult> => {
    const { memory } = this.#options;
    const job = { ...request, base: platformName(request.namespace, request.name), context };
    memory.begins(request.key);
    const service = await context.get();
    try {
      if (service === undefined) return await this.#afterwards(job);
      const revision = isNew(service) ? begun(ensureRevision(context.registry, service)) : undefined;
      return await withFinalizer(context.registry.resource(ECSMService), service, platformFinalizer, {
        apply: (object) => this.#apply(object, job, revision),
        cleanup: (object) => this.#cleanUp(object, job),
      });
    } catch (error) {
      if (!(error instanceof PlatformTrouble)) throw context.signal.aborted ? givenUp(job, error) : error;
      context.log.write('debug', 'the platform could not be asked', { error: error.message });
      memory.stirs(request.key);
      if (error.isUnanswered || service === undefined) return { requeueAfterMs: this.#pollMs };
      return this.#performer.complain(service, {}, `the platform refuses to be asked: ${error.message}`, job);
    }
  };

  get #pollMs(): number {
    return this.#options.settings.plan.pollMs;
  }

  async #apply(service: ECSMService, job: Job, recorded?: Promise<RevisionContent>): Promise<ReconcileResult> {
    const { breaker, observer, memory, known, clock } = this.#options;
    const { registry, signal } = job.context;
    if (breaker.state === 'unreachable') return this.#awaitLink(service, job);
    await observer.firstLook(signal);
    if (memory.isAtRest(job.key, service) && (!memory.isUnaudited(job.key) || observer.isHurried)) {
      await writeStatus(registry, service, withConditions(service, [reachable], clock));
      // An audit can wait until others need the link less.
      return memory.isUnaudited(job.key) ? { requeueAfterMs: this.#auditMs() } : undefined;
    }
    memory.stirs(job.key);
    known.add(job.base, idsIn(service));
    const revision = await (recorded ?? ensureRevision(registry, service));
    const { input, decided, certainty } = await this.#decide(service, revision, job);
    const stale = this.#options.freshness.complaint(input.observed);
    if (stale !== undefined) return this.#performer.lookAgain(job, stale);
    observer.attend(input.observed.filter(({ mark }) => isOurs(mark, { ...job, registryId: input.registryId })));
    observer.miss(
      job,
      (decided.status.lostNodes ?? []).map((node) => node.name),
    );
    const isFirst = recorded !== undefined && isFirstCreation(service, decided);
    const result = await this.#performer.perform(service, decided, input, job, { isFirst });
    if (result?.requeueAfterMs !== undefined) return result;
    if (decided.status.unavailableReplicas > 0) {
      observer.doubt(input.observed.filter(({ mark }) => isOurs(mark, { ...job, registryId: input.registryId })));
    }
    await this.#rest(service, input, certainty, job);
    return certainty === 'trusted' ? { requeueAfterMs: this.#auditMs() } : undefined;
  }

  async #cleanUp(service: ECSMService, job: Job): Promise<ReconcileResult> {
    const { breaker, observer, memory, freshness, known, clock, settings } = this.#options;
    if (breaker.state === 'unreachable') return this.#awaitLink(service, job);
    await observer.firstLook(job.context.signal);
    known.add(job.base, idsIn(service));
    const view = await freshView(this.#options, job.base, job.context.signal);
    const registryId = await this.#idOf(job.context.registry);
    const observed = freshness.corrected(view.services);
    const input = { service, registryId, observed, nowMs: clock.now(), settings: settings.plan };
    const decided = planCleanup(input);
    if (!decided.isClean)
      return (await this.#performer.perform(service, decided, input, job)) ?? { requeueAfterMs: this.#pollMs };
    // A creation that was asked for and never answered may come true after everything was looked at.
    const waitMs = memory.lateCreationMs(job.key, settings.callTimeoutMs);
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    observer.follow(job, false);
    observer.miss(job, []);
    memory.released(job.key, service.metadata.uid);
    return;
  }

  /** The object is gone. If it was let go and something of it came late after all, that has to go too. */
  async #afterwards({ key, base, namespace, name, context }: Job): Promise<ReconcileResult> {
    const { observer, memory, manager } = this.#options;
    observer.follow({ namespace, name }, false);
    observer.miss({ namespace, name }, []);
    memory.forget(key);
    const uid = memory.releasedUid(key);
    if (uid === undefined || observer.idsOf(base)?.length === 0) return;
    const registryId = await this.#idOf(context.registry);
    const { services } = await freshView(this.#options, base, context.signal);
    for (const service of services) {
      if (service.mark?.uid !== uid || !isOurs(service.mark, { registryId, namespace, name })) continue;
      const step: Step = { do: 'delete', id: service.id, name: service.name, why: 'it came late: its owner is gone' };
      await context.registry.checkFence();
      context.log.write('info', 'delete', { platformName: service.name, why: step.why });
      const end = await carryOut(step, manager, context.signal);
      if (end.is !== 'done') return { requeueAfterMs: this.#pollMs };
    }
  }

  /** Decides on what is cheap to know; if that means to act, on what is certain. */
  async #decide(
    service: ECSMService,
    revision: RevisionContent,
    job: Job,
  ): Promise<{ readonly input: PlanInput; readonly decided: Plan; readonly certainty: View['certainty'] }> {
    const { signal } = job.context;
    const view = await cheapView(this.#options, job.base, signal);
    const { certainty } = view;
    const cheap = await this.#inputOf(service, revision, view, job);
    const decided = plan(cheap);
    if (certainty === 'fresh' || decided.steps.length === 0 || isFirstCreation(service, decided)) {
      return { input: cheap, decided, certainty };
    }
    const input = await this.#inputOf(service, revision, await freshView(this.#options, job.base, signal), job);
    return { input, decided: plan(input), certainty: 'fresh' };
  }

  async #inputOf(
    service: ECSMService,
    revision: RevisionContent,
    view: View,
    { context: { registry } }: Job,
  ): Promise<PlanInput> {
    const { freshness, clock, settings } = this.#options;
    const observed = freshness.corrected(view.services);
    const hashes = [...observed.flatMap(({ mark }) => mark?.revision ?? []), service.status?.currentRevision ?? ''];
    return {
      service,
      registryId: await this.#idOf(registry),
      revision,
      revisions: await knownRevisions(registry, service, revision, hashes),
      observed,
      offlineNodes: view.offlineNodes,
      nowMs: clock.now(),
      settings: settings.plan,
    };
  }

  /**
   * Nothing is asked of a platform that does not answer; the breaker wakes the key when it does. It is never answered with
   * nothing to do: what waits to be cleaned up would be taken for clean.
   */
  async #awaitLink(service: ECSMService, { key, context }: Job): Promise<ReconcileResult> {
    const { breaker, clock, settings, waits } = this.#options;
    waits(key);
    if (clock.monotonicMs() - breaker.sinceMs >= settings.outageMs) {
      await writeStatus(context.registry, service, withConditions(service, [unreachable(breaker)], clock));
    }
    return { requeueAfterMs: outageLookMs };
  }

  async #rest(
    service: ECSMService,
    { observed, revision, registryId }: PlanInput,
    certainty: View['certainty'],
    job: Job,
  ): Promise<void> {
    const ours = observed.filter(({ mark }) => isOurs(mark, { ...job, registryId }));
    const inUse = new Set([revision.hash, ...ours.flatMap(({ mark }) => mark?.revision ?? [])]);
    await pruneRevisions(job.context.registry, service, inUse);
    this.#options.memory.rests(job.key, service, certainty !== 'trusted');
  }

  /** When to read what was only believed: soon, but not with all the others at once. */
  #auditMs(): number {
    const { observer, random } = this.#options;
    return auditMsMin + random.next() * observer.services * auditMsPerService;
  }

  async #idOf(registry: Registry): Promise<string> {
    this.#registryId ??= await registryIdOf(registry);
    return this.#registryId;
  }
}

/**
 * Nobody has worked on it yet. Its finalizer and its revision are both written before anything is made of it, and neither
 * needs the other: side by side they cost one flush of the disk.
 */
function isNew({ metadata, status }: ECSMService): boolean {
  const { deletionTimestamp, finalizers = [] } = metadata;
  return deletionTimestamp === undefined && status === undefined && !finalizers.includes(platformFinalizer);
}

/** What an operator that ran before us knew. */
function idsIn({ status }: ECSMService): readonly string[] {
  return status?.underlyingServiceID === undefined ? [] : [status.underlyingServiceID];
}

/** The reason of an abort is no error of the catalogue. */
function givenUp({ name }: Job, cause: unknown): ApiError {
  return isApiError(cause)
    ? cause
    : new ApiError('Unavailable', { what: name, reason: 'the reconcile was told to stop' }, cause);
}

/** It was never planned for before, and a name that is taken would be refused: it can be made without another look. */
function isFirstCreation({ status }: ECSMService, { steps }: Plan): boolean {
  return status?.updateRevision === undefined && steps.length === 1 && steps[0]?.do === 'create';
}
