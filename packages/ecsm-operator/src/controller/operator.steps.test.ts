/** Steps on a simulated platform: the status is written before the call, and a refused call is retried with backoff. */
import type { Transport } from '@ecsm/client';
import { ApiError, EmbeddedRegistry, Event } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { afterEach, describe, expect, it } from 'vitest';
import { operatorKinds } from '../apis/kinds.ts';
import { dynamic, Site } from './operator.kit.ts';

let site: Site;
afterEach(() => site.stop());

describe('a call that the platform refuses', () => {
  it('is retried soon if the call before it was accepted', async () => {
    site = new Site().start();
    const tags = ['1.0.0', '2.0.0'];
    const push = (tag: string) => site.platform.pushImage({ name: 'nothing', tag, os: 'sylixos', sizeBytes: 1000 });
    await site.apply(dynamic('web', { template: { image: `nothing@${tags[0]}#sylixos` } }));
    await site.clock.advance(1_800_000);
    push('1.0.0');
    await site.ready('web', 600_000);
    await site.edit('web', { spec: { template: { image: `nothing@${tags[1]}#sylixos` } } });
    await site.clock.until(async () => (await site.condition('web', 'Degraded')) === 'True PlatformRefused', 60_000);
    push('2.0.0');
    await site.ready('web', 60_000);
    expect(site.platform.serviceNamed('web')?.image.ref).toBe('nothing@2.0.0#sylixos');
  });

  it('is named until it is accepted, by one reason and in English', async () => {
    site = new Site().start();
    await site.apply(dynamic('web'));
    await site.ready('web');
    await site.edit('web', { spec: { template: { image: 'nothing@9.0.0#sylixos' } } });
    await site.clock.until(async () => (await site.condition('web', 'Degraded')) !== 'False AsExpected', 60_000);
    for (let minute = 0; minute < 30; minute++) {
      expect(await site.condition('web', 'Degraded')).toBe('True PlatformRefused');
      expect((await site.get('web'))?.status?.refusal).toMatchObject({
        code: 34004,
        message: expect.stringMatching(
          /refused to update the service .*: the image does not exist: "镜像ID不存在.*34004/,
        ),
      });
      await site.clock.advance(60_000);
    }
    expect(await site.condition('web', 'Progressing')).toBe('False ProgressDeadlineExceeded');
    const events = await site.events();
    expect(events.filter((line) => line.startsWith('ProgressDeadlineExceeded'))).toHaveLength(1);
    expect(events.some((line) => line.startsWith('NotKept'))).toBe(false);
    site.platform.pushImage({ name: 'nothing', tag: '9.0.0', os: 'sylixos', sizeBytes: 1000 });
    await site.ready('web', 900_000);
    expect(await site.condition('web', 'Degraded')).toBe('False AsExpected');
    expect((await site.get('web'))?.status?.refusal).toBeUndefined();
  });

  it('is forgotten when the spec changes', async () => {
    site = new Site().start();
    await site.apply(dynamic('web'));
    await site.ready('web');
    await site.edit('web', { spec: { template: { image: 'nothing@9.0.0#sylixos' } } });
    await site.clock.until(async () => (await site.condition('web', 'Degraded')) === 'True PlatformRefused', 60_000);
    await site.edit('web', { spec: { template: { image: 'telemetry@1.0.0#sylixos' } } });
    await site.ready('web', 60_000);
    expect(await site.condition('web', 'Degraded')).toBe('False AsExpected');
    expect((await site.get('web'))?.status?.refusal).toBeUndefined();
  });

  it('is an event also if the next plan tries another one: the instance was not started', async () => {
    const refusal = { status: 39999, message: 'not now', data: null, fieldErrors: null };
    const through = (transport: Transport): Transport => ({
      close: () => transport.close(),
      async send(request, options) {
        if (request.method !== 'PUT') return transport.send(request, options);
        return { status: 200, headers: {}, body: new TextEncoder().encode(JSON.stringify(refusal)) };
      },
    });
    site = new Site({ through }).start();
    await site.apply(dynamic('web', {}, 1));
    await site.ready('web');
    await site.sim('services/web/pause');
    await site.clock.advance(60_000);
    const events = await site.events();
    expect(events.some((line) => line.startsWith('Unpaused'))).toBe(false);
    expect(events).toContainEqual(
      expect.stringMatching(
        /^PlatformRefused: the platform refused to unpause an instance .*"not now" \(code 39999\)$/u,
      ),
    );
    expect(await site.condition('web', 'Degraded')).toBe('True InstancePaused');
  });

  it('is not reported if the platform accepts it: the event says that the instance runs again', async () => {
    site = new Site().start();
    await site.apply(dynamic('web', {}, 1));
    await site.ready('web');
    await site.sim('services/web/pause');
    await site.clock.advance(60_000);
    const events = await site.events();
    expect(events.filter((line) => line.startsWith('Unpaused'))).toHaveLength(1);
    expect(events.some((line) => line.startsWith('PlatformRefused'))).toBe(false);
  });

  it('starts no deletion, so the service counts as before', async () => {
    let isRefusing = true;
    const refusal = { status: 39999, message: 'not now', data: null, fieldErrors: null };
    const through = (transport: Transport): Transport => ({
      close: () => transport.close(),
      async send(request, options) {
        const answer = await transport.send(
          isRefusing && request.method === 'DELETE' ? { ...request, method: 'GET' } : request,
          options,
        );
        if (!isRefusing || request.method !== 'DELETE') return answer;
        return { ...answer, body: new TextEncoder().encode(JSON.stringify(refusal)) };
      },
    });
    const updateStrategy = { type: 'RollingUpdate' } as const;
    site = new Site({ through }).start();
    await site.apply(dynamic('web', { updateStrategy }));
    await site.ready('web');
    await site.edit('web', { spec: { template: { image: 'telemetry@1.1.0#sylixos' } } });
    await site.clock.until(async () => (await site.condition('web', 'Degraded')) === 'True PlatformRefused', 120_000);
    expect((await site.get('web'))?.status?.removals).toBeUndefined();
    isRefusing = false;
    await site.ready('web', 600_000);
    expect(site.shown()).toHaveLength(1);
  });
});

