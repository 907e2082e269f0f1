/** An unreachable platform: it is probed and reported, and reconciling continues within one probe of its return. */
import { isApiError } from '@ecsm/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { dynamic, Site } from './operator.kit.ts';

let site: Site;
afterEach(() => site.stop());

const cut = () => site.simulator.link.set({ lossPercent: 100 });

describe('a platform that is out of reach for an hour', () => {
  it('is only probed, is reported, and is reconciled soon after its return', async () => {
    site = new Site().start();
    for (let number = 1; number <= 20; number++) await site.apply(dynamic(`web-${number}`, {}, 1));
    await site.clock.until(() => site.operator.settled(), 300_000);
    // All services have been audited.
    await site.clock.advance(600_000);
    cut();
    await site.clock.advance(60_000);
    expect(await site.condition('web-1', 'PlatformReachable')).toBe('False Unreachable');
    expect(await site.condition('web-1', 'Available')).toBe('True EnoughReady');
    expect(await site.operator.checks['platform']?.()).toMatch(/unreachable/);
    const revision = await site.registry.revision();
    const calls = site.simulator.journal.last;
    await site.clock.advance(3_600_000);
    const made = site.simulator.journal.entries(calls);
    expect(new Set(made.map(({ endpoint }) => endpoint))).toEqual(new Set(['GET /service/summary']));
    expect(made.length).toBeLessThan(300);
    expect(await site.registry.revision()).toBe(revision);
    // People go on working.
    await site.edit('web-1', { spec: { template: { image: 'telemetry@1.1.0#sylixos' } } });
    await site.apply(dynamic('late', {}, 2));
    await site.services.delete('web-20');
    await site.clock.advance(60_000);
    expect(await site.get('web-20')).toBeDefined();

    site.simulator.link.heal();
    const before = site.simulator.journal.last;
    const backMs = await site.clock.until(() => site.operator.breaker.state === 'reachable');
    expect(backMs).toBeLessThan(25_500);
    await site.clock.until(() => site.operator.settled(), 60_000);
    expect(site.platform.serviceNamed('web-1')?.image.ref).toBe('telemetry@1.1.0#sylixos');
    expect(site.platform.serviceNamed('late')?.factor).toBe(2);
    expect(site.platform.serviceNamed('web-20')).toBeUndefined();
    for (const name of ['web-1', 'web-7', 'late']) {
      expect(await site.condition(name, 'PlatformReachable')).toBe('True Reachable');
    }
    // The eighteen that nothing happened to cost no call of their own.
    const details = site.simulator.journal.entries(before).filter(({ endpoint }) => endpoint === 'GET /service/:id');
    expect(details.length).toBeLessThan(15);
    expect(site.writesSince(before).sort()).toEqual(['DELETE /service/:id', 'POST /service', 'PUT /service']);
  });

  it('does not hide a change that happened during the outage', async () => {
    site = new Site().start();
    await site.apply(dynamic('web'));
    await site.ready('web');
    cut();
    await site.clock.advance(600_000);
    await site.sim('services/web/edit', { image: 'telemetry@1.1.0#sylixos' });
    await site.clock.advance(60_000);
    site.simulator.link.heal();
    await site.clock.advance(40_000);
    await site.ready('web');
    expect(site.platform.serviceNamed('web')?.image.ref).toBe('telemetry@1.0.0#sylixos');
  });

  it('may be unreachable from the start', async () => {
    site = new Site();
    cut();
    site.start();
    await site.apply(dynamic('web'));
    await site.clock.advance(120_000);
    expect(await site.condition('web', 'PlatformReachable')).toBe('False Unreachable');
    site.simulator.link.heal();
    await site.ready('web');
    expect(site.shown()).toEqual(['web x3']);
  });
});

it('a short outage is written into no status', async () => {
  site = new Site({ settings: { callTimeoutMs: 2_000 } }).start();
  await site.apply(dynamic('web'));
  await site.ready('web');
  await site.clock.advance(60_000);
  const revision = await site.registry.revision();
  cut();
  await site.clock.until(() => site.operator.breaker.state === 'unreachable');
  await site.clock.advance(3_000);
  site.simulator.link.heal();
  await site.clock.advance(60_000);
  expect(site.operator.breaker.state).toBe('reachable');
  expect(await site.registry.revision()).toBe(revision);
});

