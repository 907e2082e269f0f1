import { closeSync, existsSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MetricRegistry, SERIES_MAX } from './metrics.ts';
import { processMetrics } from './process-metrics.ts';
import { standardMetrics } from './standard-metrics.ts';

describe('a counter', () => {
  it('is 0 as soon as its labels are known, then counts', () => {
    const registry = new MetricRegistry();
    const total = registry.counter({ name: 'jobs_total', help: 'Jobs done.', labels: ['result'] });
    const good = total.with({ result: 'good' });
    total.with({ result: 'bad' });
    good.increment();
    good.increment(2);
    expect(registry.render()).toBe(
      '# HELP jobs_total Jobs done.\n# TYPE jobs_total counter\njobs_total{result="good"} 3\njobs_total{result="bad"} 0\n',
    );
  });

  it('is not exposed any more after it was removed', () => {
    const registry = new MetricRegistry();
    const total = registry.counter({ name: 'jobs_total', help: 'Jobs done.', labels: ['result'] });
    total.with({ result: 'good' }).increment();
    total.with({ result: 'bad' });
    total.remove({ result: 'good' });
    expect(registry.render()).not.toContain('good');
    expect(registry.render()).toContain('jobs_total{result="bad"} 0');
  });

  it('has one series from the start if it has no labels', () => {
    const registry = new MetricRegistry();
    const total = registry.counter({ name: 'jobs_total', help: 'Jobs done.' });
    expect(registry.render()).toContain('\njobs_total 0\n');
    total.with({}).increment();
    expect(registry.render()).toContain('\njobs_total 1\n');
  });

  it('can be read at each scrape', () => {
    const registry = new MetricRegistry();
    let value = 1;
    registry
      .counter({ name: 'jobs_total', help: 'Jobs done.' })
      .with({})
      .read(() => value);
    value = 5;
    expect(registry.render()).toContain('# TYPE jobs_total counter\njobs_total 5\n');
  });

  it.each([-1, Number.NaN])('cannot be incremented by %d', (by) => {
    const total = new MetricRegistry().counter({ name: 'jobs_total', help: '' });
    expect(() => total.with({}).increment(by)).toThrow('a counter cannot be incremented by');
  });
});

describe('a gauge', () => {
  it('is set, incremented, or read at each scrape', () => {
    const registry = new MetricRegistry();
    const gauge = registry.gauge({ name: 'depth', help: 'Depth.', labels: ['queue'] });
    const one = gauge.with({ queue: 'one' });
    one.set(5);
    one.add(-2);
    let length = 7;
    gauge.with({ queue: 'two' }).read(() => length);
    expect(registry.render()).toContain('depth{queue="one"} 3\ndepth{queue="two"} 7\n');
    length = 8;
    expect(registry.render()).toContain('depth{queue="two"} 8\n');
  });

  it('is NaN when its callback fails, and does not affect others', () => {
    const registry = new MetricRegistry();
    const gauge = registry.gauge({ name: 'depth', help: 'Depth.', labels: ['queue'] });
    gauge.with({ queue: 'one' }).read(() => {
      throw new Error('gone');
    });
    gauge.with({ queue: 'two' }).set(-Infinity);
    expect(registry.render()).toContain('depth{queue="one"} NaN\ndepth{queue="two"} -Inf\n');
  });
});

describe('a histogram', () => {
  it('counts into cumulative buckets', () => {
    const registry = new MetricRegistry();
    const seconds = registry.histogram({ name: 'took_seconds', help: 'Time.', labels: ['job'], buckets: [0.1, 1] });
    const job = seconds.with({ job: 'a' });
    for (const value of [0.05, 0.1, 0.5, 30]) job.observe(value);
    expect(registry.render().split('\n').slice(2, -1)).toEqual([
      'took_seconds_bucket{job="a",le="0.1"} 2',
      'took_seconds_bucket{job="a",le="1"} 3',
      'took_seconds_bucket{job="a",le="+Inf"} 4',
      'took_seconds_sum{job="a"} 30.65',
      'took_seconds_count{job="a"} 4',
    ]);
  });

  it.each([[[1, 1]], [[2, 1]], [[1, Infinity]], [[Number.NaN]]])('rejects the buckets %o', (buckets) => {
    expect(() => new MetricRegistry().histogram({ name: 'x', help: '', buckets })).toThrow('ascending and finite');
  });
});