describe('a call without an answer', () => {
  it('counts as sent: instances of a service whose deletion may have started do not count as ready', async () => {
    const asked: string[] = [];
    const through = (transport: Transport): Transport => ({
      close: () => transport.close(),
      async send(request, options) {
        const id = request.method === 'DELETE' ? request.target.split('/').at(-1) : undefined;
        if (id === undefined || asked.includes(id)) return transport.send(request, options);
        asked.push(id);
        await transport.send(request, options);
        throw new ApiError('Timeout', { what: 'the platform', timeoutMs: 1 });
      },
    });
    site = new Site({ through, behaviour: { deleteMs: 30_000 } }).start();
    await site.apply(dynamic('web', { updateStrategy: { type: 'RollingUpdate' } }));
    await site.ready('web');
    const old = site.platform.serviceNamed('web')?.id;
    await site.edit('web', { spec: { template: { image: 'telemetry@1.1.0#sylixos' } } });
    await site.clock.until(() => asked.length > 0, 120_000);
    await site.clock.advance(100);
    expect(asked).toEqual([old]);
    expect((await site.get('web'))?.status?.removals).toMatchObject([{ id: old }]);
    await site.ready('web', 120_000);
  });
});

describe('a creation without an answer', () => {
  it('is waited for by a deletion, which deletes what appears late', async () => {
    const held: (() => Promise<unknown>)[] = [];
    const through = (transport: Transport): Transport => ({
      close: () => transport.close(),
      async send(request, options) {
        if (request.method !== 'POST' || request.target !== '/api/v1/service') return transport.send(request, options);
        held.push(() => transport.send(request, { ...options, signal: new AbortController().signal }));
        throw new ApiError('Timeout', { what: 'the platform', timeoutMs: 1 });
      },
    });
    site = new Site({ through }).start();
    await site.clock.advance(600_000);
    await site.apply(dynamic('web'));
    await site.clock.until(() => held.length > 0);
    await site.services.delete('web');
    await site.clock.advance(1_000);
    expect(await site.get('web')).toBeDefined();
    await held[0]?.();
    expect(site.shown()).toEqual(['web x3']);
    await site.clock.until(async () => (await site.get('web')) === undefined, 120_000);
    await site.clock.until(() => site.shown().length === 0, 120_000);
  });
});

describe('a deletion that takes the platform some time', () => {
  it('is one call and one event', async () => {
    site = new Site({ behaviour: { deleteMs: 10_000 } }).start();
    await site.apply(dynamic('web', { updateStrategy: { type: 'RollingUpdate' } }));
    await site.ready('web');
    const calls = site.simulator.journal.last;
    await site.edit('web', { spec: { template: { image: 'telemetry@1.1.0#sylixos' } } });
    await site.ready('web', 120_000);
    await site.clock.advance(60_000);
    expect(site.writesSince(calls).filter((call) => call.startsWith('DELETE'))).toHaveLength(1);
    const { items } = await site.registry.resource(Event).list();
    const removed = items.map(Event.fieldsOf).filter(({ reason }) => reason === 'Removed');
    expect(removed.map(({ count }) => count)).toEqual([1]);
  });
});

describe('a status that cannot be written', () => {
  it('prevents platform calls until it can be written', async () => {
    site = new Site();
    let isFailing = false;
    const { store, clock } = site.registry;
    const failing = new Proxy(store, {
      get(target, name) {
        if (name === 'commit' && isFailing) {
          return () => Promise.reject(new ApiError('Unavailable', { what: 'the store', reason: 'the disk is full' }));
        }
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    site.start(new EmbeddedRegistry({ store: failing, kinds: operatorKinds, clock, random: new SeededRandom(3) }));
    await site.apply(dynamic('web'));
    await site.ready('web');
    await site.clock.advance(20_000);
    isFailing = true;
    const calls = site.simulator.journal.last;
    await site.edit('web', { spec: { deploymentStrategy: { replicas: 2 } } });
    await site.clock.advance(60_000);
    expect(site.writesSince(calls)).toEqual([]);
    isFailing = false;
    await site.ready('web');
    expect(site.writesSince(calls)).toEqual(['PUT /service']);
    expect(site.shown()).toEqual(['web x2']);
  });
});
