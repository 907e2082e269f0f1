/** The work queue: add, take and done of many keys. */
import { systemClock, WorkQueue } from '@ecsm/runtime';
import { deliver, median } from '../report.ts';

const keys = Array.from({ length: 10_000 }, (_, n) => `bench.ecsm.sh/v1/things/default/thing-${n}`);

/** The baseline: an ordered set, the simplest structure that deduplicates keys. */
async function plainSet(): Promise<void> {
  const waiting = new Set<string>();
  for (const key of keys) waiting.add(key);
  for (const key of waiting) {
    await undefined;
    waiting.delete(key);
  }
}

async function workQueue(): Promise<void> {
  const queue = new WorkQueue({ clock: systemClock });
  for (const key of keys) queue.add(key);
  for (let n = 0; n < keys.length; n++) {
    const item = await queue.take();
    if (item) queue.done(item.key);
  }
  await queue.shutDown();
}

async function rateOf(work: () => Promise<void>): Promise<number> {
  const rates: number[] = [];
  for (let round = 0; round < 15; round++) {
    const start = performance.now();
    await work();
    rates.push((keys.length * 1000) / (performance.now() - start));
  }
  return median(rates);
}

const peer = await rateOf(plainSet);
deliver([
  {
    name: 'queue: add, take and done',
    value: await rateOf(workQueue),
    unit: 'per second',
    beside: { name: 'a plain set', value: peer },
  },
]);
