/** Reads through the registry: one object, a list of 1,000, the versions of 100,000. */
import { openRegistry } from '@ecsm/runtime';
import { deliver, median } from '../report.ts';
import { inScratch, rate, Thing, thing } from '../thing.ts';

const objects = 100_000;
const parseTimes: number[] = [];
deliver(
  await inScratch(async (directory) => {
    const registry = await openRegistry(`sqlite:${directory}`, { kinds: [Thing] });
    const things = registry.resource(Thing);
    await rate(objects, 256, (n) => things.create(thing(`thing-${String(n).padStart(6, '0')}`)));

    const gets = await rate(20_000, 16, (n) => things.get(`thing-${String((n * 7919) % objects).padStart(6, '0')}`));
    const timed = async (work: () => Promise<unknown>) => {
      const times: number[] = [];
      for (let round = 0; round < 9; round++) {
        const start = performance.now();
        await work();
        times.push(performance.now() - start);
      }
      return median(times);
    };
    await timed(async () => {
      const { items } = await things.list({ limit: 1000 });
      const texts = items.map((item) => JSON.stringify(item));
      const start = performance.now();
      for (const text of texts) JSON.parse(text);
      parseTimes.push(performance.now() - start);
    });
    const list = await timed(() => things.list({ limit: 1000 }));
    const versions = await timed(() => things.versions());
    await registry.close();
    return [
      { name: 'registry get', value: gets, unit: 'per second' },
      {
        name: 'list of 1,000',
        value: list,
        unit: 'ms',
        beside: { name: 'JSON.parse of the same', value: median(parseTimes) },
      },
      { name: 'versions of 100,000', value: versions, unit: 'ms' },
    ];
  }),
);
