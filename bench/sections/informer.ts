/** Memory of an informer, compared with a cache of whole objects. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openRegistry } from '@ecsm/runtime';
import { deliver } from '../report.ts';
import { inScratch, rate, Thing, thing } from '../thing.ts';

const objects = 100_000;

deliver(
  await inScratch(async (directory) => {
    const url = `sqlite:${directory}`;
    const registry = await openRegistry(url, { kinds: [Thing] });
    await rate(objects, 256, (n) => registry.resource(Thing).create(thing(`thing-${n}`)));
    await registry.close();
    const remember = async (how: 'versions' | 'objects') => {
      const script = fileURLToPath(new URL('../workers/remember.js', import.meta.url));
      const child = fork(script, [url, how], { execArgv: ['--expose-gc'] });
      const [[{ megabytes }]] = await Promise.all([once(child, 'message'), once(child, 'exit')]);
      return megabytes as number;
    };
    const versions = await remember('versions');
    const whole = await remember('objects');
    return [
      {
        name: 'informer of 100,000 objects of 2 KB',
        value: versions,
        unit: 'MB',
        beside: { name: 'cache of whole objects', value: whole },
        bar: { text: '15 times less', met: whole / versions >= 15 },
      },
    ];
  }),
);
