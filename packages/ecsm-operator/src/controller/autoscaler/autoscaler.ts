/** The autoscaler: when an ECSMHpa is synced, and how the number of its target is changed. */
import {
  type Clock,
  deepEqual,
  generationChanged,
  isApiError,
  type Log,
  type MetricRegistry,
  type Operation,
  operate,
  type Registry,
  refused,
  type StandardMetrics,
} from '@ecsm/runtime';
import { ECSMService } from '../../apis/ecsm-service.ts';
import { ECSMHpa, type HpaSpec, type HpaStatus } from '../../apis/hpa.ts';
import type { HpaEvent } from '../../service/autoscaling/reasons.ts';
import { decideSync, type HpaFacts, type HpaStep, reportSync } from '../../service/autoscaling/sync.ts';
import { stopGraceMs } from '../settings.ts';
import { type HpaMemory, HpaObserver, type MetricSources } from './observe.ts';

interface AutoscalerOptions {
  readonly sources: MetricSources;
  readonly clock: Clock;
  readonly log: Log;
  /** Time from one sync of an autoscaler to the next. */
  readonly intervalMs: number;
  readonly callTimeoutMs: number;
  readonly metrics?: MetricRegistry | undefined;
  readonly standardMetrics?: StandardMetrics | undefined;
}

/** The manager of the number that an autoscaler sets. An apply by others with another number is a conflict. */
const hpaManager = 'ecsm-hpa';
/** Syncs wait for one read together, so many may be in flight. */
const workers = 32;
const attemptsMax = 5;

export function autoscaler(options: AutoscalerOptions): Operation<HpaSpec, HpaStatus, HpaFacts, HpaStep, HpaMemory> {
  const { sources, clock, log, intervalMs, callTimeoutMs, standardMetrics } = options;
  const observer = new HpaObserver(sources, clock, intervalMs);
  const metrics = options.metrics && hpaMetrics(options.metrics);
  return operate(
    {
      kind: ECSMHpa,
      triggers: [
        { name: 'spec', changes: [generationChanged] },
        {
          name: 'interval',
          // All autoscalers sync at the same times, so that one read serves them.
          every: () => intervalMs - (clock.monotonicMs() % intervalMs),
          run: async () => observer.startTerm(),
        },
      ],
      observe: (hpa, pass) => observer.observe(hpa, pass),
      decide: decideSync,
      async act(step, _hpa, _facts, { registry }) {
        if (step.do === 'count failures') {
          metrics?.failed(step.failures);
          return 'done';
        }
        try {
          await setReplicas(registry, step.target, step.replicas);
        } catch (error) {
          // After these the number was not changed. After others it may have been.
          const isUnchanged = isApiError(error) && ['Conflict', 'NotFound', 'Invalid'].includes(error.code);
          if (isUnchanged) return refused(error.message);
          throw error;
        }
        metrics?.rescaled(step.replicas - step.unchanged.currentReplicas);
        return 'done';
      },
      report(hpa, happened, nowMs) {
        const report = reportSync(hpa, happened, nowMs);
        // At the next interval: usage changes only then.
        return report && { ...report, requeueAfterMs: intervalMs };
      },
    },
    {
      eventSource: hpaManager,
      workers,
      timeoutMs: callTimeoutMs * 12,
      graceMs: stopGraceMs,
      queue: { backoffMsMax: intervalMs },
      log,
      ...(standardMetrics && { metrics: standardMetrics }),
    },
  );
}

/**
 * Throws `Conflict` if the number, or anything else of the spec, was changed since the decision. Changes of the status in the
 * meantime do not matter.
 */
async function setReplicas(registry: Registry, decidedOn: ECSMService, replicas: number): Promise<void> {
  const resource = registry.resource(ECSMService);
  const { name, namespace, uid } = decidedOn.metadata;
  const patch = { spec: { deploymentStrategy: { replicas } } };
  let { resourceVersion } = decidedOn.metadata;
  for (let attempt = 1; ; attempt++) {
    try {
      await resource.patch(name, patch, { namespace, uid, resourceVersion, manager: hpaManager });
      return;
    } catch (error) {
      if (!isApiError(error, 'Conflict') || attempt === attemptsMax) throw error;
      const newest = await resource.get(name, { namespace });
      const isSame = newest.metadata.uid === uid && newest.metadata.deletionTimestamp === undefined;
      if (!isSame || !deepEqual(newest.spec, decidedOn.spec)) throw error;
      resourceVersion = newest.metadata.resourceVersion;
    }
  }
}

/** They have no label for the object: the number of series does not grow with the fleet. */
export function hpaMetrics(metrics: MetricRegistry) {
  const rescales = metrics.counter({
    name: 'ecsm_hpa_rescales_total',
    help: 'Changes of the number of instances by autoscalers.',
    labels: ['direction'],
  });
  const failures = metrics.counter({
    name: 'ecsm_hpa_metric_failures_total',
    help: 'Metrics of autoscalers that could not be read, by reason of the event.',
    labels: ['reason'],
  });
  return {
    rescaled(change: number): void {
      rescales.with({ direction: change > 0 ? 'up' : 'down' }).increment();
    },
    failed(events: readonly HpaEvent[]): void {
      for (const { reason } of events) failures.with({ reason }).increment();
    },
  };
}
