/**
 * Syncs one autoscaler: reads its target and its metrics, decides, sets the number, and writes the status. The change is in
 * the status before it is made, so that policies count it also after a crash.
 */
import {
  type Clock,
  deepEqual,
  type EventRecorder,
  isApiError,
  type ReconcileContext,
  type ReconcileResult,
  type Registry,
  type Request,
  timestampAt,
} from '@ecsm/runtime';
import type { ECSMService } from '../../apis/ecsm-service.ts';
import { ECSMHpa, type HpaSpec, type HpaStatus } from '../../apis/hpa.ts';
import { decide, needsMetrics } from '../../service/autoscaling/decide.ts';
import type { Decision } from '../../service/autoscaling/model.ts';
import { eventsAfter } from '../../service/autoscaling/rate-limits.ts';
import { type HpaCondition, type HpaEvent, hpaCondition } from '../../service/autoscaling/reasons.ts';
import { baseOf, HpaIndex, type HpaSnapshot, needsUsage } from './hpa-index.ts';
import type { HpaMetrics } from './metrics.ts';
import { type ReadingsOptions, readMetrics } from './readings.ts';
import { setReplicas } from './scale.ts';
import {
  conditionsAfter,
  emptyStatus,
  isSameDecision,
  recommendationsField,
  recommendationsIn,
  scaleEventsField,
  scaleEventsIn,
} from './status.ts';
import { ambiguous, readTarget } from './target.ts';

export interface HpaReconcilerOptions extends ReadingsOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Whether the services on the platform of this base name are known. */
  readonly isObserved: (base: string) => boolean;
  /** Whether the next poll of the platform shows them: there is no failure. */
  readonly isAwaited: (base: string) => boolean;
  readonly metrics?: HpaMetrics | undefined;
}

type Context = ReconcileContext<HpaSpec, HpaStatus>;

/** Delay of a sync whose target was not observed yet. */
const earlyMs = 1_000;
/** Values of metrics alone are written after this number of syncs, which is a minute by default. */
const syncsPerValues = 4;

export class HpaReconciler {
  readonly #options: HpaReconcilerOptions;
  readonly #index: HpaIndex;
  /** Key → when its status was last written, or found to be complete. */
  readonly #writtenMs = new Map<string, number>();
  #recorder: EventRecorder | undefined;
  #startMs = Number.NEGATIVE_INFINITY;

  constructor(options: HpaReconcilerOptions) {
    this.#options = options;
    this.#index = new HpaIndex(options.clock);
  }

  /** Starts a term. */
  recordIn(recorder: EventRecorder): void {
    this.#recorder = recorder;
    this.#startMs = this.#options.clock.monotonicMs();
    this.#writtenMs.clear();
    this.#options.usage.clear();
  }

  readonly reconcile = async ({ key }: Request, context: Context): Promise<ReconcileResult> => {
    const hpa = await context.get();
    if (hpa === undefined || hpa.metadata.deletionTimestamp !== undefined) {
      this.#writtenMs.delete(key);
      return;
    }
    if (this.#isEarly(hpa)) return { requeueAfterMs: earlyMs };
    await this.#sync(hpa, key, context);
    return { requeueAfterMs: this.#untilNextMs() };
  };

  /** After a start, and after their creation, the services on the platform are not known yet. That is not a failure of metrics. */
  #isEarly(hpa: ECSMHpa): boolean {
    const { clock, intervalMs, isObserved, isAwaited } = this.#options;
    const base = baseOf(hpa);
    if (!needsUsage(hpa) || isObserved(base)) return false;
    return isAwaited(base) || clock.monotonicMs() - this.#startMs < intervalMs;
  }

  /** All autoscalers sync at the same times, so that one read serves them. */
  #untilNextMs(): number {
    const { clock, intervalMs } = this.#options;
    return intervalMs - (clock.monotonicMs() % intervalMs);
  }

