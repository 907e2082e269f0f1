/** The controller of ECSMHpa. */
import type { Ecsm, Transport } from '@ecsm/client';
import {
  type Clock,
  Controller,
  EventRecorder,
  generationChanged,
  type Log,
  type MetricRegistry,
  type Runnable,
  type StandardMetrics,
} from '@ecsm/runtime';
import { ECSMHpa } from '../../apis/hpa.ts';
import type { Observer } from '../../observe/observer.ts';
import { Prometheus } from '../../observe/prometheus.ts';
import { UsageReader } from '../../observe/usage-reader.ts';
import { stopGraceMs } from '../settings.ts';
import { hpaMetrics } from './metrics.ts';
import { HpaReconciler } from './reconciler.ts';
import { hpaManager } from './target.ts';

export interface AutoscalerOptions {
  readonly ecsm: Ecsm;
  readonly observer: Observer;
  /** Why the platform cannot be reached; undefined if it can. */
  readonly linkFailure: () => string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Time from one sync of an autoscaler to the next. */
  readonly intervalMs: number;
  readonly callTimeoutMs: number;
  /** Prometheus servers that may be queried: URL → transport. */
  readonly prometheus: ReadonlyMap<string, Transport>;
  readonly metrics?: MetricRegistry | undefined;
  readonly standardMetrics?: StandardMetrics | undefined;
}

/** Syncs wait for one read together, so many may be in flight. */
const workers = 32;

export function autoscaler(options: AutoscalerOptions): Runnable & Pick<Controller, 'ready' | 'queue'> {
  const { ecsm, observer, clock, log, intervalMs, callTimeoutMs, standardMetrics: metrics } = options;
  const { poller, services } = observer;
  const reconciler = new HpaReconciler({
    clock,
    intervalMs,
    usage: new UsageReader({
      ecsm,
      clock,
      intervalMs,
      // A service that no reconcile has decided about may belong to another owner.
      servicesOf: (base) =>
        poller.idsOf(base)?.flatMap((id) => {
          const decided = services.get(id)?.decided;
          return decided === undefined ? [] : [{ id, fingerprint: decided.fingerprint }];
        }),
    }),
    prometheus: new Prometheus({ servers: options.prometheus, clock, timeoutMs: callTimeoutMs }),
    isObserved: (base) => poller.idsOf(base)?.every((id) => services.get(id)?.decided !== undefined) ?? false,
    isAwaited: (base) => poller.isAwaited(base),
    offlineNodes: () => observer.offlineNodes,
    linkFailure: options.linkFailure,
    metrics: options.metrics && hpaMetrics(options.metrics),
  });
  const controller = new Controller({
    name: 'ecsmhpa',
    kind: ECSMHpa,
    reconcile: reconciler.reconcile,
    // The status is written by the controller itself.
    predicates: [generationChanged],
    workers,
    timeoutMs: callTimeoutMs * 12,
    graceMs: stopGraceMs,
    queue: { backoffMsMax: intervalMs },
    log,
    ...(metrics && { metrics }),
  });
  return {
    name: controller.name,
    graceMs: stopGraceMs,
    async run({ registry, informers, signal }) {
      const events = new EventRecorder({ registry, source: hpaManager, log, ...(metrics && { metrics }) });
      reconciler.recordIn(events);
      await controller.run({ registry, informers, signal });
      await events.flush();
    },
    ready: () => controller.ready(),
    get queue() {
      return controller.queue;
    },
  };
}
