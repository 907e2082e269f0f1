/**
 * Reconciles one ECSMService: reads it and the platform, computes the plan, performs it, and writes the status. It decides
 * only when to reconcile again.
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
import { orphanAnnotation, platformFinalizer } from '../apis/well-known.ts';
import type { PlatformSnapshot } from '../observe/observer.ts';
import { PlatformError } from '../observe/platform-error.ts';
import { isOurs, ownedBy } from '../resource/mark.ts';
import { platformName } from '../resource/naming.ts';
import { planCleanup } from '../service/cleanup.ts';
import { deletedBefore } from '../service/dependencies/deletion-order.ts';
import { dependencyStateOf } from '../service/dependencies/dependency-state.ts';
import type { Plan, PlanInput, RevisionContent, Step } from '../service/model.ts';
import { plan } from '../service/plan.ts';
import type { Allocations } from './allocations.ts';
import { type Job, Performer, type PerformerOptions, startInBackground } from './performer.ts';
import { registryIdOf } from './registry-id.ts';
import { ensureRevision, knownRevisions, pruneRevisions, revisionOf } from './revisions.ts';
import { sendStep } from './send-step.ts';
import { reachable, unreachable, writeConditions } from './status.ts';

interface ReconcilerOptions extends PerformerOptions {
  readonly breaker: CircuitBreaker;
  readonly random: Random;
  readonly allocations: Pick<Allocations, 'of' | 'observed'>;
  /** Called with a key that waits for the link. */
  readonly waitForLink: (key: string) => void;
}

interface Decision {
  readonly input: PlanInput;
  readonly decided: Plan;
  readonly source: PlatformSnapshot['source'];
}

/** An assumed snapshot is verified after a minute at the earliest, and one service after the other. */
const verifyMsMin = 60_000;
/** A key that waits for the link, or for dependents to be deleted, is reconciled after this time even if nothing enqueues it. */
const outageRequeueMs = 600_000;

