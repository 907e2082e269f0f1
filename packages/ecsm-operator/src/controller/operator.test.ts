/** Services on a simulated platform: they follow the registry. */

import type { Transport, WireResponse } from '@ecsm/client';
import { ApiError, MetricRegistry } from '@ecsm/runtime';
import { profiles as behaviours } from '@ecsm/simulator';
import { afterEach, describe, expect, it } from 'vitest';
import { ECSMService } from '../apis/ecsm-service.ts';
import { ServiceRevision } from '../apis/service-revision.ts';
import { dynamic, fixed, Site, type SiteOptions } from './operator.kit.ts';

let site: Site;
afterEach(() => site.stop());

function open(options?: SiteOptions): Site {
  site = new Site(options).start();
  return site;
}

/** A service that is there and at rest. */
async function opened(input = dynamic('web'), options?: SiteOptions): Promise<void> {
  open(options);
  await site.apply(input);
  await site.ready(input.metadata.name);
}

/** Every stored version of a service, the oldest first; not of earlier services of the same name. */
async function versionsOf(name: string) {
  const last = await site.get(name);
  const versions: { readonly hasFinalizer: boolean; readonly hasStatus: boolean }[] = [];
  for await (const { resourceVersion, events } of site.registry.resource(ECSMService).watch({ resourceVersion: '0' })) {
    for (const event of events) {
      if (!('object' in event) || event.object.metadata.uid !== last?.metadata.uid) continue;
      const { metadata, status } = event.object;
      versions.push({ hasFinalizer: metadata.finalizers !== undefined, hasStatus: status !== undefined });
    }
    if (resourceVersion === last?.metadata.resourceVersion) return versions;
  }
  return versions;
}

const image = (name = 'web') => site.platform.serviceNamed(name)?.image.ref;

