/** Commits with pauses and reports when each commit was acknowledged. Usage: committer <registry URL> <count> */
import { openRegistry } from '@ecsm/runtime';
import { Thing, thing } from '../thing.ts';

const [url = '', count = '0'] = process.argv.slice(2);
const registry = await openRegistry(url, { kinds: [Thing] });
const things = registry.resource(Thing);
for (let n = 0; n < Number(count); n++) {
  const startedMs = performance.timeOrigin + performance.now();
  const { metadata } = await things.create(thing(`other-${n}`));
  const acknowledgedMs = performance.timeOrigin + performance.now();
  process.send?.({ revision: Number(metadata.resourceVersion), startedMs, acknowledgedMs });
  await new Promise((resolve) => setTimeout(resolve, 3 + (n % 7)));
}
await registry.close();
process.disconnect?.();
