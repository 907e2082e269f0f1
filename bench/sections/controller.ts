/** A no-op controller in a separate process: throughput, latency, and CPU usage at rest. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openRegistry } from '@ecsm/runtime';
import { deliver, percentile } from '../report.ts';
import { inScratch, rate, Thing, thing } from '../thing.ts';

const objects = 10_000;
const commits = 300;

interface Ready {
  readonly reconciles: number;
  readonly tookMs: number;
  readonly sinceStartMs: number;
  readonly idlePercent: number;
}

deliver(
  await inScratch(async (directory) => {
    const url = `sqlite:${directory}`;
    const registry = await openRegistry(url, { kinds: [Thing] });
    const things = registry.resource(Thing);

    const start = async (quietMs: number) => {
      const spawnedMs = performance.now();
      const child = fork(fileURLToPath(new URL('../workers/manager.js', import.meta.url)), [url, String(quietMs)]);
      const [ready] = (await once(child, 'message')) as [Ready];
      return { child, ready, tookMs: performance.now() - spawnedMs };
    };
    const stop = async ({ child }: Awaited<ReturnType<typeof start>>) => {
      child.send('stop');
      await once(child, 'exit');
    };

    // The baseline is a Node.js process that sends one message.
    const empty = await start(1);
    const bareMs = await bare();
    await stop(empty);

    await rate(objects, 256, (n) => things.create(thing(`thing-${n}`)));
    const busy = await start(10_000);
    const started = new Map<string, number>();
    busy.child.on('message', (message: { name: string; atMs: number }) => started.set(message.name, message.atMs));
    const latencies: number[] = [];
    const writes: number[] = [];
    for (let n = 0; n < commits; n++) {
      const name = `live-${n}`;
      const fromMs = performance.timeOrigin + performance.now();
      await things.create(thing(name));
      writes.push(performance.timeOrigin + performance.now() - fromMs);
      while (!started.has(name)) await new Promise((resolve) => setTimeout(resolve, 1));
      latencies.push((started.get(name) ?? Number.NaN) - fromMs);
      await new Promise((resolve) => setTimeout(resolve, n % 7));
    }
    await stop(busy);
    await registry.close();
    const p99 = percentile(latencies, 99);
    return [
      {
        name: 'cold start to ready, empty registry',
        value: empty.tookMs,
        unit: 'ms',
        beside: { name: 'bare node', value: bareMs },
      },
      {
        name: 'no-op reconciles of 10,000 keys, from the start of the controller',
        value: (busy.ready.reconciles * 1000) / busy.ready.tookMs,
        unit: 'per second',
      },
      {
        name: 'idle, 10,000 objects',
        value: busy.ready.idlePercent,
        unit: 'percent of a CPU',
        bar: { text: 'under 1 percent', met: busy.ready.idlePercent < 1 },
      },
      {
        name: 'start of a write to start of its reconcile in another process, p50',
        value: percentile(latencies, 50),
        unit: 'ms',
        beside: { name: 'the durable write alone', value: percentile(writes, 50) },
      },
      {
        name: 'start of a write to start of its reconcile in another process, p99',
        value: p99,
        unit: 'ms',
        beside: { name: 'the durable write alone', value: percentile(writes, 99) },
        bar: { text: 'p99 under 15 ms', met: p99 < 15 },
      },
    ];
  }),
);

async function bare(): Promise<number> {
  const startMs = performance.now();
  const child = fork(fileURLToPath(new URL('../workers/hello.js', import.meta.url)));
  await once(child, 'message');
  const tookMs = performance.now() - startMs;
  await once(child, 'exit');
  return tookMs;
}
