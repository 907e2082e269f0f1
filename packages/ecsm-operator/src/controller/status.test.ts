/** Conditions are added to a status as it was read. */
import { systemClock } from '@ecsm/runtime';
import { afterEach, expect, it } from 'vitest';
import { dynamic, Site } from './operator.kit.ts';
import { reachable, writeConditions } from './status.ts';

let site: Site;
afterEach(() => site.stop());

it('writes no conditions onto a stale status: an older one would replace the newest, and the key would rest', async () => {
  site = new Site().start();
  await site.apply(dynamic('web'));
  const old = (await site.get('web')) ?? expect.fail();
  await site.ready('web');
  const stale = writeConditions(site.registry, old, [reachable], systemClock);
  await expect(stale).rejects.toMatchObject({ code: 'Conflict' });
  expect((await site.get('web'))?.status).toMatchObject({ readyReplicas: 3 });
});
