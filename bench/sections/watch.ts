/** Latency from the start of a write to the watcher, in the same process and in another one. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openRegistry } from '@ecsm/runtime';
import { deliver, type Measurement, percentile } from '../report.ts';
import { inScratch, Thing, thing } from '../thing.ts';

const commits = 500;
const now = () => performance.timeOrigin + performance.now();

interface Written {
  readonly revision: number;
  readonly startedMs: number;
  readonly acknowledgedMs: number;
}

deliver(
  await inScratch(async (directory) => {
    const url = `sqlite:${directory}`;
    const registry = await openRegistry(url, { kinds: [Thing] });
    const things = registry.resource(Thing);
    const arrivals = new Map<number, number>();
    const stop = new AbortController();
    const resourceVersion = String(await registry.revision());
    const watching = (async () => {
      for await (const batch of things.watchVersions({ resourceVersion, signal: stop.signal })) {
        arrivals.set(Number(batch.resourceVersion), now());
      }
    })();

    const here: Written[] = [];
    for (let n = 0; n < commits; n++) {
      const startedMs = now();
      const { metadata } = await things.create(thing(`here-${n}`));
      here.push({ revision: Number(metadata.resourceVersion), startedMs, acknowledgedMs: now() });
      await new Promise((resolve) => setTimeout(resolve, 1));
    }

    const there: Written[] = [];
    const committer = fork(fileURLToPath(new URL('../workers/committer.js', import.meta.url)), [url, String(commits)]);
    committer.on('message', (message) => there.push(message as Written));
    await once(committer, 'exit');
    await new Promise((resolve) => setTimeout(resolve, 200));
    stop.abort();
    await watching;
    await registry.close();

    const lines = (place: string, written: readonly Written[], bar: boolean): Measurement[] => {
      const since = (from: (write: Written) => number) =>
        written.map((write) => (arrivals.get(write.revision) ?? Number.POSITIVE_INFINITY) - from(write));
      const fromStart = since((write) => write.startedMs);
      const writes = written.map((write) => write.acknowledgedMs - write.startedMs);
      const besideWrite = (percent: number) => ({
        beside: { name: 'the durable write alone', value: percentile(writes, percent) },
      });
      const p99 = percentile(fromStart, 99);
      return [
        {
          name: `start of write to watcher, ${place}, p50`,
          value: percentile(fromStart, 50),
          unit: 'ms',
          ...besideWrite(50),
        },
        {
          name: `start of write to watcher, ${place}, p99`,
          value: p99,
          unit: 'ms',
          ...besideWrite(99),
          ...(bar ? { bar: { text: 'p99 under 10 ms', met: p99 < 10 } } : {}),
        },
      ];
    };
    return [...lines('same process', here, false), ...lines('other process', there, true)];
  }),
);
