/** Conditions are added to a status as it was read. */
import { systemClock } from '@ecsm/runtime';
import { afterEach, expect, it } from 'vitest';
import { dynamic, Site } from './operator.kit.ts';
import { reachable, writeConditions, writeStatus } from './status.ts';

let site: Site;
afterEach(() => site.stop());

it('is not written for restarts alone, which a sweep finds late', async () => {
  site = new Site().start();
  await site.apply(dynamic('web'));
  await site.ready('web');
  const service = (await site.get('web')) ?? expect.fail();
  const { status = expect.fail() } = service;
  const instances = status.instances ?? expect.fail();
  expect(instances.map(({ nodeName, state }) => `${nodeName} ${state}`)).toEqual(
    ['node-1', 'node-2', 'node-3'].map((name) => `${name} Ready`),
  );
  const restarted = instances.map((one) => ({ ...one, restarts: 1 }));
  expect(await writeStatus(site.registry, service, { ...status, instances: restarted })).toBe(service);
  const stopped = restarted.map((one) => ({ ...one, state: 'Stopped' as const }));
  const written = await writeStatus(site.registry, service, { ...status, instances: stopped });
  expect(written.status?.instances).toEqual(stopped);
});

it('writes no conditions onto a stale status: an older one would replace the newest, and the key would rest', async () => {
  site = new Site().start();
  await site.apply(dynamic('web'));
  const old = (await site.get('web')) ?? expect.fail();
  await site.ready('web');
  const stale = writeConditions(site.registry, old, [reachable], systemClock);
  await expect(stale).rejects.toMatchObject({ code: 'Conflict' });
  expect((await site.get('web'))?.status).toMatchObject({ readyReplicas: 3 });
});
