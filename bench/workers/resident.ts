/**
 * Opens a registry, lists its versions, and reports the resident memory.
 * Usage: node --expose-gc resident <registry URL>
 */
import { readFileSync } from 'node:fs';
import { openRegistry } from '@ecsm/runtime';
import { Thing } from '../thing.ts';

const registry = await openRegistry(process.argv[2] ?? '', { kinds: [Thing] });
const versions = await registry.resource(Thing).versions();
globalThis.gc?.();
const status = readFileSync('/proc/self/status', 'utf8');
const megabytes = (field: string) =>
  Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? Number.NaN) / 1024;
process.send?.({
  count: versions.keys.length,
  residentMb: megabytes('VmRSS'),
  privateMb: megabytes('RssAnon'),
});
await registry.close();
process.disconnect?.();
