/**
 * Bytes written to the disk, which wear flash memory: status changes one after the other, compared with raw SQLite that
 * writes the same values with the same flush, and an operator at rest.
 */
import { join } from 'node:path';
import { ECSMService, operatorKinds } from '@ecsm/operator';
import { openRegistry } from '@ecsm/runtime';
import { DatabaseSync } from '@photostructure/sqlite';
import { createServices, startOperatorIn } from '../fleet.ts';
import { diskBytesOf } from '../processes.ts';
import { deliver, type Measurement } from '../report.ts';
import { startSimulator } from '../simulator.ts';
import { inScratch, key, Thing, thing, thingBytes } from '../thing.ts';

const objects = 1_000;
const changes = 1_000;
/** Longer than the pause after which the log is copied into the database. */
const settleMs = 500;
const restMs = 60_000;
const services = 100;
const kilobyte = 1024;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const nameOf = (n: number) => `thing-${(n * 7919) % objects}`;

async function written(work: () => Promise<void>): Promise<number> {
  await sleep(settleMs);
  const before = diskBytesOf('self');
  await work();
  await sleep(settleMs);
  return (diskBytesOf('self') - before) / kilobyte;
}

async function statusChanges(): Promise<Measurement[]> {
  return inScratch(async (directory) => {
    const registry = await openRegistry(`sqlite:${join(directory, 'registry')}`, { kinds: [Thing] });
    const things = registry.resource(Thing);
    await Promise.all(Array.from({ length: objects }, (_, n) => things.create(thing(nameOf(n)))));
    const raw = new DatabaseSync(join(directory, 'raw.db'));
    raw.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    raw.exec('CREATE TABLE entry (key TEXT NOT NULL PRIMARY KEY, value BLOB) STRICT, WITHOUT ROWID');
    const put = raw.prepare('INSERT OR REPLACE INTO entry VALUES (?, ?)');
    raw.exec('BEGIN');
    for (let n = 0; n < objects; n++) put.run(key(nameOf(n)), thingBytes(nameOf(n)));
    raw.exec('COMMIT');
    const baseline = await written(async () => {
      for (let n = 0; n < changes; n++) put.run(key(nameOf(n)), thingBytes(nameOf(n)));
    });
    const countedBefore = registry.store.writtenBytes?.() ?? Number.NaN;
    const value = await written(async () => {
      for (let n = 0; n < changes; n++)
        await things.updateStatus({ metadata: { name: nameOf(n) }, status: { ready: n } });
    });
    const counted = ((registry.store.writtenBytes?.() ?? Number.NaN) - countedBefore) / kilobyte;
    raw.close();
    await registry.close();
    return [
      {
        name: `written for ${changes} status changes, one flush each`,
        value,
        unit: 'KB',
        beside: { name: 'raw SQLite, newest value only', value: baseline },
      },
      { name: 'the same, as ecsm_registry_written_bytes_total', value: counted, unit: 'KB' },
    ];
  });
}

async function atRest(): Promise<Measurement> {
  return inScratch(async (directory) => {
    const url = `sqlite:${join(directory, 'registry')}`;
    const simulator = await startSimulator('--nodes', '3', '--profile', 'instant');
    const registry = await openRegistry(url, { kinds: operatorKinds });
    await createServices(registry, 0, services);
    const operator = await startOperatorIn(directory, '--registry', url, '--ecsm', simulator.url);
    const isReady = async () =>
      (await registry.resource(ECSMService).list()).items.every(({ status }) => status?.readyReplicas === 1);
    while (!(await isReady())) await sleep(settleMs);
    await sleep(restMs / 2);
    const before = diskBytesOf(operator.child.pid ?? 0);
    await sleep(restMs);
    const value = (diskBytesOf(operator.child.pid ?? 0) - before) / kilobyte;
    await operator.stop();
    await simulator.stop();
    await registry.close();
    return { name: `written by an operator at rest in a minute, ${services} services`, value, unit: 'KB' };
  });
}

deliver([...(await statusChanges()), await atRest()]);
