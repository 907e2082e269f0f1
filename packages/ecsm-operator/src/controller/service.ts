/**
 * The passes over services: what is read of the platform and of the registry, and how a step is sent. A pass over a service
 * at rest reads nothing. Others rely on the last poll; before a step everything is read again.
 */
import { type CircuitBreaker, platformResponse } from '@ecsm/client';
import {
  ApiError,
  backoffMs,
  type Clock,
  type Ended,
  isApiError,
  type ObjectName,
  type OperateOptions,
  type Operation,
  operate,
  type Pass,
  type Predicate,
  type Random,
  refused,
  type StepResult,
  unknown,
} from '@ecsm/runtime';
import { ECSMService, type ServiceSpec, type ServiceStatus } from '../apis/ecsm-service.ts';
import { orphanAnnotation, platformFinalizer } from '../apis/well-known.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { Observer, PlatformSnapshot } from '../observe/observer.ts';
import { PlatformError } from '../observe/platform-error.ts';
import type { ServiceManager } from '../resource/manager.ts';
import { isOurs, ownedBy } from '../resource/mark.ts';
import { platformName } from '../resource/naming.ts';
import {
  decideService,
  isAttempt,
  isInProgress,
  isNew,
  type ObservedFacts,
  refusedText,
  reportService,
  type ServiceFacts,
  type ServiceStep,
} from '../service/decide.ts';
import { deletedBefore } from '../service/dependencies/deletion-order.ts';
import { dependencyStateOf } from '../service/dependencies/dependency-state.ts';
import { event } from '../service/reasons.ts';
import { answerText } from '../service/refusal.ts';
import type { Allocations } from './allocations.ts';
import { readRegistryId, registryIdOf } from './registry-id.ts';
import { ensureRevision, knownRevisions, pruneRevisions, revisionOf } from './revisions.ts';
import { sendStep } from './send-step.ts';
import { type OperatorSettings, stopGraceMs } from './settings.ts';

interface ServiceOptions {
  readonly manager: ServiceManager;
  readonly observer: Observer;
  readonly fleet: Fleet;
  readonly allocations: Pick<Allocations, 'of' | 'observed'>;
  readonly breaker: CircuitBreaker;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: OperatorSettings;
  /** Which changes of a service cause a pass. */
  readonly changed: Predicate;
  /** Called with the key of a service that waits for the link. */
  readonly waitForLink: (key: string) => void;
}

/** What a process remembers of a service between passes. */
interface ServiceMemory {
  /** Passes in a row that ended with a refusal. */
  refusals: number;
  /** Steps that found the platform in another state than it was read, since all steps of a pass were accepted. */
  overtakings: number;
  /** Hash of the only revision of the service, which was just recorded. Used once: a user may delete it afterwards. */
  onlyRevision: string | undefined;
}

type ServicePass = Pass<ServiceMemory>;

/** The delay after the first refusal; it doubles with each refusal in a row. */
const refusalMsMin = 5_000;
const refusalMsMax = 300_000;
/** Steps in a row that may be overtaken: reading again takes 2 s, and a deletion on the platform up to 30 s. */
const overtakingsMax = 15;
/** An assumed snapshot is verified after a minute at the earliest, and one service after the other. */
const verifyMsMin = 60_000;
/** Replaces the id of a registry that has none yet: no service on the platform has it. */
const noId = 'none';

export function serviceOperation(
  options: ServiceOptions,
  common: Pick<OperateOptions, 'log' | 'metrics'>,
): Operation<ServiceSpec, ServiceStatus, ServiceFacts, ServiceStep, ServiceMemory> {
  const { settings, observer, changed } = options;
  const service = new ServicePasses(options);
  return operate(
    {
      kind: ECSMService,
      finalizer: platformFinalizer,
      triggers: [
        { name: 'service', changes: [changed] },
        // Verification can wait until the link is less busy.
        {
          name: 'verification',
          every: (object) => (observer.owners.isUnverified(baseOf(object.metadata)) ? service.verifyMs() : undefined),
        },
      ],
      observe: (object, pass: ServicePass) => service.observe(object, pass),
      decide: decideService,
      act: (step: ServiceStep, object, facts, pass) => service.act(step, object, facts, pass),
      report: reportService,
      ended: (object, happened, pass) => service.ended(object, happened, pass),
      gone: (pass) => service.gone(pass),
    },
    {
      ...common,
      name: 'ecsmservice',
      eventSource: 'ecsm-operator',
      workers: settings.workers,
      timeoutMs: settings.callTimeoutMs * 12,
      graceMs: stopGraceMs,
    },
  );
}

