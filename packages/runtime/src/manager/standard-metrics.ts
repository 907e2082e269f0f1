/**
 * The metrics of controller-runtime, with its names, labels, help and buckets, so that its dashboards and alerts work
 * here. A controller, a queue or an election gets its handles once; all of its series are then exposed, at zero.
 */
import type { MetricRegistry } from './metrics.ts';
import type { Counter, Gauge, Histogram } from './series.ts';

interface ControllerMetrics {
  /** controller_runtime_reconcile_total, one for each result. */
  readonly reconciles: {
    readonly success: Counter;
    readonly error: Counter;
    readonly requeue: Counter;
    readonly requeueAfter: Counter;
  };
  readonly errors: Counter;
  readonly terminalErrors: Counter;
  readonly panics: Counter;
  /** Events skipped because a predicate or a map function threw. Not in controller-runtime. */
  readonly watchPanics: Counter;
  readonly reconcileSeconds: Histogram;
  readonly maxConcurrentReconciles: Gauge;
  readonly activeWorkers: Gauge;
}

interface QueueMetrics {
  readonly depth: Gauge;
  readonly adds: Counter;
  readonly retries: Counter;
  /** From the add to the start of the work. */
  readonly queueSeconds: Histogram;
  readonly workSeconds: Histogram;
  readonly unfinishedWorkSeconds: Gauge;
  readonly longestRunningSeconds: Gauge;
}

export interface StandardMetrics {
  controller(name: string): ControllerMetrics;
  /** The queue of the controller of that name. */
  queue(name: string): QueueMetrics;
  /** Events that a recorder could not write or buffer. Not in controller-runtime. */
  eventsDropped(source: string): Counter;
  /** leader_election_master_status: 1 for the leader, 0 for candidates. */
  leader(name: string): Gauge;
}

/** May be called more than once for one registry: the handles refer to the same series. */
export function standardMetrics(registry: MetricRegistry): StandardMetrics {
  const families = { ...controllerFamilies(registry), ...queueFamilies(registry) };
  const leader = registry.gauge({
    name: 'leader_election_master_status',
    help: "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. 'name' is the string used to identify the lease. Please make sure to group by name.",
    labels: ['name'],
  });
  const eventsDropped = registry.counter({
    name: 'event_recorder_dropped_total',
    help: 'Total number of events dropped because the buffer was full or they could not be written, per source',
    labels: ['source'],
  });
  return {
    eventsDropped: (source) => eventsDropped.with({ source }),
    controller(name) {
      const controller = { controller: name };
      const result = (value: string) => families.reconciles.with({ controller: name, result: value });
      return {
        reconciles: {
          success: result('success'),
          error: result('error'),
          requeue: result('requeue'),
          requeueAfter: result('requeue_after'),
        },
        errors: families.errors.with(controller),
        terminalErrors: families.terminalErrors.with(controller),
        panics: families.panics.with(controller),
        watchPanics: families.watchPanics.with(controller),
        reconcileSeconds: families.reconcileSeconds.with(controller),
        maxConcurrentReconciles: families.maxConcurrentReconciles.with(controller),
        activeWorkers: families.activeWorkers.with(controller),
      };
    },
    queue(name) {
      const queue = { name, controller: name };
      return {
        depth: families.depth.with(queue),
        adds: families.adds.with(queue),
        retries: families.retries.with(queue),
        queueSeconds: families.queueSeconds.with(queue),
        workSeconds: families.workSeconds.with(queue),
        unfinishedWorkSeconds: families.unfinishedWorkSeconds.with(queue),
        longestRunningSeconds: families.longestRunningSeconds.with(queue),
      };
    },
    leader: (name) => leader.with({ name }),
  };
}

function controllerFamilies(registry: MetricRegistry) {
  const labels = ['controller'] as const;
  return {
    reconciles: registry.counter({
      name: 'controller_runtime_reconcile_total',
      help: 'Total number of reconciliations per controller',
      labels: ['controller', 'result'],
    }),
    errors: registry.counter({
      name: 'controller_runtime_reconcile_errors_total',
      help: 'Total number of reconciliation errors per controller',
      labels,
    }),
    terminalErrors: registry.counter({
      name: 'controller_runtime_terminal_reconcile_errors_total',
      help: 'Total number of terminal reconciliation errors per controller',
      labels,
    }),
    panics: registry.counter({
      name: 'controller_runtime_reconcile_panics_total',
      help: 'Total number of reconciliation panics per controller',
      labels,
    }),
    watchPanics: registry.counter({
      name: 'controller_runtime_watch_panics_total',
      help: 'Total number of events skipped because a predicate or map function threw, per controller',
      labels,
    }),
    reconcileSeconds: registry.histogram({
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'Length of time per reconciliation per controller',
      labels,
      buckets: reconcileBuckets,
    }),
    maxConcurrentReconciles: registry.gauge({
      name: 'controller_runtime_max_concurrent_reconciles',
      help: 'Maximum number of concurrent reconciles per controller',
      labels,
    }),
    activeWorkers: registry.gauge({
      name: 'controller_runtime_active_workers',
      help: 'Number of currently used workers per controller',
      labels,
    }),
  };
}

function queueFamilies(registry: MetricRegistry) {
  const labels = ['name', 'controller'] as const;
  return {
    depth: registry.gauge({ name: 'workqueue_depth', help: 'Current depth of workqueue', labels }),
    adds: registry.counter({
      name: 'workqueue_adds_total',
      help: 'Total number of adds handled by workqueue',
      labels,
    }),
    queueSeconds: registry.histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'How long in seconds an item stays in workqueue before being requested',
      labels,
      buckets: queueBuckets,
    }),
    workSeconds: registry.histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'How long in seconds processing an item from workqueue takes.',
      labels,
      buckets: queueBuckets,
    }),
    retries: registry.counter({
      name: 'workqueue_retries_total',
      help: 'Total number of retries handled by workqueue',
      labels,
    }),
    unfinishedWorkSeconds: registry.gauge({
      name: 'workqueue_unfinished_work_seconds',
      help: "How many seconds of work has been done that is in progress and hasn't been observed by work_duration. Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
      labels,
    }),
    longestRunningSeconds: registry.gauge({
      name: 'workqueue_longest_running_processor_seconds',
      help: 'How many seconds has the longest running processor for workqueue been running.',
      labels,
    }),
  };
}

const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** From ten nanoseconds to a thousand seconds, each ten times the previous one. */
const queueBuckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000];
