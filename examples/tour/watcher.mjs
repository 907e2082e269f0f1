/**
 * The watcher process of the tour, started by tour.mjs. It opens the same registry, watches from a version, and reports
 * every event with its time to the parent process.
 */
import { openRegistry } from '@ecsm/runtime';
import { Instrument } from './kind.mjs';
import { nowMs } from './now.mjs';

const [url, resourceVersion] = process.argv.slice(2);
const stop = new AbortController();
// Ctrl-C signals both processes; this one exits when the parent disconnects.
process.on('SIGINT', () => {});
process.on('disconnect', () => stop.abort());

const registry = await openRegistry(url, { kinds: [Instrument] });
try {
  send({ ready: true });
  for await (const batch of registry.resource(Instrument).watch({ resourceVersion, signal: stop.signal })) {
    send({ ...batch, seenMs: nowMs() });
  }
} finally {
  await registry.close();
}

function send(message) {
  if (process.connected) process.send(message);
}
