/**
 * Goal: what is applied in one process is made true by another, shows where people look, and costs no more than looking
 * once it is true.
 */
import { describe, expect, it } from 'vitest';
import { ECSMService } from '../../src/apis/ecsm-service.ts';
import { readyText } from '../../src/apis/service-columns.ts';
import { isRunning } from './platform.kit.ts';
import { ended, openSite, wish } from './site.kit.ts';

describe.concurrent('an operator', () => {
  it('makes what is applied true, says so, and stops with 0', async (test) => {
    const site = await openSite(test);
    const operator = await site.startOperator();
    await site.apply(wish('telemetry', { replicas: 3, image: 'telemetry@1.1.0#sylixos', env: { RATE: '10' } }));
    await site.untilSettled('telemetry');

    const service = await site.service('telemetry');
    expect(service && readyText(service)).toBe('3/3');
    expect(service?.status).toMatchObject({ replicas: 3, updatedReplicas: 3, platformName: 'telemetry' });
    const { services, containers } = await site.platform.look();
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
    expect(operator.output()).toContain('the operator has stopped');
    expect(await site.platform.running()).toBe(3);
  });

  it('lets an object go only when its service is gone from the platform', async (test) => {
    const site = await openSite(test, '--set', 'deleteMs=1500');
    // So long after its start it waits for creations that an operator before it may have asked for.
    await site.startOperator('--call-timeout-seconds', '3');
    await site.apply(wish('telemetry'), wish('camera', { image: 'camera@1.0.0#sylixos' }));
    await site.untilSettled('telemetry', 'camera');
    await site.registry.resource(ECSMService).delete('telemetry');

    let looksWhileItGoes = 0;
    await site.until('the object to go', async () => {
      // The platform is asked after the registry: had the object gone first, its service could still be seen.
      const object = await site.service('telemetry');
      const { services } = await site.platform.look();
      const isThere = services.some(({ name }) => name === 'telemetry');
      if (object !== undefined) looksWhileItGoes += isThere ? 1 : 0;
      else expect(isThere).toBe(false);
      return object === undefined ? true : undefined;
    });
    expect(looksWhileItGoes).toBeGreaterThan(0);
    const { services, containers } = await site.platform.look();
    expect(services.map(({ name }) => name)).toEqual(['camera']);
    expect(containers.filter(isRunning)).toHaveLength(2);
    expect((await site.platform.changes()).filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  });

  it('only looks when everything is as it should be', async (test) => {
    const site = await openSite(test);
    await site.startOperator();
    const names = ['one', 'two', 'three', 'four', 'five'];
    await site.apply(...names.map((name) => wish(name, { rolling: name < 'o' })));
    await site.untilSettled(...names);
    const looks = ['GET /node', 'GET /service'];
    // What is under way is followed more closely, and to the end.
    await site.until('three looks that are nothing but looks', async () => {
      const last = (await site.platform.calls()).slice(-3 * looks.length);
      return last.length > 0 && last.every(({ endpoint }) => looks.includes(endpoint)) ? true : undefined;
    });
    const before = (await site.platform.calls()).at(-1)?.number ?? 0;
    const versions = await site.registry.store.revision();

    const calls = await site.until('eleven more looks', async () => {
      const since = await site.platform.calls(before);
      return since.filter(({ endpoint }) => endpoint === 'GET /service').length >= 11 ? since : undefined;
    });
    const of = (endpoint: string) => calls.filter((call) => call.endpoint === endpoint);
    const pages = of('GET /service');
    // One page of nodes with each page of services, though the first or the last look may be cut in two.
    expect(Math.abs(of('GET /node').length - pages.length)).toBeLessThanOrEqual(1);
    // All instances with every tenth look.
    const sweeps = of('GET /container/service').length;
    expect([1, 2]).toContain(sweeps);
    expect(calls).toHaveLength(pages.length + of('GET /node').length + sweeps);
    // A second from one look to the next, a tenth less at the least.
    const tookMs = (pages.at(-1)?.timeMs ?? 0) - (pages[0]?.timeMs ?? 0);
    expect(tookMs).toBeGreaterThan((pages.length - 1) * 890);
    expect(await site.registry.store.revision()).toBe(versions);
  });

  it('shows its health, and what of it depends on the platform', async (test) => {
    const site = await openSite(test);
    const operator = await site.startOperator();
    const ask = async (path: string) => {
      const answer = await fetch(`${operator.url}${path}`);
      return { status: answer.status, text: await answer.text() };
    };
    await site.apply(wish('telemetry'));
    await site.untilSettled('telemetry');
    expect(await ask('/readyz?verbose')).toMatchObject({
      status: 200,
      text: expect.stringContaining('[+]platform ok'),
    });
    const { text } = await ask('/metrics');
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
    await site.until('the platform to be missed', async () => {
      const { status, text: said } = await ask('/readyz');
      return status === 500 && said.includes('[-]platform failed') ? true : undefined;
    });
    expect(await ask('/healthz')).toMatchObject({ status: 200 });
    await site.startPlatform();
    await site.until('the platform to be found', async () =>
      (await ask('/readyz')).status === 200 ? true : undefined,
    );
  });
});
