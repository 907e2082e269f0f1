import { Widget } from '@ecsm/runtime/testing';
import { expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { MetricRegistry } from '../manager/metrics.ts';
import { standardMetrics } from '../manager/standard-metrics.ts';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { Controller } from './controller.ts';

it('a controller has the metrics of controller-runtime, from zero on', async () => {
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Widget] });
  const metrics = new MetricRegistry();
  const outcomes = [
    () => {
      throw new ApiError('Unavailable', { what: 'x', reason: 'y' });
    },
    () => {
      throw new ApiError('Conflict', { kind: 'Widget', name: 'a', reason: 'z' });
    },
    () => {
      throw new TypeError('a bug');
    },
    () => ({ requeueAfterMs: 1 }),
    () => {
      throw new ApiError('BadRequest', { reason: 'no' });
    },
  ];
  let release = () => {};
  const controller = new Controller({
    name: 'sample',
    kind: Widget,
    workers: 2,
    metrics: standardMetrics(metrics),
    async reconcile({ name }) {
      if (name !== 'slow') return outcomes.shift()?.();
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return undefined;
    },
  });
  const value = (series: string) => {
    const line = metrics
      .render()
      .split('\n')
      .find((candidate) => candidate.startsWith(`${series} `));
    return Number(line?.slice(series.length + 1));
  };
  for (const result of ['success', 'error', 'requeue', 'requeue_after']) {
    expect(value(`controller_runtime_reconcile_total{controller="sample",result="${result}"}`)).toBe(0);
  }
  expect(value('controller_runtime_max_concurrent_reconciles{controller="sample"}')).toBe(2);

  const stop = new AbortController();
  const running = controller.run({ registry, signal: stop.signal });
  await registry.resource(Widget).create({ metadata: { name: 'a' }, spec: {} });
  await expect.poll(() => value('controller_runtime_terminal_reconcile_errors_total{controller="sample"}')).toBe(1);
  expect(value('controller_runtime_reconcile_total{controller="sample",result="error"}')).toBe(3);
  expect(value('controller_runtime_reconcile_total{controller="sample",result="requeue"}')).toBe(1);
  expect(value('controller_runtime_reconcile_total{controller="sample",result="requeue_after"}')).toBe(1);
  expect(value('controller_runtime_reconcile_errors_total{controller="sample"}')).toBe(3);
  expect(value('controller_runtime_reconcile_panics_total{controller="sample"}')).toBe(1);
  expect(value('controller_runtime_reconcile_time_seconds_count{controller="sample"}')).toBe(5);
  expect(value('workqueue_retries_total{name="sample",controller="sample"}')).toBe(2);
  expect(value('workqueue_depth{name="sample",controller="sample"}')).toBe(0);

  await registry.resource(Widget).create({ metadata: { name: 'slow' }, spec: {} });
  await expect.poll(() => value('controller_runtime_active_workers{controller="sample"}')).toBe(1);
  await expect
    .poll(() => value('workqueue_unfinished_work_seconds{name="sample",controller="sample"}'))
    .toBeGreaterThan(0);
  release();
  await expect.poll(() => value('controller_runtime_reconcile_total{controller="sample",result="success"}')).toBe(1);
  stop.abort();
  await running;
});