describe.each(['likely', 'contrary'] as const)('on a platform that is %s', (behaviour) => {
  it('creates a service, and reports it as available when its instances run', async () => {
    await opened(dynamic('web'), { behaviour });
    const service = await site.get('web');
    expect(service?.status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      updatedReplicas: 3,
      unavailableReplicas: 0,
      platformName: 'web',
      underlyingServiceID: site.platform.serviceNamed('web')?.id,
    });
    expect(await site.condition('web', 'PlatformReachable')).toBe('True Reachable');
    expect(await site.condition('web', 'Degraded')).toBe('False AsExpected');
    expect(service?.metadata.finalizers).toEqual(['ecsm.sh/platform-service']);
    expect(site.shown()).toEqual(['web x3']);
    expect(site.writesSince(0)).toEqual(['POST /service']);
    expect(await site.events()).toContain('Created: created web');
  });

  it('stores the finalizer of a new service with its first status, before it calls the platform', async () => {
    let atFirstCall: unknown;
    const through = (transport: Transport): Transport => ({
      ...transport,
      send: async (request, options) => {
        if (request.method === 'POST') atFirstCall ??= await site.get('web');
        return transport.send(request, options);
      },
    });
    await opened(dynamic('web'), { behaviour, through });
    expect(atFirstCall).toMatchObject({
      metadata: { finalizers: ['ecsm.sh/platform-service'] },
      status: { observedGeneration: 1, readyReplicas: 0 },
    });
    expect((await versionsOf('web')).slice(0, 2)).toEqual([
      { hasFinalizer: false, hasStatus: false },
      { hasFinalizer: true, hasStatus: true },
    ]);
  });

  it('does so for a service that is recreated right after its creation, too', async () => {
    let isRecreated = false;
    const through = (transport: Transport): Transport => ({
      ...transport,
      send: async (request, options) => {
        const response = await transport.send(request, options);
        if (request.method === 'POST' && !isRecreated) {
          isRecreated = true;
          await site.edit('web', { metadata: { finalizers: null } });
          await site.registry.resource(ECSMService).delete('web');
          await site.apply(dynamic('web'));
        }
        return response;
      },
    });
    await opened(dynamic('web'), { behaviour, through });
    expect((await versionsOf('web')).slice(0, 2)).toEqual([
      { hasFinalizer: false, hasStatus: false },
      { hasFinalizer: true, hasStatus: true },
    ]);
    const { items } = await site.registry.resource(ServiceRevision).list();
    const uid = (await site.get('web'))?.metadata.uid;
    expect(items.some(({ metadata }) => metadata.ownerReferences?.[0]?.uid === uid)).toBe(true);
  });

  it('does nothing for a settled service', async () => {
    await opened(dynamic('web'), { behaviour });
    await site.clock.advance(60_000);
    const before = await site.registry.revision();
    const calls = site.simulator.journal.last;
    await site.clock.advance(3_600_000);
    expect(site.writesSince(calls)).toEqual([]);
    expect(await site.registry.revision()).toBe(before);
  });

  it('scales up, down, to 0 and back', async () => {
    await opened(dynamic('web'), { behaviour });
    for (const replicas of [2, 3, 1]) {
      await site.edit('web', { spec: { deploymentStrategy: { replicas } } });
      await site.ready('web');
      expect(site.statuses('web')).toEqual(Array.from({ length: replicas }, () => 'running'));
    }
    await site.edit('web', { spec: { deploymentStrategy: { replicas: 0 } } });
    await site.ready('web');
    expect(site.statuses('web')).toEqual([]);
    expect((await site.get('web'))?.status).toMatchObject({ replicas: 0, readyReplicas: 0 });
    const calls = site.simulator.journal.last;
    await site.clock.advance(600_000);
    expect(site.writesSince(calls)).toEqual([]);
    await site.edit('web', { spec: { deploymentStrategy: { replicas: 2 } } });
    await site.ready('web');
    expect(site.statuses('web')).toEqual(['running', 'running']);
  });

  it('changes the image in place with one update, and the name stays', async () => {
    await opened(dynamic('web'), { behaviour });
    const calls = site.simulator.journal.last;
    await site.edit('web', { spec: { template: { image: 'telemetry@1.1.0#sylixos' } } });
    await site.ready('web');
    expect(image()).toBe('telemetry@1.1.0#sylixos');
    expect(site.writesSince(calls)).toEqual(['PUT /service']);
    expect(site.shown()).toEqual(['web x3']);
  });

  it('corrects manual changes, and recreates deleted services', async () => {
    await opened(fixed('web', { template: { image: 'telemetry@1.0.0', env: [{ name: 'RATE', value: '10' }] } }), {
      behaviour,
    });
    for (const edit of [
      { image: 'telemetry@1.1.0#sylixos' },
      { env: { RATE: '99' } },
      { env: { EXTRA: '1' } },
      { nodeNames: ['node-1'] },
      { autoUpgrade: 'Always' },
    ]) {
      await site.sim('services/web/edit', edit);
      await site.clock.advance(17_000);
      await site.ready('web');
      const service = site.platform.serviceNamed('web');
      expect(service?.nodeNames).toEqual(['node-1', 'node-2', 'node-3']);
      expect(service?.image).toMatchObject({ ref: 'telemetry@1.0.0#sylixos', autoUpgrade: 'Never' });
      const env = JSON.stringify(service?.image.config);
      expect(env).toContain('RATE=10');
      expect(env).not.toContain('EXTRA');
      // A difference that returns is corrected with backoff.
      await site.clock.advance(30_000);
    }
    await site.sim('services/web', {}, 'DELETE');
    await site.clock.advance(20_000);
    await site.ready('web');
    expect(site.statuses('web')).toEqual(['running', 'running', 'running']);
  });

  it('starts stopped instances, and unpauses paused ones', async () => {
    await opened(dynamic('web'), { behaviour });
    await site.sim('services/web/stop');
    await site.clock.advance(5_000);
    await site.clock.until(() => site.statuses('web').every((status) => status === 'running'), 90_000);
    await site.ready('web');
    await site.sim('services/web/pause');
    await site.clock.advance(5_000);
    await site.clock.until(() => site.statuses('web').every((status) => status === 'running'), 90_000);
    await site.ready('web');
  });

  it('deletes, and releases the object only when the platform lists no service of it', async () => {
    await opened(dynamic('web'), { behaviour: { ...behaviours[behaviour], deleteMs: 9_000 } });
    await site.clock.advance(20_000);
    await site.services.delete('web');
    const calls = site.simulator.journal.last;
    await site.clock.advance(6_000);
    expect(site.shown()).toHaveLength(1);
    expect(await site.get('web')).toBeDefined();
    await site.clock.until(async () => (await site.get('web')) === undefined, 30_000);
    expect(site.shown()).toEqual([]);
    expect(site.writesSince(calls)).toEqual(['DELETE /service/:id']);
    const { items } = await site.registry.resource(ServiceRevision).list();
    expect(items).toEqual([]);
  });
});