describe('the exposition', () => {
  it('escapes special characters', () => {
    const registry = new MetricRegistry();
    registry.gauge({ name: 'x', help: 'a\\b\nc "d"', labels: ['path'] }).with({ path: 'C:\\x\n"y"' });
    expect(registry.render()).toBe('# HELP x a\\\\b\\nc "d"\n# TYPE x gauge\nx{path="C:\\\\x\\n\\"y\\""} 0\n');
  });

  it.each(['1x', 'a-b', ''])('rejects "%s" as a name', (name) => {
    expect(() => new MetricRegistry().gauge({ name, help: '' })).toThrow('not a valid metric name');
  });

  it.each(['a-b', '__x', 'le'])('rejects "%s" as a label', (label) => {
    const registry = new MetricRegistry();
    expect(() => registry.histogram({ name: 'x', help: '', labels: [label], buckets: [1] })).toThrow(
      'is not a valid label name',
    );
  });

  it('treats the same metric declared twice as one, and rejects another of its name', () => {
    const registry = new MetricRegistry();
    registry.counter({ name: 'x', help: 'X.' }).with({}).increment();
    registry.counter({ name: 'x', help: 'X.' }).with({}).increment();
    expect(registry.render()).toContain('x 2\n');
    expect(() => registry.gauge({ name: 'x', help: 'X.' })).toThrow('already declared');
    expect(() => registry.counter({ name: 'x', help: 'X.', labels: ['a'] })).toThrow('already declared');
  });

  it('limits the number of series', () => {
    const family = new MetricRegistry().counter({ name: 'x', help: '', labels: ['key'] });
    for (let index = 0; index < SERIES_MAX; index++) family.with({ key: String(index) });
    family.with({ key: '0' });
    expect(() => family.with({ key: 'one more' })).toThrow('already has 1000 series');
  });
});

describe('the standard metrics', () => {
  it("have controller-runtime's names and labels, all at zero from the start", () => {
    const registry = new MetricRegistry();
    const metrics = standardMetrics(registry);
    metrics.controller('widget');
    metrics.queue('widget');
    metrics.leader('main');
    const lines = registry
      .render()
      .split('\n')
      .filter((line) => !line.startsWith('#') && !line.includes('le='));
    const queue = '{name="widget",controller="widget"} 0';
    expect(lines).toEqual([
      'controller_runtime_reconcile_total{controller="widget",result="success"} 0',
      'controller_runtime_reconcile_total{controller="widget",result="error"} 0',
      'controller_runtime_reconcile_total{controller="widget",result="requeue"} 0',
      'controller_runtime_reconcile_total{controller="widget",result="requeue_after"} 0',
      'controller_runtime_reconcile_errors_total{controller="widget"} 0',
      'controller_runtime_terminal_reconcile_errors_total{controller="widget"} 0',
      'controller_runtime_reconcile_panics_total{controller="widget"} 0',
      'controller_runtime_watch_panics_total{controller="widget"} 0',
      'controller_runtime_reconcile_time_seconds_sum{controller="widget"} 0',
      'controller_runtime_reconcile_time_seconds_count{controller="widget"} 0',
      'controller_runtime_max_concurrent_reconciles{controller="widget"} 0',
      'controller_runtime_active_workers{controller="widget"} 0',
      `workqueue_depth${queue}`,
      `workqueue_adds_total${queue}`,
      `workqueue_queue_duration_seconds_sum${queue}`,
      `workqueue_queue_duration_seconds_count${queue}`,
      `workqueue_work_duration_seconds_sum${queue}`,
      `workqueue_work_duration_seconds_count${queue}`,
      `workqueue_retries_total${queue}`,
      `workqueue_unfinished_work_seconds${queue}`,
      `workqueue_longest_running_processor_seconds${queue}`,
      'leader_election_master_status{name="main"} 0',
      '',
    ]);
  });

  it('are the same when they are created again', () => {
    const registry = new MetricRegistry();
    standardMetrics(registry).controller('widget').reconciles.requeueAfter.increment();
    standardMetrics(registry).controller('widget').reconciles.requeueAfter.increment();
    expect(registry.render()).toContain('{controller="widget",result="requeue_after"} 2\n');
  });
});

describe('the metrics of a process', () => {
  it('have the names of Prometheus, and the values of this process', () => {
    const registry = new MetricRegistry();
    processMetrics(registry, { now: () => 1_000_000 });
    const read = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(registry.render())?.[1]);
    expect(read('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
    expect(read('process_start_time_seconds')).toBeLessThan(1_000);
    expect(read('process_start_time_seconds')).toBeCloseTo(1_000 - process.uptime(), -2);
    const before = read('process_cpu_seconds_total');
    expect(before).toBeGreaterThan(0);
    expect(read('process_cpu_seconds_total')).toBeGreaterThanOrEqual(before);
    if (!existsSync('/proc/self/fd')) return;
    const open = read('process_open_fds');
    const descriptor = openSync('/proc/self/limits', 'r');
    expect(read('process_open_fds')).toBe(open + 1);
    closeSync(descriptor);
    expect(read('process_max_fds')).toBeGreaterThan(open);
  });
});