  async #sync(hpa: ECSMHpa, key: string, context: Context): Promise<void> {
    const { registry } = context;
    const snapshot = await this.#index.read(registry, hpa);
    const acting = snapshot.actingFor(hpa);
    const isActing = acting.metadata.uid === hpa.metadata.uid;
    const target = isActing ? await readTarget(registry, hpa) : ambiguous(hpa, acting);
    if (target.is === 'not scalable') {
      const { recommendations: _, ...before } = hpa.status ?? emptyStatus;
      const status = this.#statusAfter(hpa, { ...before, currentMetrics: [] }, target.conditions);
      this.#recordNew(hpa, target.event === undefined ? [] : [target.event], status);
      await this.#write(registry, hpa, status, key);
      return;
    }
    const { service, replicas } = target;
    const decision = await this.#decide(hpa, service, replicas, snapshot, context);
    const scaleEvents = scaleEventsIn(hpa, this.#options.clock.now());
    this.#options.metrics?.failed(decision.events);
    const status = this.#statusAfter(
      hpa,
      {
        ...(hpa.status ?? emptyStatus),
        currentReplicas: replicas,
        // What was decided stays while it cannot be decided again.
        ...(isDecided(decision) && { desiredReplicas: decision.replicas }),
        currentMetrics: decision.currentMetrics ?? [],
        ...recommendationsField(decision.recommendations),
        ...scaleEventsField(scaleEvents),
      },
      decision.conditions,
    );
    this.#recordNew(hpa, decision.events, status);
    if (decision.reason === undefined) await this.#write(registry, hpa, status, key);
    else
      await this.#rescale(hpa, service, { replicas: decision.replicas, reason: decision.reason }, status, key, context);
  }

  async #decide(
    hpa: ECSMHpa,
    service: ECSMService,
    replicas: number,
    snapshot: HpaSnapshot,
    { signal }: Context,
  ): Promise<Decision> {
    const isNeeded = needsMetrics(hpa.spec, replicas);
    const readings = isNeeded ? await readMetrics(hpa, service, snapshot, this.#options, signal) : [];
    const { preempted } = service.status ?? {};
    const preemptedBy = preempted && (preempted.by ?? 'a service that was deleted');
    const nowMs = this.#options.clock.now();
    return decide({
      spec: hpa.spec,
      target: {
        replicas,
        readyReplicas: service.status?.readyReplicas ?? 0,
        ...(preemptedBy !== undefined && { preemptedBy }),
      },
      readings,
      recommendations: recommendationsIn(hpa, nowMs),
      events: scaleEventsIn(hpa, nowMs),
      nowMs,
    });
  }

  /** Writes the change into the status, makes it, and reports it. */
  async #rescale(
    hpa: ECSMHpa,
    service: ECSMService,
    { replicas, reason }: { readonly replicas: number; readonly reason: string },
    status: HpaStatus,
    key: string,
    { registry, log }: Context,
  ): Promise<void> {
    const nowMs = this.#options.clock.now();
    const change = replicas - status.currentReplicas;
    const intended: HpaStatus = {
      ...status,
      lastScaleTime: timestampAt(nowMs),
      lastScaleReason: reason,
      ...scaleEventsField(eventsAfter(scaleEventsIn(hpa, nowMs), change, nowMs)),
    };
    const written = await this.#write(registry, hpa, intended, key);
    try {
      await setReplicas(registry, service, replicas);
    } catch (error) {
      // After these the number was not changed. After others it may have been, and the status stays as it is.
      if (!isApiError(error) || !(['Conflict', 'NotFound', 'Invalid'] as const).some((code) => error.code === code)) {
        throw error;
      }
      const message = `the number could not be set to ${replicas}: ${error.message}`;
      const failed = hpaCondition('AbleToScale', false, 'FailedUpdateScale', message);
      this.#recorder?.record(
        hpa,
        'Warning',
        'FailedRescale',
        `New size: ${replicas}; reason: ${reason}; error: ${error.message}`,
      );
      await this.#write(registry, written, this.#statusAfter(hpa, status, [failed]), key);
      return;
    }
    log.write('info', 'rescaled', {
      target: service.metadata.name,
      from: status.currentReplicas,
      to: replicas,
      reason,
    });
    this.#options.metrics?.rescaled(change);
    this.#recorder?.record(hpa, 'Normal', 'SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`);
    const done = hpaCondition(
      'AbleToScale',
      true,
      'SucceededRescale',
      `the number of instances was set to ${replicas}`,
    );
    await this.#write(
      registry,
      written,
      this.#statusAfter(hpa, { ...intended, currentReplicas: replicas }, [done]),
      key,
    );
  }

  #statusAfter({ metadata }: ECSMHpa, status: HpaStatus, planned: readonly HpaCondition[]): HpaStatus {
    const conditions = [...conditionsAfter(status.conditions, planned, this.#options.clock.now())];
    return { ...status, observedGeneration: metadata.generation, conditions };
  }

  /** A failure that lasts is one event, not one for each sync. */
  #recordNew(hpa: ECSMHpa, events: readonly HpaEvent[], { conditions, currentMetrics }: HpaStatus): void {
    const before = hpa.status ?? emptyStatus;
    if (deepEqual(messagesIn({ conditions, currentMetrics }), messagesIn(before))) return;
    for (const { type, reason, message } of events) this.#recorder?.record(hpa, type, reason, message);
  }

  /** Returns the object as written. Throws `Conflict` if it was changed since it was read. */
  async #write(registry: Registry, hpa: ECSMHpa, status: HpaStatus, key: string): Promise<ECSMHpa> {
    const nowMs = this.#options.clock.monotonicMs();
    const valuesMs = this.#options.intervalMs * syncsPerValues;
    const before = hpa.status ?? emptyStatus;
    if (deepEqual(hpa.status, status)) return hpa;
    const isRecent = nowMs - (this.#writtenMs.get(key) ?? Number.NEGATIVE_INFINITY) < valuesMs;
    if (isRecent && hpa.status !== undefined && isSameDecision(before, status)) return hpa;
    const { metadata } = hpa;
    const { resourceVersion } = metadata;
    const written = await registry.resource(ECSMHpa).updateStatus({ metadata, status }, { resourceVersion });
    this.#writtenMs.set(key, nowMs);
    return written;
  }
}

function isDecided({ conditions }: Decision): boolean {
  return !conditions.some(({ type, status }) => type === 'ScalingActive' && status === 'False');
}

/** What events are about: failed metrics, and targets that cannot be scaled. */
function messagesIn({ conditions, currentMetrics }: Pick<HpaStatus, 'conditions' | 'currentMetrics'>) {
  const failures = conditions
    .filter(({ status }) => status === 'False')
    .map(({ type, message }) => `${type} ${message}`);
  return [...failures, ...currentMetrics.flatMap(({ name, error }) => (error === undefined ? [] : `${name} ${error}`))];
}