describe('a service of the same name that is not ours', () => {
  const foreign = async () => {
    open();
    site.platform.createService({
      name: 'web',
      image: {
        ref: 'nginx@1.0.0#linux',
        action: 'run',
        config: {},
        vsoa: null,
        pullPolicy: 'IfNotPresent',
        autoUpgrade: 'Never',
      },
      nodeNames: ['node-4'],
      factor: 1,
      policy: 'static',
      prepull: false,
    } as never);
    await site.clock.advance(20_000);
    await site.apply(dynamic('web'));
    await site.clock.advance(60_000);
  };

  it('is not changed, and is reported in the conditions', async () => {
    await foreign();
    expect(await site.condition('web', 'Available')).toBe('False ForeignService');
    expect(site.writesSince(0)).toEqual([]);
    await site.services.delete('web');
    await site.clock.until(async () => (await site.get('web')) === undefined, 30_000);
    expect(site.shown()).toEqual(['web x1']);
    expect(site.writesSince(0)).toEqual([]);
  });

  it('is adopted when the annotation is set', async () => {
    await foreign();
    await site.edit('web', { metadata: { annotations: { 'ecsm.sh/adopt': 'true' } } });
    await site.ready('web');
    expect(image()).toBe('telemetry@1.0.0#sylixos');
    expect(site.writesSince(0)).toEqual(['PUT /service']);
    expect(await site.events()).toEqual(expect.arrayContaining([expect.stringMatching(/^Adopted: /)]));
  });

  it('is detected when it is deleted, and then replaced', async () => {
    await foreign();
    await site.sim('services/web', {}, 'DELETE');
    await site.clock.advance(20_000);
    await site.ready('web');
    expect(image()).toBe('telemetry@1.0.0#sylixos');
  });
});

describe('a creation whose response is lost', () => {
  it('is found by its mark, and not repeated', async () => {
    open();
    site.simulator.link.set({ answersToLose: 1, match: { method: 'POST', path: '/api/v1/service' } });
    await site.apply(dynamic('web'));
    await site.ready('web');
    expect(site.shown()).toEqual(['web x3']);
    expect(site.writesSince(0)).toEqual(['POST /service']);
  });

  it('is deleted when its owner is deleted before it takes effect', async () => {
    open();
    // The platform delays the request until its caller has timed out.
    site.simulator.link.set({ frozen: true, match: { method: 'POST', path: '/api/v1/service' } });
    await site.apply(dynamic('web'));
    await site.clock.advance(5_000);
    await site.services.delete('web');
    const goneMs = await site.clock.until(async () => (await site.get('web')) === undefined, 120_000);
    // It is given as long again as the call was.
    expect(goneMs).toBeGreaterThan(14_000);
    site.simulator.link.heal();
    await site.clock.advance(60_000);
    expect(site.shown()).toEqual([]);
  });
});

