/** Goal: whatever people or chance do to services on the platform is put right, and what is not ours is left alone. */

import { findCondition } from '@ecsm/runtime';
import { expect, it } from 'vitest';
import { isRunning } from './platform.kit.ts';
import { openSite, wish } from './site.kit.ts';

it('brings back what ended, was stopped, paused, deleted or edited, and touches nothing foreign', async (test) => {
  const site = await openSite(test, '--set', 'selfRestart=never');
  const { platform } = site;
  const names = ['killed', 'stopped', 'paused', 'deleted', 'edited'];
  await site.startOperator();
  await site.apply(...names.map((name) => wish(name, { env: { RATE: '10' } })));
  await site.untilSettled(...names);
  const before = await platform.look();
  const victim = before.containers.find(({ name }) => name.startsWith('killed-'));
  const foreign = { name: 'visitor', image: { ref: 'worker@1.0.0#sylixos', action: 'run', config: {} } };
  await platform.control('POST', '/api/v1/service', {
    ...foreign,
    node: { names: ['node-1'] },
    policy: 'dynamic',
    factor: 1,
  });

  await platform.control('POST', `/sim/containers/${victim?.name}/kill`);
  await platform.control('POST', '/sim/services/stopped/stop');
  await platform.control('POST', '/sim/services/paused/pause');
  await platform.control('DELETE', '/sim/services/deleted');
  await platform.control('POST', '/sim/services/edited/edit', {
    image: 'telemetry@1.1.0#sylixos',
    factor: 1,
    nodeNames: ['node-1'],
    env: { RATE: '20' },
  });
  await site.apply(wish('visitor'));
  const damaged = await platform.look();
  expect(damaged.containers.filter(isRunning).length).toBeLessThan(10);

  const healed = await site.until('everything to be as it was', async () => {
    const { services, containers } = await platform.look();
    const runs = (name: string) => {
      const id = services.find((service) => service.name === name)?.id;
      return containers.filter((one) => one.serviceId === id && isRunning(one)).length;
    };
    return names.every((name) => runs(name) === 2) ? services : undefined;
  });
  await site.untilSettled(...names);
  const known = (services: typeof healed) =>
    services
      .filter(({ name }) => names.includes(name))
      .map(({ name, factor, nodeNames, image }) => ({ name, factor, nodeNames, image }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  expect(known((await platform.look()).services)).toEqual(known(before.services));

  expect(await site.events('killed')).toContain('Started');
  expect(await site.events('stopped')).toContain('Started');
  expect(await site.events('paused')).toContain('Unpaused');
  expect((await site.events('deleted')).filter((reason) => reason === 'Created')).toHaveLength(2);
  expect(await site.events('edited')).toContain('Corrected');

  const visitor = await site.service('visitor');
  expect(findCondition(visitor?.status?.conditions, 'Available')).toMatchObject({
    status: 'False',
    reason: 'ForeignService',
  });
  expect((await platform.look()).services.find(({ name }) => name === 'visitor')).toMatchObject({
    factor: 1,
    image: foreign.image,
  });
});