class ServicePasses {
  readonly #options: ServiceOptions;
  #registryId: string | undefined;

  constructor(options: ServiceOptions) {
    this.#options = options;
  }

  async observe(service: ECSMService, pass: ServicePass): Promise<ServiceFacts> {
    const { breaker, clock, observer, settings, waitForLink } = this.#options;
    const { owners, poller } = observer;
    const base = baseOf(pass);
    const isLeaving = service.metadata.deletionTimestamp !== undefined;
    if (isLeaving && service.metadata.annotations?.[orphanAnnotation] === 'true') return { is: 'orphaned' };
    // Without a cache everything is read now, whatever is known.
    if (pass.mayUseCache) {
      if (breaker.state === 'unreachable') {
        waitForLink(pass.key);
        const isLong = clock.monotonicMs() - breaker.sinceMs >= settings.outageMs;
        return { is: 'unreachable', isLong, lastContactMs: breaker.lastContactMs, reason: breaker.reason };
      }
      await poller.firstPoll(pass.signal);
      if (owners.startPass(base, service, poller.isBulk)) return { is: 'resting' };
    }
    owners.addKnownIds(base, idsIn(service));
    try {
      return await (isLeaving ? this.#observeLeaving(service, pass) : this.#observe(service, pass));
    } catch (error) {
      if (!(error instanceof PlatformError)) throw notAborted(error, pass);
      if (error.isUnanswered) return { is: 'unanswered', error: error.cause, retryMs: settings.plan.pollMs };
      pass.log.write('warn', 'the platform refused a read', { error: error.message });
      return { is: 'refused', error: error.cause, retryMs: retryMsOf(pass) };
    }
  }

  async #observe(service: ECSMService, pass: ServicePass): Promise<ServiceFacts> {
    const { allocations, clock, observer, settings, fleet } = this.#options;
    const { registry, signal, memory } = pass;
    const revision = revisionOf(service);
    // A new object may have the name of one that was deleted a moment ago.
    const isOnlyRevision = memory.onlyRevision === revision.hash && !isNew(service);
    memory.onlyRevision = undefined;
    const { services: observed, offlineNodes, source } = await this.#snapshot(service, pass);
    const stale = observer.staleness.reasonOf(observed);
    if (stale !== undefined) {
      const error = new ApiError('Unavailable', { what: `the platform's state of ${pass.name}`, reason: stale });
      return { is: 'stale', error, retryMs: settings.plan.pollMs };
    }
    const registryId = await this.#idOf(pass);
    const revisions = await knownRevisions(registry, service, revision, observed);
    const current = service.status?.currentRevision;
    const isChanged = current !== undefined && current !== revision.hash;
    const { namespace, name } = pass;
    const isRolling = isChanged || ownedBy(observed, { namespace, name, registryId }).length > 1;
    const allocation = await allocations.of(service, observed, isRolling, signal);
    const dependencies = dependencyStateOf(service, {
      lookup: (key) => fleet.get(key),
      nowMs: clock.now(),
      settings: settings.plan,
    });
    const input = {
      service,
      registryId,
      revision,
      revisions,
      observed,
      offlineNodes,
      settings: settings.plan,
      ...(dependencies === undefined ? {} : { dependencies }),
      ...(allocation === undefined ? {} : { allocation }),
    };
    const isAssumed = source === 'assumed';
    return { is: 'observed', input, isAssumed, isOnlyRevision, ...this.#common(observed, pass) };
  }

  async #observeLeaving(service: ECSMService, pass: ServicePass): Promise<ServiceFacts> {
    const { observer, settings, fleet } = this.#options;
    const base = baseOf(pass);
    const { services: observed } = await observer.freshSnapshot(base, pass.signal);
    const input = {
      service,
      registryId: await this.#idOf(pass),
      observed,
      settings: settings.plan,
      deletedBefore: deletedBefore(pass.key, fleet),
      hasDependents: fleet.dependentsOf(pass.key).length > 0,
    };
    // A creation that was sent and not answered may take effect after everything was read.
    const lateCreationMs = observer.owners.lateCreationMs(base, settings.callTimeoutMs);
    return { is: 'leaving', input, lateCreationMs, ...this.#common(observed, pass) };
  }

  /** Services that were created or deleted since the last poll may be missed if the cache may be used. */
  async #snapshot({ status }: ECSMService, pass: ServicePass): Promise<PlatformSnapshot> {
    const { observer } = this.#options;
    const base = baseOf(pass);
    if (!pass.mayUseCache) return observer.freshSnapshot(base, pass.signal);
    const snapshot = await observer.snapshot(base, pass.signal);
    // The platform rejects a name that is in use: the first service can be created without another read.
    const isFirst = status?.updateRevision === undefined && snapshot.services.length === 0;
    if (snapshot.source !== 'fresh' && !isFirst) pass.usedCache();
    return snapshot;
  }