describe('before something is changed', () => {
  it('everything that it depends on is read again', async () => {
    await opened();
    await site.clock.advance(20_000);
    const calls = site.simulator.journal.last;
    await site.edit('web', { spec: { deploymentStrategy: { replicas: 2 } } });
    await site.clock.advance(100);
    const made = site.simulator.journal.entries(calls).map(({ endpoint, target }) => `${endpoint} ${target}`);
    const change = made.findIndex((call) => call.startsWith('PUT /service'));
    expect(change).toBeGreaterThan(0);
    const before = made.slice(0, change).join('\n');
    expect(before).toContain('/service?name=web');
    expect(before).toContain('GET /node ');
  });

  it('a stale response is not used', async () => {
    let past: WireResponse | undefined;
    let isOld = false;
    const through = (transport: Transport): Transport => ({
      close: () => transport.close(),
      async send(request, options) {
        const isDetail = request.method === 'GET' && /\/service\/[0-9a-f-]{30,}$/.test(request.target);
        if (isOld && isDetail && past) return past;
        const answer = await transport.send(request, options);
        if (isDetail && !isOld && Buffer.from(answer.body).includes('1.1.0')) past = answer;
        return answer;
      },
    });
    await opened(dynamic('web'), { through });
    await site.sim('services/web/edit', { image: 'telemetry@1.1.0#sylixos' });
    await site.clock.advance(20_000);
    await site.ready('web');
    expect(past).toBeDefined();
    await site.clock.advance(60_000);
    isOld = true;
    const calls = site.simulator.journal.last;
    await site.edit('web', { metadata: { annotations: { 'ecsm.sh/adopt': 'true' } } });
    await site.clock.advance(20_000);
    expect(site.writesSince(calls)).toEqual([]);
    isOld = false;
    await site.ready('web');
    expect(site.writesSince(calls)).toEqual([]);
    expect(image()).toBe('telemetry@1.0.0#sylixos');
  });
});

describe('what the platform refuses', () => {
  it('is reported, and retried with backoff', async () => {
    open();
    await site.apply(dynamic('web', { template: { image: 'nothing@1.0.0#sylixos' } }));
    await site.clock.advance(5_000);
    expect(await site.condition('web', 'Degraded')).toBe('True PlatformRefused');
    await site.clock.advance(3_600_000);
    const refused = site.writesSince(0).length;
    expect(refused).toBeGreaterThan(5);
    expect(refused).toBeLessThan(25);
    site.platform.pushImage({ name: 'nothing', tag: '1.0.0', os: 'sylixos', sizeBytes: 1000 });
    await site.ready('web', 600_000);
    expect(await site.condition('web', 'Degraded')).toBe('False AsExpected');
  });

  it.each([
    [200, '{"status":404,"message":"no such image","data":null,"fieldErrors":null}'],
    [404, 'Not Found'],
  ])('with 404 is not taken for something that changed in the meantime (HTTP %s)', async (status, text) => {
    let attempts = 0;
    const through = (transport: Transport): Transport => ({
      close: () => transport.close(),
      async send(request, options) {
        if (request.method === 'GET') return transport.send(request, options);
        attempts++;
        return { status, headers: {}, body: new TextEncoder().encode(text) };
      },
    });
    site = new Site({ through }).start();
    await site.apply(dynamic('web'));
    await site.clock.advance(300_000);
    expect(await site.condition('web', 'Degraded')).toBe('True PlatformRefused');
    expect(attempts).toBeLessThan(12);
  });

  it.each([31_006, 409])('again and again as if something had changed is reported (code %s)', async (code) => {
    let attempts = 0;
    const body = new TextEncoder().encode(JSON.stringify({ status: code, message: 'taken', data: null }));
    const through = (transport: Transport): Transport => ({
      close: () => transport.close(),
      async send(request, options) {
        if (request.method === 'GET') return transport.send(request, options);
        attempts++;
        return { status: 200, headers: {}, body };
      },
    });
    site = new Site({ through }).start();
    await site.apply(dynamic('web'));
    await site.clock.advance(20_000);
    expect(await site.condition('web', 'Degraded')).toBe('False AsExpected');
    await site.clock.advance(580_000);
    expect(await site.condition('web', 'Degraded')).toBe('True PlatformRefused');
    expect(attempts).toBeLessThan(30);
  });

  it('keeps its message within the limit of a condition', async () => {
    const fieldErrors = { image: 'x'.repeat(40_000) };
    const body = new TextEncoder().encode(JSON.stringify({ status: 31_001, message: 'no', data: null, fieldErrors }));
    const through = (transport: Transport): Transport => ({
      close: () => transport.close(),
      send: (request, options) =>
        request.method === 'GET'
          ? transport.send(request, options)
          : Promise.resolve({ status: 200, headers: {}, body }),
    });
    site = new Site({ through }).start();
    await site.apply(dynamic('web'));
    await site.clock.advance(5_000);
    expect(await site.condition('web', 'Degraded')).toBe('True PlatformRefused');
  });
});

