/** The demonstration without a terminal: prints the progress line by line, and causes two failures. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cut } from '../quickstart/view.mjs';
import { activity, isDone } from './view.mjs';

const pollMs = 100;
/** Normally it takes seconds; after this time something is broken. */
const waitMsMax = 180_000;

const seconds = (sinceMs) => `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;

/** Prints changes until the condition is true, and then the time that it took. */
async function printUntil(what, { cluster, signal }, condition) {
  const startMs = Date.now();
  let printed = '';
  for (;;) {
    const now = await cluster();
    const { phase = 'Pending', readyReplicas = 0 } = now.status ?? {};
    const line = cut(`  ${phase.padEnd(8)} ${readyReplicas}/${now.spec.size}  ${activity(now)}`);
    if (line !== printed) console.log(line);
    printed = line;
    if (await condition(now)) break;
    if (Date.now() - startMs > waitMsMax) throw new Error(`timed out waiting until ${what}`);
    await sleep(pollMs, undefined, { signal });
  }
  console.log(`${what} after ${seconds(startMs)}.`);
}

const idOf = ({ status }, name) => status?.members?.find((member) => member.name === name)?.id;

export async function printAll({ world, cluster, signal }) {
  const context = { cluster, signal };
  await printUntil('Three members serve', context, isDone);

  const { name, pid } = world.pods().find((pod) => pod.name.endsWith('-1'));
  const before = idOf(await cluster(), name);
  console.log(`\nKilling the process of ${name}`);
  process.kill(pid, 'SIGKILL');
  await printUntil('It serves again', context, async (now) => (await world.isRestarted(name)) && isDone(now));

  console.log(`\nDeleting the volume and the pod of ${name}`);
  await world.loseVolume(name);
  const isReplaced = (now) => ![undefined, before].includes(idOf(now, name));
  await printUntil('It is replaced by a new member', context, (now) => isReplaced(now) && isDone(now));
  console.log('\nOn a terminal, make start-etcd keeps running and shows commands to try.');
}
