/** Goal: a link that loses, delays or ends calls costs time, and never makes anything twice or leaves anything undone. */
import { describe, expect, it } from 'vitest';
import { isRunning, namesMade } from './platform.kit.ts';
import { openSite, wish } from './site.kit.ts';

describe.concurrent('over a weak link', () => {
  it('five services become ready with 300 ms of latency and every twentieth request and answer lost', async (test) => {
    const site = await openSite(test, '--loss', '5', '--latency', '300');
    await site.platform.control('PUT', '/sim/link', { answerLossPercent: 5 });
    await site.startOperator('--call-timeout-seconds', '2');
    const names = ['one', 'two', 'three', 'four', 'five'];
    await site.apply(...names.map((name) => wish(name)));
    await site.untilSettled(...names);

    const { services, containers } = await site.platform.look();
    expect(services.map(({ name }) => name).sort()).toEqual([...names].sort());
    expect(containers.filter(isRunning)).toHaveLength(10);
    expect(containers).toHaveLength(10);
    const calls = await site.platform.calls();
    expect([...namesMade(calls)].sort()).toEqual([...names].sort());
    expect(calls.every(({ method, endpoint }) => method === 'GET' || endpoint === 'POST /service')).toBe(true);
  });

  it('a creation whose answer is lost is found, and not made again', async (test) => {
    const site = await openSite(test);
    await site.platform.control('PUT', '/sim/link', {
      answersToLose: 1,
      match: { method: 'POST', path: '/api/v1/service' },
    });
    await site.startOperator('--call-timeout-seconds', '1');
    await site.apply(wish('telemetry'));
    await site.untilSettled('telemetry');
    expect((await site.platform.changes()).map(({ endpoint, fate }) => `${endpoint}: ${fate}`)).toEqual([
      'POST /service: answer lost',
    ]);
    expect(namesMade(await site.platform.calls())).toEqual(['telemetry']);
    expect(await site.platform.running()).toBe(2);
  });

  it('a platform that is not there yet is waited for, and one that was away is left as it is', async (test) => {
    const site = await openSite(test, '--state', 'platform.json');
    await site.stopPlatform();
    const operator = await site.startOperator();
    const isReady = async () => ((await fetch(`${operator.url}/readyz`)).status === 200 ? true : undefined);
    await site.apply(wish('telemetry'));
    await operator.until(/the platform cannot be reached/);
    expect(await isReady()).toBe(undefined);
    await site.startPlatform();
    await site.untilSettled('telemetry');
    expect(await isReady()).toBe(true);
    const [made] = (await site.platform.look()).services;
    expect(made).toMatchObject({ name: 'telemetry', factor: 2 });

    await site.stopPlatform();
    await site.until('the platform to be missed', async () => ((await isReady()) ? undefined : true));
    // What people want meanwhile is done when it is back.
    await site.apply(wish('camera', { image: 'camera@1.0.0#sylixos' }));
    await site.startPlatform();
    await site.untilSettled('telemetry', 'camera');
    const { services, containers } = await site.platform.look();
    expect(services.map(({ name }) => name).sort()).toEqual(['camera', 'telemetry']);
    expect(services.find(({ name }) => name === 'telemetry')).toEqual(made);
    expect(containers.filter(isRunning)).toHaveLength(4);
    // The journal began with this run of the platform.
    expect(namesMade(await site.platform.calls())).toEqual(['camera']);
    expect(await site.platform.changes()).toHaveLength(1);
  });
});
