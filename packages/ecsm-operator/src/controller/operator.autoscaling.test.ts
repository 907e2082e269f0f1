/** Autoscaling in a complete system: load on the simulated platform, the operator, and what both end with. */
import { countOf, Event, isApiError } from '@ecsm/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { ECSMHpa, type ECSMHpaInput } from '../apis/hpa.ts';
import { dynamic, fixed, Site, type SiteOptions } from './operator.kit.ts';

let site: Site;
afterEach(() => site.stop());

const minute = 60_000;
const cpu = (averageUtilization: number) => ({
  type: 'Resource' as const,
  resource: { name: 'cpu' as const, target: { type: 'Utilization' as const, averageUtilization } },
});

async function started(replicas = 2, options: SiteOptions = {}): Promise<Site> {
  site = new Site(options).start();
  await site.apply(dynamic('web', {}, replicas));
  await site.ready('web');
  return site;
}

function autoscale(change: Partial<ECSMHpaInput['spec']> = {}, name = 'web', target = name): Promise<ECSMHpa> {
  return site.registry.resource(ECSMHpa).create({
    metadata: { name },
    spec: { scaleTargetRef: { kind: 'ECSMService', name: target }, maxReplicas: 8, metrics: [cpu(60)], ...change },
  });
}

const replicas = async (name = 'web') => (await site.get(name))?.spec.deploymentStrategy.replicas;
const hpa = (name = 'web') => site.registry.resource(ECSMHpa).get(name);
const condition = async (type: string, name = 'web') => {
  const found = (await hpa(name)).status?.conditions.find((one) => one.type === type);
  return found && `${found.status} ${found.reason}`;
};
const load = (cpuPercentTotal: number, name = 'web') => site.sim(`services/${name}/load`, { cpuPercentTotal });
const cut = () => site.simulator.link.set({ lossPercent: 100 });
const until = (check: () => Promise<boolean>, limitMs = 3 * minute) => site.clock.until(check, limitMs);

describe('an autoscaled service', () => {
  it('grows with its load, and shrinks when the load has been low for five minutes', async () => {
    await started(2);
    await load(240);
    await autoscale();
    await until(async () => (await replicas()) === 4);
    await site.ready('web');
    expect(site.shown()).toEqual(['web x4']);
    expect(await condition('ScalingActive')).toBe('True ValidMetricFound');
    expect(await site.events()).toContain(
      'SuccessfulRescale: New size: 4; reason: cpu resource utilization above target',
    );
    await until(async () => (await hpa()).status?.currentMetrics[0]?.averageUtilization === 60);
    await load(60);
    const tookMs = await until(async () => (await replicas()) === 1, 10 * minute);
    expect(tookMs).toBeGreaterThanOrEqual(5 * minute);
    expect(tookMs).toBeLessThan(6.5 * minute);
    expect((await hpa()).status).toMatchObject({ lastScaleReason: 'All metrics below target', desiredReplicas: 1 });
  });

  it('reports no failure when it is created together with its service, long after the start', async () => {
    await started(1);
    await site.clock.advance(5 * minute);
    await site.apply(dynamic('late', {}, 2));
    // The service is being created, and no list of the platform shows it yet.
    await site.clock.advance(1);
    await autoscale({}, 'late');
    await until(async () => (await condition('ScalingActive', 'late')) === 'True ValidMetricFound');
    expect(await site.events()).not.toContainEqual(expect.stringContaining('listed yet'));
  });

  it('owns the number: an apply with another one is a conflict that names the autoscaler', async () => {
    await started(2);
    await load(240);
    await autoscale();
    await until(async () => (await replicas()) === 4);
    const again = site.services.apply(dynamic('web', {}, 2)).catch((error: unknown) => error);
    const error = await again;
    expect(
      isApiError(error, 'Conflict') && error.details.causes?.map(({ manager, field }) => [manager, field]),
    ).toEqual([['ecsm-hpa', '.spec.deploymentStrategy.replicas']]);
  });

  it('keeps its number while the platform cannot be reached', async () => {
    await started(4);
    await load(240);
    await autoscale({ behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } });
    await until(async () => (await condition('ScalingActive')) === 'True ValidMetricFound');
    cut();
    await until(async () => (await condition('ScalingActive')) === 'False FailedGetResourceMetric');
    await site.clock.advance(10 * minute);
    expect(await replicas()).toBe(4);
    const { items } = await site.registry.resource(Event).list();
    const failures = items.filter((one) => Event.fieldsOf(one).reason === 'FailedGetResourceMetric');
    // Of 40 syncs: only another message is another event.
    expect(failures.reduce((sum, one) => sum + countOf(one), 0)).toBeLessThanOrEqual(4);
  });

  it('is not scaled after it was set to 0 by hand, until another number is set', async () => {
    await started(2);
    await load(240);
    await autoscale();
    await until(async () => (await replicas()) === 4);
    await site.edit('web', { spec: { deploymentStrategy: { replicas: 0 } } });
    await until(async () => (await condition('ScalingActive')) === 'False ScalingDisabled');
    await site.clock.advance(2 * minute);
    expect(await replicas()).toBe(0);
    await site.edit('web', { spec: { deploymentStrategy: { replicas: 1 } } });
    await site.ready('web');
    await load(180);
    await until(async () => (await replicas()) === 2);
  });

  it('is scaled while it is paused', async () => {
    await started(2);
    await site.edit('web', { spec: { paused: true } });
    await load(240);
    await autoscale();
    await until(async () => (await replicas()) === 4);
    await until(async () => site.shown().join() === 'web x4');
  });

  it('is kept within minimum and maximum without metrics', async () => {
    await started(2);
    cut();
    await autoscale({ minReplicas: 3 });
    await until(async () => (await replicas()) === 3);
    await site.registry.resource(ECSMHpa).patch('web', { spec: { minReplicas: 1, maxReplicas: 2 } });
    await until(async () => (await replicas()) === 2);
    site.simulator.link.heal();
  });

  it('follows a schedule', async () => {
    await started(1);
    const startMs = site.clock.now() + 5 * minute;
    const time = (ms: number) => {
      const date = new Date(ms);
      return `${date.getUTCMinutes()} ${date.getUTCHours()} * * *`;
    };
    const schedule = { timezone: 'UTC', start: time(startMs), end: time(startMs + 10 * minute), replicas: 5 };
    await autoscale({ minReplicas: 0, metrics: [{ type: 'Schedule', schedule }] });
    await until(async () => (await replicas()) === 5, 6 * minute);
    await until(async () => (await replicas()) === 0, 17 * minute);
  });
});