  #common(observed: PlatformSnapshot['services'], pass: ServicePass) {
    const { poller, staleness } = this.#options.observer;
    return {
      beingDeleted: new Set(observed.map(({ id }) => id).filter((id) => staleness.isBeingDeleted(id))),
      requeueMs: poller.requeueMs(baseOf(pass)),
      retryMs: retryMsOf(pass),
    };
  }

  async act(step: ServiceStep, service: ECSMService, facts: ServiceFacts, pass: ServicePass): Promise<StepResult> {
    const { manager, observer } = this.#options;
    const { registry, signal, memory } = pass;
    if (!('input' in facts)) throw new ApiError('Internal', { reason: `${step.do} without an observation` });
    const { service: read, observed } = facts.input;
    if (step.do === 'record revision') {
      const { hash, isOnly } = await ensureRevision(registry, read, revisionOf(read));
      if (isNew(read) && isOnly) memory.onlyRevision = hash;
      if (step.inUse) await pruneRevisions(registry, read, step.inUse);
      return 'done';
    }
    this.#decided(service, facts, pass);
    const base = baseOf(pass);
    observer.stepStarts(base, step, observed);
    const end = await sendStep(step, manager, signal).catch((error) => {
      throw notAborted(error, pass);
    });
    observer.stepEnded(base, step, observed, end);
    if (end.is === 'done') {
      if (step.accepted) pass.record(step.accepted);
      return 'done';
    }
    if (end.is === 'unanswered') return unknown(end.error.message);
    if (end.is === 'overtaken') {
      memory.overtakings = (memory.overtakings ?? 0) + 1;
      // If it lasts, what was read is not the cause: as if a service that is not listed had the name.
      if (memory.overtakings <= overtakingsMax) return unknown(end.error.message);
    }
    const answer = platformResponse(end.error);
    const said = answer === undefined ? end.error.message : answerText(answer);
    if (!isAttempt(step)) return refused(said, answer?.code);
    pass.record(event('Warning', 'PlatformRefused', refusedText(step, said)));
    return 'done';
  }

  ended(
    service: ECSMService,
    { is, facts, decision, done, step }: Ended<ServiceStatus, ServiceStep, ServiceFacts>,
    pass: ServicePass,
  ): void {
    const { observer } = this.#options;
    const { owners, poller, services } = observer;
    const { memory } = pass;
    const base = baseOf(pass);
    const isRefused = is === 'refused' || facts.is === 'refused';
    if (isRefused) memory.refusals = (memory.refusals ?? 0) + 1;
    // The services that depend on this one need not wait until the informer observes the status.
    this.#options.fleet.set(service);
    switch (facts.is) {
      case 'unreachable':
      case 'resting':
      case 'unanswered':
        return;
      case 'stale':
        poller.setInProgress(base, true);
        return;
      case 'refused':
        poller.setInProgress(base, false);
        return;
      case 'orphaned':
        pass.log.write('info', 'left on the platform', { annotation: orphanAnnotation });
        poller.setInProgress(base, false);
        // Not released: what is released is deleted if it appears late.
        owners.delete(base);
        return;
      default:
    }
    if (done.length === 0 && step === undefined) this.#decided(service, facts, pass);
    if (is === 'done') {
      memory.refusals = 0;
      memory.overtakings = 0;
    }
    poller.setInProgress(base, !isRefused && isInProgress(decision, facts));
    if (decision.hold === false) owners.release(base, service.metadata.uid);
    if (facts.is === 'leaving' || done.length > 0 || step || decision.requeueAfterMs !== undefined) return;
    // An instance that fails now may recover before the next poll, which would then list no change.
    const { unavailableReplicas = 0 } = service.status ?? {};
    if (unavailableReplicas > 0) for (const one of ownedBy(facts.input.observed, ownerOf(facts))) services.recheck(one);
    owners.setAtRest(base, service, !facts.isAssumed);
  }

  /** The object is deleted. A service of its uid that was created late has to be deleted too. */
  async gone(pass: ServicePass): Promise<number | undefined> {
    const { observer, settings, fleet } = this.#options;
    const { owners, poller } = observer;
    const base = baseOf(pass);
    fleet.delete(pass.key);
    poller.setInProgress(base, false);
    const uid = owners.releasedUid(base);
    if (uid !== undefined && poller.idsOf(base)?.length !== 0) {
      try {
        if (!(await this.#deleteLate(uid, pass))) return settings.plan.pollMs;
      } catch (error) {
        if (!(error instanceof PlatformError)) throw notAborted(error, pass);
        pass.log.write('debug', 'reading the platform failed', { error: error.message });
        return settings.plan.pollMs;
      }
    }
    owners.delete(base);
    return undefined;
  }

  /** Returns false if a deletion has failed. */
  async #deleteLate(uid: string, pass: ServicePass): Promise<boolean> {
    const { observer, manager } = this.#options;
    const { namespace, name, signal, log } = pass;
    const registryId = await this.#idOf(pass);
    const { services } = await observer.freshSnapshot(baseOf(pass), signal);
    for (const { id, name: service, mark } of services) {
      if (mark?.uid !== uid || !isOurs(mark, { registryId, namespace, name })) continue;
      const step = { do: 'delete', id, name: service, why: 'created after its ECSMService was deleted' } as const;
      await pass.registry.checkFence();
      log.write('info', 'delete', { platformName: service, why: step.why });
      const end = await sendStep(step, manager, signal);
      if (end.is !== 'done') return false;
    }
    return true;
  }

  /** Delay until an assumed snapshot is verified, spread over all services as the budget of the link allows. */
  verifyMs(): number {
    const { observer, random } = this.#options;
    return verifyMsMin + random.next() * observer.services.listedCount * observer.poller.pace.auditMs;
  }

  /** The observer compares with what was decided about, and the placement of others with what this service has. */
  #decided(service: ECSMService, facts: ObservedFacts, pass: ServicePass): void {
    const { key } = pass;
    const { allocations, observer, fleet } = this.#options;
    const ours = ownedBy(facts.input.observed, ownerOf(facts));
    fleet.set(service);
    if (facts.is === 'leaving') {
      allocations.observed(key, ours, undefined);
      return;
    }
    const lostNodes = (service.status?.lostNodes ?? []).map(({ name }) => name);
    observer.decided(baseOf(pass), ours, lostNodes);
    allocations.observed(key, ours, facts.input.allocation);
  }

  /** Created on first use, unless nothing may be written. */
  async #idOf({ registry, mayUseCache }: Pick<ServicePass, 'registry' | 'mayUseCache'>): Promise<string> {
    if (this.#registryId === undefined && !mayUseCache) return (await readRegistryId(registry)) ?? noId;
    this.#registryId ??= await registryIdOf(registry);
    return this.#registryId;
  }
}

/** The name on the platform, without a revision. */
function baseOf({ namespace = 'default', name }: ObjectName): string {
  return platformName(namespace, name);
}

/** Ids that a previous operator has recorded. */
function idsIn({ status }: ECSMService): readonly string[] {
  return status?.underlyingServiceID === undefined ? [] : [status.underlyingServiceID];
}

function ownerOf({ input }: ObservedFacts) {
  const { namespace, name } = input.service.metadata;
  return { namespace, name, registryId: input.registryId };
}

function retryMsOf({ memory }: ServicePass): number {
  return backoffMs(memory.refusals ?? 0, refusalMsMin, refusalMsMax);
}

/** The reason of an abort is not an error of the catalogue. */
function notAborted(error: unknown, { name, signal }: ServicePass): unknown {
  if (!signal.aborted || isApiError(error)) return error;
  return new ApiError('Unavailable', { what: name, reason: 'the reconcile was aborted' }, error);
}
