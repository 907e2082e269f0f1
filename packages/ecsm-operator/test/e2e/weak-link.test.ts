/** Goal: lost, delayed or aborted calls only cost time: nothing is created twice or left unfinished. */
import { describe, expect, it } from 'vitest';
import { createdNames, isRunning } from './platform.kit.ts';
import { openSite, serviceInput } from './site.kit.ts';

describe.concurrent('over a weak link', () => {
  it('five services become ready with 300 ms of latency and 5% of requests and responses lost', async (test) => {
    const site = await openSite(test, '--loss', '5', '--latency', '300');
    await site.platform.control('PUT', '/sim/link', { answerLossPercent: 5 });
    await site.startOperator('--call-timeout-seconds', '2');
    const names = ['one', 'two', 'three', 'four', 'five'];
    await site.apply(...names.map((name) => serviceInput(name)));
    await site.untilSettled(...names);

    const { services, containers } = await site.platform.state();
    expect(services.map(({ name }) => name).sort()).toEqual([...names].sort());
    expect(containers.filter(isRunning)).toHaveLength(10);
    expect(containers).toHaveLength(10);
    const calls = await site.platform.calls();
    expect([...createdNames(calls)].sort()).toEqual([...names].sort());
    expect(calls.every(({ method, endpoint }) => method === 'GET' || endpoint === 'POST /service')).toBe(true);
  });

  it('a creation whose response is lost is not repeated', async (test) => {
    const site = await openSite(test);
    await site.platform.control('PUT', '/sim/link', {
      answersToLose: 1,
      match: { method: 'POST', path: '/api/v1/service' },
    });
    await site.startOperator('--call-timeout-seconds', '1');
    await site.apply(serviceInput('telemetry'));
    await site.untilSettled('telemetry');
    expect((await site.platform.changes()).map(({ endpoint, fate }) => `${endpoint}: ${fate}`)).toEqual([
      'POST /service: answer lost',
    ]);
    expect(createdNames(await site.platform.calls())).toEqual(['telemetry']);
    expect(await site.platform.running()).toBe(2);
  });

  it('waits for an unreachable platform, and changes nothing on one that was unreachable', async (test) => {
    const site = await openSite(test, '--state', 'platform.json');
    await site.stopPlatform();
    const operator = await site.startOperator();
    const isReady = async () => ((await fetch(`${operator.url}/readyz`)).status === 200 ? true : undefined);
    await site.apply(serviceInput('telemetry'));
    await operator.until(/the platform is unreachable/);
    expect(await isReady()).toBe(undefined);
    await site.startPlatform();
    await site.untilSettled('telemetry');
    expect(await isReady()).toBe(true);
    const [created] = (await site.platform.state()).services;
    expect(created).toMatchObject({ name: 'telemetry', factor: 2 });

    await site.stopPlatform();
    await site.until('the platform to be reported as failed', async () => ((await isReady()) ? undefined : true));
    // Objects that are applied meanwhile are realised when the platform is back.
    await site.apply(serviceInput('camera', { image: 'camera@1.0.0#sylixos' }));
    await site.startPlatform();
    await site.untilSettled('telemetry', 'camera');
    const { services, containers } = await site.platform.state();
    expect(services.map(({ name }) => name).sort()).toEqual(['camera', 'telemetry']);
    expect(services.find(({ name }) => name === 'telemetry')).toEqual(created);
    expect(containers.filter(isRunning)).toHaveLength(4);
    // The journal starts with this run of the platform.
    expect(createdNames(await site.platform.calls())).toEqual(['camera']);
    expect(await site.platform.changes()).toHaveLength(1);
  });
});
