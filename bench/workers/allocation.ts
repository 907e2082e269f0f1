/**
 * How many bytes a list of versions allocates, in all and kept, for each entry, beside the keys alone.
 * Usage: node --expose-gc --max-semi-space-size=512 allocation <registry URL>. The young generation is so large that
 * nothing is collected in between: what the heap grows by is what was allocated.
 */
import { openRegistry } from '@ecsm/runtime';
import { Thing } from '../thing.ts';

const registry = await openRegistry(process.argv[2] ?? '', { kinds: [Thing] });
const prefix = `${Thing.group}/${Thing.version}/${Thing.plural}/`;
const collect = () => globalThis.gc?.();
await registry.store.versions(prefix, { limit: 5000 });
collect();
const before = process.memoryUsage();
const versions = await registry.store.versions(prefix);
const allocated = process.memoryUsage().heapUsed - before.heapUsed;
collect();
const after = process.memoryUsage();
const kept = after.heapUsed - before.heapUsed;
const columns = versions.revisions.byteLength + versions.created.byteLength;
const count = versions.keys.length;

// The same keys again, as strings of their own in a plain array: what no list of keys can do without.
collect();
const start = process.memoryUsage().heapUsed;
const keys = versions.keys.map((key) => Buffer.from(key).toString('latin1'));
collect();
const keysAlone = process.memoryUsage().heapUsed - start;
process.send?.({
  count,
  allocated: allocated / count,
  kept: kept / count,
  columns: columns / count,
  keysAlone: keysAlone / keys.length,
});
await registry.close();
process.disconnect?.();
