/** The metrics of a controller and its queue, with the names of controller-runtime. All series start at zero. */
import type { StandardMetrics } from '../manager/standard-metrics.ts';
import type { WorkQueue } from '../workqueue/queue.ts';
import type { ControllerObserver } from './contract.ts';
import type { Outcome } from './outcome.ts';

export function measure(
  metrics: StandardMetrics,
  name: string,
  workers: number,
  queueNow: () => WorkQueue | undefined,
): ControllerObserver {
  const controller = metrics.controller(name);
  const queue = metrics.queue(name);
  controller.maxConcurrentReconciles.set(workers);
  controller.activeWorkers.set(0);
  queue.depth.read(() => queueNow()?.depth ?? 0);
  queue.longestRunningSeconds.read(() => (queueNow()?.longestRunningMs ?? 0) / 1000);
  queue.unfinishedWorkSeconds.read(() => (queueNow()?.unfinishedMs ?? 0) / 1000);
  const count: Record<Outcome['is'], () => void> = {
    success: () => controller.reconciles.success.increment(),
    'requeue after': () => controller.reconciles.requeueAfter.increment(),
    conflict: () => controller.reconciles.requeue.increment(),
    error() {
      controller.reconciles.error.increment();
      controller.errors.increment();
    },
    terminal() {
      count.error();
      controller.terminalErrors.increment();
    },
    panic() {
      count.error();
      controller.panics.increment();
    },
  };
  return {
    queue: {
      added: () => queue.adds.increment(),
      taken: ({ waitedMs }) => queue.queueSeconds.observe(waitedMs / 1000),
      finished: (_, tookMs) => queue.workSeconds.observe(tookMs / 1000),
      retried: () => queue.retries.increment(),
    },
    reconciled(outcome, tookMs) {
      count[outcome]();
      controller.reconcileSeconds.observe(tookMs / 1000);
    },
    watchPanicked: () => controller.watchPanics.increment(),
    active: (busy) => controller.activeWorkers.set(busy),
  };
}