it.each([1, 2, 3])('a link that loses a fifth of all calls only slows it down (seed %i)', async (seed) => {
  site = new Site({ seed, settings: { callTimeoutMs: 1_000 } }).start();
  site.simulator.link.set({ lossPercent: 10, answerLossPercent: 10, latencyMs: 300 });
  for (let number = 1; number <= 5; number++) await site.apply(dynamic(`web-${number}`, {}, 2));
  await site.clock.until(() => site.operator.settled(), 900_000);
  await site.edit('web-1', { spec: { deploymentStrategy: { replicas: 1 } } });
  await site.services.delete('web-2');
  await site.clock.advance(2_000);
  await site.clock.until(() => site.operator.settled(), 900_000);
  expect(site.shown().sort()).toEqual(['web-1 x1', 'web-3 x2', 'web-4 x2', 'web-5 x2']);
  const created = site.simulator.journal
    .entries()
    .filter(({ endpoint, code, fate }) => endpoint === 'POST /service' && code === 200 && fate !== 'request lost');
  expect(created).toHaveLength(5);
});

it('a former leader sends no write that was waiting for a slot', async () => {
  let arrive = () => {};
  const first = new Promise<void>((resolve) => (arrive = resolve));
  let open = () => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  site = new Site({
    settings: { inFlightMax: 1 },
    through: (transport) => ({
      ...transport,
      async send(request, options) {
        if (request.method !== 'GET') {
          arrive();
          await gate;
        }
        return transport.send(request, options);
      },
    }),
  });
  const { registry } = site;
  for (let number = 1; number <= 5; number++) await site.apply(dynamic(`web-${number}`, {}, 1));
  site.start(registry.fencedBy(await registry.raiseFence('test')));
  await site.clock.until(() => site.operator.breaker.isBusy);
  await first;
  await site.clock.advance(1_000);
  await registry.raiseFence('test');
  open();
  const ended = await site.stop().catch((error: unknown) => error);
  expect(isApiError(ended, 'Fenced')).toBe(true);
  // Only the one that was in flight already.
  expect(site.writesSince(0)).toEqual(['POST /service']);
});

it('a link behind a proxy that asks for credentials recovers from an outage', async () => {
  const refusal = { status: 401, headers: {}, body: new TextEncoder().encode('<html>Unauthorized') };
  site = new Site({
    headers: { authorization: 'Bearer 1' },
    through: (transport) => ({
      ...transport,
      send: async (request, options) =>
        request.headers['authorization'] === 'Bearer 1' ? transport.send(request, options) : refusal,
    }),
  }).start();
  await site.apply(dynamic('web'));
  await site.ready('web');
  cut();
  await site.clock.until(() => site.operator.breaker.state === 'unreachable');
  site.simulator.link.heal();
  await site.clock.until(() => site.operator.breaker.state === 'reachable');
});

it('a deletion that waits for the link ends when the service is to be left on the platform', async () => {
  site = new Site().start();
  await site.apply(dynamic('web'));
  await site.ready('web');
  cut();
  await site.clock.advance(60_000);
  await site.services.delete('web');
  await site.clock.advance(60_000);
  await site.edit('web', { metadata: { annotations: { 'ecsm.sh/orphan': 'true' } } });
  await site.clock.until(async () => (await site.get('web')) === undefined, 5_000);
  expect(site.shown()).toEqual(['web x3']);
});

describe('a proxy that does not know a path', () => {
  it('does not end a deletion: the service is still on the platform', async () => {
    let isWrong = false;
    const body = new TextEncoder().encode('<html>Not Found</html>');
    site = new Site({
      through: (transport) => ({
        ...transport,
        send: (request, options) =>
          isWrong && /\/service\/(?!summary$)[^/?]+$/u.test(request.target)
            ? Promise.resolve({ status: 404, headers: {}, body })
            : transport.send(request, options),
      }),
    }).start();
    await site.apply(dynamic('web'));
    await site.ready('web');
    isWrong = true;
    await site.services.delete('web');
    await site.clock.advance(120_000);
    expect(await site.get('web')).toBeDefined();
    isWrong = false;
    await site.clock.until(async () => (await site.get('web')) === undefined, 400_000);
    expect(site.shown()).toEqual([]);
  });
});
