/**
 * A process with a controller that does nothing, on a registry. It tells its parent when it is ready, when each
 * reconcile starts, and how much processor it used in a quiet time. Usage: manager <registry URL> <quiet ms>
 */
import { Controller, openRegistry } from '@ecsm/runtime';
import { Thing } from '../thing.ts';

const [url = '', quietMs = '0'] = process.argv.slice(2);
const registry = await openRegistry(url, { kinds: [Thing] });
const stop = new AbortController();
let reconciles = 0;
let live = false;
const controller = new Controller({
  name: 'bench',
  kind: Thing,
  async reconcile({ name }) {
    reconciles++;
    if (live) process.send?.({ name, atMs: performance.timeOrigin + performance.now() });
  },
});
const startMs = performance.now();
const running = controller.run({ registry, signal: stop.signal });
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
