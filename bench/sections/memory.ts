/** Resident memory with 0, 10,000 and 100,000 objects of 2 KB, and the allocation of a list of versions. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRegistry } from '@ecsm/runtime';
import { deliver, type Measurement } from '../report.ts';
import { inScratch, rate, Thing, thing } from '../thing.ts';

async function runWorker<Result>(worker: string, flags: readonly string[], url: string): Promise<Result> {
  const child = fork(fileURLToPath(new URL(`../workers/${worker}.js`, import.meta.url)), [url], {
    execArgv: [...flags],
  });
  const [[result]] = await Promise.all([once(child, 'message'), once(child, 'exit')]);
  return result as Result;
}

deliver(
  await inScratch(async (directory) => {
    const found: Measurement[] = [];
    for (const count of [0, 10_000, 100_000]) {
      const url = `sqlite:${join(directory, String(count))}`;
      const registry = await openRegistry(url, { kinds: [Thing] });
      await rate(count, 256, (n) => registry.resource(Thing).create(thing(`thing-${n}`)));
      await registry.close();
      const { residentMb, privateMb } = await runWorker<{ residentMb: number; privateMb: number }>(
        'resident',
        ['--expose-gc'],
        url,
      );
      const name = `resident with ${count.toLocaleString('en')} objects and their versions`;
      found.push({ name, value: residentMb, unit: 'MB', beside: { name: 'of which private', value: privateMb } });
      if (count < 100_000) continue;
      const flags = ['--expose-gc', '--max-semi-space-size=512'];
      const per = await runWorker<{ allocated: number; kept: number; columns: number; keysAlone: number }>(
        'allocation',
        flags,
        url,
      );
      found.push({
        name: 'retained per version of 100,000, on the heap',
        value: per.kept,
        unit: 'bytes',
        beside: { name: 'its key as a string', value: per.keysAlone },
        bar: { text: 'no object besides the key', met: per.kept < per.keysAlone * 1.15 },
      });
      found.push({ name: 'its two numbers, off-heap', value: per.columns, unit: 'bytes' });
      found.push({
        name: 'allocated per version',
        value: per.allocated,
        unit: 'bytes',
        beside: { name: 'its key as a string', value: per.keysAlone },
      });
    }
    return found;
  }),
);
