/**
 * Measures the memory of a cache of a registry: versions only, like an informer, or whole objects.
 * Usage: node --expose-gc remember <registry URL> <versions|objects>
 */
import { Informer, openRegistry } from '@ecsm/runtime';
import { Thing } from '../thing.ts';

const [url = '', how = ''] = process.argv.slice(2);
const registry = await openRegistry(url, { kinds: [Thing] });
const held: unknown[] = [];
const used = () => {
  globalThis.gc?.();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
};
await registry.resource(Thing).list({ limit: 1 });
const before = used();
const stop = new AbortController();
let running: Promise<void> | undefined;
if (how === 'versions') {
  const informer = new Informer({ registry, kind: Thing });
  running = informer.run(stop.signal);
  while (!informer.hasSynced) await new Promise((resolve) => setTimeout(resolve, 1));
  held.push(informer);
} else {
  const cache = new Map<string, unknown>();
  for (let token: string | undefined; ; ) {
    const page = await registry
      .resource(Thing)
      .list({ limit: 1000, ...(token === undefined ? {} : { continue: token }) });
    for (const item of page.items) cache.set(`${item.metadata.namespace}/${item.metadata.name}`, item);
    token = page.continue;
    if (token === undefined) break;
  }
  held.push(cache);
}
await new Promise((resolve) => setTimeout(resolve, 50));
process.send?.({ megabytes: (used() - before) / 2 ** 20, held: held.length });
stop.abort();
await running;
await registry.close();
process.disconnect?.();