describe('instances as the platform reports them', () => {
  it('have numbers and texts that a status can have', async () => {
    const change = { restartCnt: -1, deployStatus: 'failure', failedMessage: 'x'.repeat(40_000) };
    const through = (transport: Transport): Transport => ({
      close: () => transport.close(),
      async send(request, options) {
        const answer = await transport.send(request, options);
        if (!request.target.includes('/container/')) return answer;
        const whole = JSON.parse(new TextDecoder().decode(answer.body));
        const list = whole.data.list.map((row: object) => ({ ...row, ...change }));
        const body = new TextEncoder().encode(JSON.stringify({ ...whole, data: { ...whole.data, list } }));
        return { ...answer, body };
      },
    });
    site = new Site({ through }).start();
    await site.apply(dynamic('web'));
    await site.clock.advance(30_000);
    expect(await site.condition('web', 'Degraded')).toBe('True DeploymentFailed');
    expect((await site.get('web'))?.status).toMatchObject({ replicas: 3, healing: { attempts: 1 } });
  });
});

describe('an operator that is not the leader any more', () => {
  it('sends nothing to the platform, even if its status already contains the attempt', async () => {
    let isLost = false;
    let attempts = 0;
    const through = (transport: Transport): Transport => ({
      close: () => transport.close(),
      async send(request, options) {
        if (!isLost || request.method === 'GET') return transport.send(request, options);
        attempts++;
        throw new ApiError('Unavailable', { what: 'the platform', reason: 'the request was lost' });
      },
    });
    site = new Site({ through });
    site.start(site.registry.fencedBy(await site.registry.raiseFence('leader')));
    await site.apply(dynamic('web'));
    await site.ready('web');
    isLost = true;
    await site.services.delete('web');
    await site.clock.advance(20_000);
    const before = await site.get('web');
    const attemptsBefore = attempts;
    await site.clock.advance(20_000);
    // It tries again and again, and there is nothing new to write down.
    expect(attempts).toBeGreaterThan(attemptsBefore);
    expect(await site.get('web')).toEqual(before);
    await site.registry.raiseFence('leader');
    const attemptsThen = attempts;
    await site.clock.advance(600_000);
    expect(attempts).toBe(attemptsThen);
    await expect(site.stop()).rejects.toMatchObject({ code: 'Fenced' });
  });

  it('has no metrics of services, which would stay as they were', async () => {
    const metrics = new MetricRegistry();
    site = new Site({ metrics });
    site.start();
    await site.apply(dynamic('web'));
    await site.ready('web');
    expect(metrics.render()).toContain('ecsm_service_available{namespace="default",name="web"} 1');
    await site.stop();
    expect(metrics.render()).not.toContain('name="web"');
  });
});

