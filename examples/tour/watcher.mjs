/**
 * The other process of the tour. It opens the same registry, follows every change after a version, and tells its parent
 * what it saw and when. Usage: tour.mjs starts it.
 */
import { openRegistry } from '@ecsm/runtime';
import { Instrument } from './kind.mjs';
import { nowMs } from './now.mjs';

const [url, resourceVersion] = process.argv.slice(2);
const stop = new AbortController();
// Ctrl-C reaches both processes; this one ends when the other lets go of it.
process.on('SIGINT', () => {});
process.on('disconnect', () => stop.abort());

const registry = await openRegistry(url, { kinds: [Instrument] });
try {
  tell({ ready: true });
  for await (const batch of registry.resource(Instrument).watch({ resourceVersion, signal: stop.signal })) {
    tell({ ...batch, seenMs: nowMs() });
  }
} finally {
  await registry.close();
}

function tell(message) {
  if (process.connected) process.send(message);
}
