/**
 * Goal: the operator realises objects that another process applies, reports them in status and events, and only polls
 * the platform afterwards.
 */
import { describe, expect, it } from 'vitest';
import { ECSMService } from '../../src/apis/ecsm-service.ts';
import { readyText } from '../../src/apis/service-columns.ts';
import { isRunning } from './platform.kit.ts';
import { ended, openSite, serviceInput } from './site.kit.ts';

describe.concurrent('an operator', () => {
  it('realises an applied object, reports it, and exits with 0', async (test) => {
    const site = await openSite(test);
    const operator = await site.startOperator();
    await site.apply(serviceInput('telemetry', { replicas: 3, image: 'telemetry@1.1.0#sylixos', env: { RATE: '10' } }));
    await site.untilSettled('telemetry');

    const service = await site.service('telemetry');
    expect(service && readyText(service)).toBe('3/3');
    expect(service?.status).toMatchObject({ replicas: 3, updatedReplicas: 3, platformName: 'telemetry' });
    const { services, containers } = await site.platform.state();
    expect(services).toMatchObject([{ name: 'telemetry', factor: 3, image: { ref: 'telemetry@1.1.0#sylixos' } }]);
    expect(service?.status?.underlyingServiceID).toBe(services[0]?.id);
    expect(JSON.stringify(services[0]?.image.config)).toContain('RATE=10');
    expect(containers.filter(isRunning).map(({ imageRef }) => imageRef)).toEqual(
      Array(3).fill('telemetry@1.1.0#sylixos'),
    );
    await site.until('its events', async () =>
      (await site.events('telemetry')).includes('Complete') ? true : undefined,
    );
    expect([...(await site.events('telemetry'))].sort()).toEqual(['Complete', 'Created']);

    expect(await ended(operator, 'SIGTERM'), operator.output()).toBe(0);
    expect(operator.output()).toContain('operator stopped');
    expect(await site.platform.running()).toBe(3);
  });

  it('removes an object only after its service is deleted on the platform', async (test) => {
    const site = await openSite(test, '--set', 'deleteMs=1500');
    // After its start it waits this long for creations of a previous operator that may be in flight.
    await site.startOperator('--call-timeout-seconds', '3');
    await site.apply(serviceInput('telemetry'), serviceInput('camera', { image: 'camera@1.0.0#sylixos' }));
    await site.untilSettled('telemetry', 'camera');
    await site.registry.resource(ECSMService).delete('telemetry');

    let readsDuringDeletion = 0;
    await site.until('the object to be deleted', async () => {
      // The platform is read after the registry: if the object were removed first, its service would still be visible.
      const object = await site.service('telemetry');
      const { services } = await site.platform.state();
      const exists = services.some(({ name }) => name === 'telemetry');
      if (object !== undefined) readsDuringDeletion += exists ? 1 : 0;
      else expect(exists).toBe(false);
      return object === undefined ? true : undefined;
    });
    expect(readsDuringDeletion).toBeGreaterThan(0);
    const { services, containers } = await site.platform.state();
    expect(services.map(({ name }) => name)).toEqual(['camera']);
    expect(containers.filter(isRunning)).toHaveLength(2);
    expect((await site.platform.changes()).filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  });

  it('only polls when everything is in the desired state', async (test) => {
    const site = await openSite(test);
    await site.startOperator();
    const names = ['one', 'two', 'three', 'four', 'five'];
    await site.apply(...names.map((name) => serviceInput(name, { rolling: name < 'o' })));
    await site.untilSettled(...names);
    const polls = ['GET /node', 'GET /service', 'GET /service/summary', 'GET /container/service'];
    // Operations in progress are polled more often, until they end.
    await site.until('three polls without other calls', async () => {
      const last = (await site.platform.calls()).slice(-3 * polls.length);
      return last.length > 0 && last.every(({ endpoint }) => polls.includes(endpoint)) ? true : undefined;
    });
    const before = (await site.platform.calls()).at(-1)?.number ?? 0;
    const versions = await site.registry.store.revision();

    const calls = await site.until('eleven more polls', async () => {
      const since = await site.platform.calls(before);
      return since.filter(({ endpoint }) => endpoint === 'GET /service').length >= 11 ? since : undefined;
    });
    const of = (endpoint: string) => calls.filter((call) => call.endpoint === endpoint);
    const pages = of('GET /service');
    // One page of nodes with each page of services; the first or the last poll may be incomplete.
    expect(Math.abs(of('GET /node').length - pages.length)).toBeLessThanOrEqual(1);
    // All instances at most with every poll.
    const sweeps = of('GET /container/service').length;
    expect(sweeps).toBeLessThanOrEqual(pages.length + 1);
    expect(calls).toHaveLength(pages.length + of('GET /node').length + of('GET /service/summary').length + sweeps);
    // The longest interval is one second; the first two may be shorter.
    const tookMs = (pages.at(-1)?.timeMs ?? 0) - (pages[0]?.timeMs ?? 0);
    expect(tookMs).toBeGreaterThan((pages.length - 3) * 890);
    // The time of the last observation is written about once in a minute, and nothing else.
    expect((await site.registry.store.revision()) - versions).toBeLessThanOrEqual(1);
  });

  it('reports its health and that of the platform', async (test) => {
    const site = await openSite(test);
    const operator = await site.startOperator();
    const get = async (path: string) => {
      const response = await fetch(`${operator.url}${path}`);
      return { status: response.status, text: await response.text() };
    };
    await site.apply(serviceInput('telemetry'));
    await site.untilSettled('telemetry');
    expect(await get('/readyz?verbose')).toMatchObject({
      status: 200,
      text: expect.stringContaining('[+]platform ok'),
    });
    const { text } = await get('/metrics');
    for (const name of [
      'controller_runtime_reconcile_total{controller="ecsmservice",result="success"}',
      'controller_runtime_reconcile_errors_total{controller="ecsmservice"} 0',
      'controller_runtime_reconcile_time_seconds_count{controller="ecsmservice"}',
      'controller_runtime_max_concurrent_reconciles{controller="ecsmservice"} 16',
      'workqueue_depth',
    ]) {
      expect(text).toContain(name);
    }

    await site.stopPlatform();
    await site.until('the platform to be reported as failed', async () => {
      const { status, text: report } = await get('/readyz');
      return status === 500 && report.includes('[-]platform failed') ? true : undefined;
    });
    expect(await get('/healthz')).toMatchObject({ status: 200 });
    await site.startPlatform();
    await site.until('the platform to be reported as ok', async () =>
      (await get('/readyz')).status === 200 ? true : undefined,
    );
  });
});
