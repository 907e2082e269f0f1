/**
 * Measures the bytes per entry that a list of versions allocates and retains, compared with the keys alone.
 * Usage: node --expose-gc --max-semi-space-size=512 allocation <registry URL>. The young generation is large enough to
 * avoid a collection during the measurement, so the growth of the heap is the allocation.
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

// The same keys as new strings in a plain array: the minimum of any list of keys.
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
