/**
 * A process with a manager, its health server and a no-op controller. It reports to its parent when it is ready, when each
 * reconcile starts, and its CPU usage at rest. Usage: manager <registry URL> <quiet ms>
 */
import { Controller, Manager, MetricRegistry, openRegistry, standardMetrics } from '@ecsm/runtime';
import { Thing } from '../thing.ts';

const [url = '', quietMs = '0'] = process.argv.slice(2);
const registry = await openRegistry(url, { kinds: [Thing] });
const stop = new AbortController();
let reconciles = 0;
let live = false;
const metrics = new MetricRegistry();
const controller = new Controller({
  name: 'bench',
  metrics: standardMetrics(metrics),
  kind: Thing,
  async reconcile({ name }) {
    reconciles++;
    if (live) process.send?.({ name, atMs: performance.timeOrigin + performance.now() });
  },
});
const startMs = performance.now();
const manager = new Manager({ registry, metrics, health: { port: 0 } });
manager.add(controller);
const running = manager.run({ signal: stop.signal });
while (controller.ready() !== undefined || (controller.queue?.depth ?? 1) > 0)
  await new Promise((resolve) => setTimeout(resolve, 1));
const tookMs = performance.now() - startMs;
live = true;
const before = process.cpuUsage();
await new Promise((resolve) => setTimeout(resolve, Number(quietMs)));
const used = process.cpuUsage(before);
process.send?.({
  ready: true,
  reconciles,
  tookMs,
  sinceStartMs: performance.now(),
  idlePercent: (used.user + used.system) / 10 / Number(quietMs),
});
process.on('message', async () => {
  stop.abort();
  await running;
  await registry.close();
  process.disconnect?.();
});
