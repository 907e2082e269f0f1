/** Goal: changes of owned services on the platform are reverted, and foreign services are not changed. */

import { findCondition } from '@ecsm/runtime';
import { expect, it } from 'vitest';
import { isRunning } from './platform.kit.ts';
import { openSite, serviceInput } from './site.kit.ts';

it('repairs killed, stopped, paused, deleted and edited services, and does not change foreign ones', async (test) => {
  const site = await openSite(test, '--set', 'selfRestart=never');
  const { platform } = site;
  const names = ['killed', 'stopped', 'paused', 'deleted', 'edited'];
  await site.startOperator();
  await site.apply(...names.map((name) => serviceInput(name, { env: { RATE: '10' } })));
  await site.untilSettled(...names);
  const before = await platform.state();
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
  await site.apply(serviceInput('visitor'));
  const damaged = await platform.state();
  expect(damaged.containers.filter(isRunning).length).toBeLessThan(10);

  const healed = await site.until('all services to be repaired', async () => {
    const { services, containers } = await platform.state();
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
  expect(known((await platform.state()).services)).toEqual(known(before.services));

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
  expect((await platform.state()).services.find(({ name }) => name === 'visitor')).toMatchObject({
    factor: 1,
    image: foreign.image,
  });
});