describe('a target that cannot be scaled', () => {
  it('is reported if it is missing, and scaled when it is created', async () => {
    site = new Site().start();
    await autoscale({ minReplicas: 2 });
    await until(async () => (await condition('AbleToScale')) === 'False FailedGetScale');
    const event = 'FailedGetScale: the target could not be read: ECSMService "web" not found';
    await until(async () => (await site.events()).includes(event));
    await site.apply(dynamic('web', {}, 1));
    await until(async () => (await replicas()) === 2);
    expect(await condition('AbleToScale')).toBe('True SucceededRescale');
  });

  it('is reported if it is Static', async () => {
    site = new Site().start();
    await site.apply(fixed('web'));
    await site.ready('web');
    await autoscale();
    await until(async () => (await condition('AbleToScale')) === 'False NotScalable');
  });

  it('is left alone while it is being deleted', async () => {
    await started(2);
    cut();
    await autoscale({ minReplicas: 4 }, 'late', 'web');
    await site.services.delete('web');
    await until(async () => (await condition('AbleToScale', 'late')) === 'False TargetTerminating');
    site.simulator.link.heal();
    await until(async () => (await condition('AbleToScale', 'late')) === 'False FailedGetScale');
  });

  it('is scaled by the oldest of several autoscalers only', async () => {
    await started(2);
    await autoscale({ minReplicas: 3, metrics: [cpu(90)] }, 'first', 'web');
    await site.clock.advance(2_000);
    await autoscale({ minReplicas: 6 }, 'another', 'web');
    await until(async () => (await condition('AbleToScale', 'another')) === 'False AmbiguousTarget');
    await until(async () => (await replicas()) === 3);
    await site.clock.advance(minute);
    expect(await replicas()).toBe(3);
    await site.registry.resource(ECSMHpa).delete('first');
    await until(async () => (await replicas()) === 6);
  });
});

describe('the cost of autoscaling', () => {
  const reads = (sinceNumber: number) =>
    site.simulator.journal.entries(sinceNumber).filter(({ endpoint }) => endpoint === 'GET /container/service').length;

  it('at rest is one read of usage a minute for all autoscaled services, and no writes', async () => {
    site = new Site({ nodes: 12, settings: { observeMs: 60 * minute } }).start();
    for (const name of ['a', 'b', 'c', 'd']) {
      await site.apply(dynamic(name, {}, 2));
      await site.ready(name);
      await load(120, name);
    }
    await site.clock.advance(5 * minute);
    const before = site.simulator.journal.last;
    await site.clock.advance(5 * minute);
    expect(reads(before)).toBe(0);
    for (const name of ['a', 'b', 'c']) await autoscale({}, name);
    await site.clock.advance(2 * minute);
    const [since, version] = [site.simulator.journal.last, await newest()];
    await site.clock.advance(5 * minute);
    expect(reads(since)).toBe(5);
    expect(await newest()).toBe(version);
  });

  it('is nothing on the link for schedules alone', async () => {
    await started(1, { settings: { observeMs: 60 * minute } });
    const schedule = { start: '0 6 * * *', end: '30 6 * * *', replicas: 5 };
    await autoscale({ metrics: [{ type: 'Schedule', schedule }] });
    await site.clock.advance(5 * minute);
    const since = site.simulator.journal.last;
    await site.clock.advance(5 * minute);
    expect(reads(since)).toBe(0);
  });

  async function newest(): Promise<string | undefined> {
    return site.registry.capabilities.history?.newest();
  }
});