describe('a finalizer of the operator that was removed', () => {
  it('is restored, so that a deletion still deletes the service on the platform', async () => {
    await opened();
    await site.clock.advance(20_000);
    const calls = site.simulator.journal.last;
    await site.edit('web', { metadata: { finalizers: ['example.com/other'] } });
    await site.clock.advance(1_000);
    expect((await site.get('web'))?.metadata.finalizers).toEqual(['example.com/other', 'ecsm.sh/platform-service']);
    expect(site.writesSince(calls)).toEqual([]);
    await site.edit('web', { metadata: { finalizers: [] } });
    await site.clock.advance(1_000);
    expect((await site.get('web'))?.metadata.finalizers).toEqual(['ecsm.sh/platform-service']);
    await site.services.delete('web');
    await site.clock.until(async () => (await site.get('web')) === undefined, 60_000);
    expect(site.shown()).toEqual([]);
  });

  it('is not restored on an object that is being deleted', async () => {
    await opened();
    await site.edit('web', { metadata: { finalizers: ['example.com/other', 'ecsm.sh/platform-service'] } });
    await site.services.delete('web');
    await site.clock.until(() => site.shown().length === 0, 60_000);
    await site.clock.advance(60_000);
    expect((await site.get('web'))?.metadata.finalizers).toEqual(['example.com/other']);
  });
});

describe('two services', () => {
  it('in different namespaces have different names on the platform', async () => {
    open();
    await site.apply(dynamic('web', {}, 1));
    await site.apply({ ...dynamic('web', {}, 2), metadata: { name: 'web', namespace: 'lab' } });
    await site.clock.until(async () => (await site.operator.unsettled()).length === 0);
    expect(site.shown().sort()).toEqual(['lab.web x2', 'web x1']);
    await site.services.delete('web', { namespace: 'lab' });
    await site.clock.until(async () => (await site.get('web', 'lab')) === undefined, 60_000);
    expect(site.shown()).toEqual(['web x1']);
  });
});

describe('an operator that is restarted', () => {
  it('changes nothing if nothing changed', async () => {
    await opened();
    await site.stop();
    const calls = site.simulator.journal.last;
    const before = await site.registry.revision();
    site.start();
    await site.clock.until(() => site.operator.settled());
    await site.clock.advance(60_000);
    expect(site.writesSince(calls)).toEqual([]);
    expect(await site.registry.revision()).toBe(before);
  });

  it('detects changes that happened in the meantime', async () => {
    await opened();
    await site.stop();
    await site.sim('services/web/edit', { image: 'telemetry@1.1.0#sylixos' });
    await site.clock.advance(20_000);
    site.start();
    await site.ready('web');
    expect(image()).toBe('telemetry@1.0.0#sylixos');
  });
});

describe('planFor', () => {
  it('returns the plan, and performs nothing', async () => {
    open();
    await site.stop();
    await site.apply(dynamic('web'));
    const before = await site.registry.revision();
    const plan = await site.operator.planFor('default', 'web');
    expect(plan.steps.map((step) => step.do)).toEqual(['create']);
    expect(site.writesSince(0)).toEqual([]);
    expect(await site.registry.revision()).toBe(before);
    await expect(site.operator.planFor('default', 'nobody')).rejects.toThrow('not found');
  });

  it('does so while a pass is at rest, of what the platform has now', async () => {
    await opened();
    const before = await site.registry.revision();
    expect((await site.operator.planFor('default', 'web')).steps).toEqual([]);
    await site.sim('services/web/edit', { factor: 1 });
    expect((await site.operator.planFor('default', 'web')).steps).toMatchObject([{ do: 'update' }]);
    expect(await site.registry.revision()).toBe(before);
  });

  it('has no steps for a service that is to stay on the platform', async () => {
    await opened(dynamic('web'));
    await site.stop();
    await site.edit('web', { metadata: { annotations: { 'ecsm.sh/orphan': 'true' } } });
    await site.services.delete('web');
    expect((await site.operator.planFor('default', 'web')).steps).toEqual([]);
  });

  it('fails with the error of the platform', async () => {
    open({
      through: ({ close }) => ({
        close,
        send: () => Promise.reject(new ApiError('Timeout', { what: 'it', timeoutMs: 1 })),
      }),
    });
    await site.stop();
    await site.apply(dynamic('web'));
    await expect(site.clock.run(site.operator.planFor('default', 'web'))).rejects.toThrow(
      'the platform is unavailable',
    );
  });
});
