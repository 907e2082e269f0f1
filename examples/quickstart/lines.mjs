/** The quickstart where there is no terminal: what happens, line by line. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDone, serviceRow, wanted } from './view.mjs';

const pollMs = 100;
/** It takes seconds; if it takes this long, something is broken. */
const waitMsMax = 90_000;

const seconds = (sinceMs) => `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;

/** Says what changes until every service is as it should be. */
export async function tellProgress({ services, signal }) {
  const startMs = Date.now();
  const told = new Map();
  await until('every service is ready', signal, async () => {
    const now = await services();
    for (const service of now) {
      const [name, ready, , , image, status] = serviceRow(service);
      const line = `${name.padEnd(10)} ${ready}  ${image.padEnd(24)} ${status}`;
      if (told.get(name) !== line) console.log(`  ${line}`);
      told.set(name, line);
    }
    return now.length > 0 && now.every(isDone);
  });
  console.log(`All of them are ready after ${seconds(startMs)}.`);
}

/** Breaks two things, and says when they are right again. */
export async function tellHealing({ services, platform, signal }) {
  const named = async (name) => (await services()).find(({ metadata }) => metadata.name === name);

  const telemetry = await named('telemetry');
  const [{ name: instance }] = await platform.instances(telemetry);
  console.log(`\nAn instance of telemetry is killed: ${instance}`);
  let startMs = Date.now();
  await platform.breakIt('POST', `/sim/containers/${instance}/kill`);
  await until('telemetry runs again', signal, async () => {
    const rows = await platform.instances(await named('telemetry'));
    return rows.filter(({ status }) => status === 'running').length === wanted(telemetry);
  });
  console.log(`  it runs again after ${seconds(startMs)}`);

  const before = await named('thermal');
  console.log('Somebody deletes thermal on the platform, behind the operator’s back');
  startMs = Date.now();
  await platform.breakIt('DELETE', '/sim/services/thermal');
  await until('thermal is there again', signal, async () => {
    const now = await named('thermal');
    return now.status.underlyingServiceID !== before.status.underlyingServiceID && isDone(now);
  });
  console.log(`  it is there again, as it is written down, after ${seconds(startMs)}`);
}

async function until(what, signal, isSo) {
  const endMs = Date.now() + waitMsMax;
  while (!(await isSo())) {
    if (Date.now() > endMs) throw new Error(`gave up waiting until ${what}`);
    await sleep(pollMs, undefined, { signal });
  }
}
