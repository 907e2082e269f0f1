/** The quickstart without a terminal: prints the progress line by line. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDone, serviceRow, wanted } from './view.mjs';

const pollMs = 100;
/** Normally it takes seconds; after this time something is broken. */
const waitMsMax = 90_000;

const seconds = (sinceMs) => `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;

/** Prints changes until every service is ready. */
export async function printProgress({ services, signal }) {
  const startMs = Date.now();
  const printed = new Map();
  await until('every service is ready', signal, async () => {
    const now = await services();
    for (const service of now) {
      const [name, ready, , , image, status] = serviceRow(service);
      const line = `${name.padEnd(10)} ${ready}  ${image.padEnd(24)} ${status}`;
      if (printed.get(name) !== line) console.log(`  ${line}`);
      printed.set(name, line);
    }
    return now.length > 0 && now.every(isDone);
  });
  console.log(`All services are ready after ${seconds(startMs)}.`);
}

/** Causes two failures and prints when each is repaired. */
export async function printHealing({ services, platform, signal }) {
  const named = async (name) => (await services()).find(({ metadata }) => metadata.name === name);

  const telemetry = await named('telemetry');
  const [{ name: instance }] = await platform.instances(telemetry);
  console.log(`\nKilling an instance of telemetry: ${instance}`);
  let startMs = Date.now();
  await platform.breakIt('POST', `/sim/containers/${instance}/kill`);
  await until('telemetry is running', signal, async () => {
    const rows = await platform.instances(await named('telemetry'));
    return rows.filter(({ status }) => status === 'running').length === wanted(telemetry);
  });
  console.log(`  restarted after ${seconds(startMs)}`);

  const before = await named('thermal');
  console.log('Deleting thermal on the platform, bypassing the operator');
  startMs = Date.now();
  await platform.breakIt('DELETE', '/sim/services/thermal');
  await until('thermal is recreated', signal, async () => {
    const now = await named('thermal');
    return now.status.underlyingServiceID !== before.status.underlyingServiceID && isDone(now);
  });
  console.log(`  recreated after ${seconds(startMs)}`);
}

async function until(what, signal, condition) {
  const endMs = Date.now() + waitMsMax;
  while (!(await condition())) {
    if (Date.now() > endMs) throw new Error(`timed out waiting until ${what}`);
    await sleep(pollMs, undefined, { signal });
  }
}