export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #performer: Performer;
  #registryId: string | undefined;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#performer = new Performer(options);
  }

  /** Sets the recorder of events. */
  recordIn(recorder: EventRecorder): void {
    this.#performer.recordIn(recorder);
  }

  readonly reconcile = async (request: Request, context: Job['context']): Promise<ReconcileResult> => {
    const job = { ...request, base: platformName(request.namespace, request.name), context };
    this.#options.observer.owners.startReconcile(job.base);
    const service = await context.get();
    try {
      if (service === undefined) {
        this.#options.fleet.delete(request.key);
        return await this.#removeLate(job);
      }
      if (isNew(service)) return await this.#apply(service, job);
      return await withFinalizer(context.registry.resource(ECSMService), service, platformFinalizer, {
        apply: (object) => this.#apply(object, job),
        cleanup: (object) => this.#cleanUp(object, job),
      });
    } catch (error) {
      return this.#failed(error, service, job);
    }
  };

  async #apply(service: ECSMService, job: Job): Promise<ReconcileResult> {
    const { allocations, breaker, observer } = this.#options;
    const { owners, poller, services, staleness } = observer;
    const { base, context } = job;
    if (breaker.state === 'unreachable') return this.#awaitLink(service, job);
    await poller.firstPoll(context.signal);
    if (owners.isAtRest(base, service) && (!owners.isUnverified(base) || poller.isBulk)) {
      return this.#stayAtRest(service, job);
    }
    owners.setActive(base);
    owners.addKnownIds(base, idsIn(service));
    const current = revisionOf(service);
    const isFirst = isNew(service);
    // A new object may have the name of one that was deleted a moment ago.
    const isOnlyRevision = owners.takeOnlyRevision(base) === current.hash && !isFirst;
    const recording = isOnlyRevision
      ? undefined
      : startInBackground(ensureRevision(context.registry, service, current));
    const first = isFirst ? recording : undefined;
    const revision = (isFirst ? undefined : await recording) ?? current;
    const { input, decided, source } = await this.#decide(service, revision, job);
    const stale = staleness.reasonOf(input.observed);
    if (stale !== undefined) return this.#performer.readAgain(job, stale);
    const ours = ownedBy(input.observed, { ...job, registryId: input.registryId });
    const lostNodes = (decided.status.lostNodes ?? []).map(({ name }) => name);
    observer.decided(base, ours, lostNodes);
    allocations.observed(job.key, ours, input.allocation);
    const result = await this.#performer.perform(service, decided, input, job, first);
    if (first !== undefined && (await first).isOnly) owners.setOnlyRevision(base, revision.hash);
    if (result?.requeueAfterMs !== undefined) return result;
    // An instance that fails now may recover before the next poll, which would then list no change.
    if (decided.status.unavailableReplicas > 0) for (const one of ours) services.recheck(one);
    if (!isOnlyRevision) {
      const inUse = new Set([revision.hash, ...ours.flatMap(({ mark }) => mark?.revision ?? [])]);
      await pruneRevisions(context.registry, service, inUse);
    }
    owners.setAtRest(base, service, source !== 'assumed');
    return source === 'assumed' ? { requeueAfterMs: this.#verifyMs() } : undefined;
  }

  async #cleanUp(service: ECSMService, job: Job): Promise<ReconcileResult> {
    const { allocations, breaker, observer, clock, settings, fleet } = this.#options;
    const { owners, poller } = observer;
    const { base, context } = job;
    if (service.metadata.annotations?.[orphanAnnotation] === 'true') {
      context.log.write('info', 'left on the platform', { annotation: orphanAnnotation });
      poller.setInProgress(base, false);
      // Not released: what is released is deleted if it appears late.
      owners.delete(base);
      return;
    }
    if (breaker.state === 'unreachable') return this.#awaitLink(service, job);
    await poller.firstPoll(context.signal);
    owners.addKnownIds(base, idsIn(service));
    const { services: observed } = await observer.freshSnapshot(base, context.signal);
    const registryId = await this.#idOf(context.registry);
    const nowMs = clock.now();
    const before = deletedBefore(job.key, fleet);
    const hasDependents = fleet.dependentsOf(job.key).length > 0;
    const input = {
      service,
      registryId,
      observed,
      nowMs,
      settings: settings.plan,
      deletedBefore: before,
      hasDependents,
    };
    allocations.observed(job.key, ownedBy(observed, { ...job, registryId }), undefined);
    const decided = planCleanup(input);
    if (!decided.isClean) {
      const result = await this.#performer.perform(service, decided, input, job);
      return result ?? { requeueAfterMs: before.length === 0 ? this.#pollMs : outageRequeueMs };
    }
    // A creation that was sent and not answered may take effect after everything was read.
    const waitMs = owners.lateCreationMs(base, settings.callTimeoutMs);
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    poller.setInProgress(base, false);
    owners.release(base, service.metadata.uid);
    return;
  }

  /** The object is deleted. A service of its uid that was created late has to be deleted too. */
  async #removeLate({ base, namespace, name, context }: Job): Promise<ReconcileResult> {
    const { observer, manager } = this.#options;
    const { owners, poller } = observer;
    poller.setInProgress(base, false);
    const uid = owners.releasedUid(base);
    if (uid !== undefined && poller.idsOf(base)?.length !== 0) {
      const registryId = await this.#idOf(context.registry);
      const { services } = await observer.freshSnapshot(base, context.signal);
      for (const service of services) {
        if (service.mark?.uid !== uid || !isOurs(service.mark, { registryId, namespace, name })) continue;
        const step: Step = {
          do: 'delete',
          id: service.id,
          name: service.name,
          why: 'created after its ECSMService was deleted',
        };
        await context.registry.checkFence();
        context.log.write('info', 'delete', { platformName: service.name, why: step.why });
        const end = await sendStep(step, manager, context.signal);
        if (end.is !== 'done') return { requeueAfterMs: this.#pollMs };
      }
    }
    owners.delete(base);
    return;
  }

  /** Plans with a cheap snapshot; if that plan has steps, plans again with a fresh one. */
  async #decide(service: ECSMService, revision: RevisionContent, job: Job): Promise<Decision> {
    const { observer } = this.#options;
    const { signal } = job.context;
    const snapshot = await observer.snapshot(job.base, signal);
    const { source } = snapshot;
    const cheap = await this.#inputOf(service, revision, snapshot, job);
    const decided = plan(cheap);
    if (source === 'fresh' || decided.steps.length === 0 || isFirstCreation(service, decided)) {
      return { input: cheap, decided, source };
    }
    const input = await this.#inputOf(service, revision, await observer.freshSnapshot(job.base, signal), job);
    return { input, decided: plan(input), source: 'fresh' };
  }

  async #inputOf(
    service: ECSMService,
    revision: RevisionContent,
    { services: observed, offlineNodes }: PlatformSnapshot,
    job: Job,
  ): Promise<PlanInput> {
    const { allocations, clock, settings, fleet } = this.#options;
    const { registry, signal } = job.context;
    const registryId = await this.#idOf(registry);
    const revisions = await knownRevisions(registry, service, revision, observed);
    const current = service.status?.currentRevision;
    const isChanged = current !== undefined && current !== revision.hash;
    const isRolling = isChanged || ownedBy(observed, { ...job, registryId }).length > 1;
    const allocation = await allocations.of(job.key, isRolling, signal);
    const nowMs = clock.now();
    const dependencies = dependencyStateOf(service, {
      lookup: (key) => fleet.get(key),
      nowMs,
      settings: settings.plan,
    });
    return {
      service,
      registryId,
      revision,
      revisions,
      observed,
      offlineNodes,
      nowMs,
      settings: settings.plan,
      ...(dependencies === undefined ? {} : { dependencies }),
      ...(allocation === undefined ? {} : { allocation }),
    };
  }

  /**
   * Nothing is sent while the link is down; the key is reconciled when it is back. The result is never empty: an empty
   * result would end a cleanup, and the finalizer would be removed.
   */
  async #awaitLink(service: ECSMService, { key, context }: Job): Promise<ReconcileResult> {
    const { breaker, clock, settings, waitForLink } = this.#options;
    waitForLink(key);
    if (clock.monotonicMs() - breaker.sinceMs >= settings.outageMs) {
      await writeConditions(context.registry, service, [unreachable(breaker)], clock);
    }
    return { requeueAfterMs: outageRequeueMs };
  }

  async #stayAtRest(service: ECSMService, { base, context }: Job): Promise<ReconcileResult> {
    const { observer, clock } = this.#options;
    await writeConditions(context.registry, service, [reachable], clock);
    // Verification can wait until the link is less busy.
    return observer.owners.isUnverified(base) ? { requeueAfterMs: this.#verifyMs() } : undefined;
  }

  async #failed(error: unknown, service: ECSMService | undefined, job: Job): Promise<ReconcileResult> {
    const { context } = job;
    if (!(error instanceof PlatformError)) throw context.signal.aborted ? aborted(job, error) : error;
    context.log.write('debug', 'reading the platform failed', { error: error.message });
    this.#options.observer.owners.setActive(job.base);
    if (error.isUnanswered || service === undefined) return { requeueAfterMs: this.#pollMs };
    return this.#performer.reportRefusal(service, {}, `the platform refused a read: ${error.message}`, job);
  }

  get #pollMs(): number {
    return this.#options.settings.plan.pollMs;
  }

  /** Delay until an assumed snapshot is verified, spread over all services as the budget of the link allows. */
  #verifyMs(): number {
    const { observer, random } = this.#options;
    return verifyMsMin + random.next() * observer.services.listedCount * observer.poller.pace.auditMs;
  }

  async #idOf(registry: Registry): Promise<string> {
    this.#registryId ??= await registryIdOf(registry);
    return this.#registryId;
  }
}

/**
 * No operator has reconciled it yet. Its finalizer is written with its first status, and concurrently with its revision:
 * together they cost one flush of the disk before anything is created for it.
 */
function isNew({ metadata, status }: ECSMService): boolean {
  const { deletionTimestamp, finalizers = [] } = metadata;
  return deletionTimestamp === undefined && status === undefined && !finalizers.includes(platformFinalizer);
}

/** Ids that a previous operator has recorded. */
function idsIn({ status }: ECSMService): readonly string[] {
  return status?.underlyingServiceID === undefined ? [] : [status.underlyingServiceID];
}

/** The reason of an abort is not an error of the catalogue. */
function aborted({ name }: Job, cause: unknown): ApiError {
  return isApiError(cause)
    ? cause
    : new ApiError('Unavailable', { what: name, reason: 'the reconcile was aborted' }, cause);
}

/** It was never planned before, and the platform rejects a name that is in use: it can be created without another read. */
function isFirstCreation({ status }: ECSMService, { steps }: Plan): boolean {
  return status?.updateRevision === undefined && steps.length === 1 && steps[0]?.do === 'create';
}
