/**
 * Goal: what a sync writes, and in which order. Method: a reconciler on a registry in memory; usage and time are set by the
 * test.
 */
import type { ContainerRow } from '@ecsm/client';
import { ApiError, EmbeddedRegistry, EventRecorder, MemoryStore, type Registry, silentLog } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { ECSMService } from '../../apis/ecsm-service.ts';
import { ECSMHpa, type ECSMHpaInput } from '../../apis/hpa.ts';
import { operatorKinds } from '../../apis/kinds.ts';
import { HpaReconciler } from './reconciler.ts';

const instance = (percent: number, index: number): ContainerRow => ({
  taskId: `t${index}`,
  name: `web-${index}`,
  serviceId: 's1',
  nodeName: 'node-1',
  deployStatus: 'success',
  status: 'running',
  uptime: 600,
  cpuUsage: percent,
});

class World {
  readonly clock = new VirtualClock();
  readonly registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: operatorKinds, clock: this.clock });
  percents: readonly number[] = [];
  isObserved = true;
  isAwaited = false;
  readonly #reconciler = new HpaReconciler({
    clock: this.clock,
    intervalMs: 15_000,
    usage: { read: () => Promise.resolve(this.percents.map(instance)), clear() {} },
    prometheus: { query: () => Promise.reject(new ApiError('Forbidden', { reason: 'not allowed' })) },
    isObserved: () => this.isObserved,
    isAwaited: () => this.isAwaited,
    offlineNodes: () => new Set(),
    linkFailure: () => undefined,
  });

  async start(replicas: number, change: Partial<ECSMHpaInput['spec']> = {}): Promise<this> {
    await this.registry.resource(ECSMService).create({
      metadata: { name: 'web' },
      spec: {
        deploymentStrategy: { type: 'Dynamic', replicas, nodePool: ['node-1'] },
        template: { image: 'web@1.0.0' },
      },
    });
    await this.registry.resource(ECSMHpa).create({
      metadata: { name: 'web' },
      spec: { scaleTargetRef: { kind: 'ECSMService', name: 'web' }, maxReplicas: 20, ...change },
    });
    return this;
  }

  /** As at the start of a term. */
  startTerm(): void {
    const { registry } = this;
    this.#reconciler.recordIn(new EventRecorder({ registry, source: 'test', log: silentLog }));
  }

  async sync(registry: Registry = this.registry): Promise<void> {
    await this.#reconciler.reconcile(
      { key: 'k', namespace: 'default', name: 'web' },
      {
        get: () => registry.resource(ECSMHpa).get('web'),
        registry,
        signal: new AbortController().signal,
        log: silentLog,
        reason: 'test',
        attempt: 0,
      },
    );
  }

  hpa = () => this.registry.resource(ECSMHpa).get('web');
  service = () => this.registry.resource(ECSMService).get('web');
  replicas = async () => (await this.service()).spec.deploymentStrategy.replicas;
  condition = async (type: string) => {
    const found = (await this.hpa()).status?.conditions.find((one) => one.type === type);
    return found && `${found.status} ${found.reason}`;
  };
}

/** The same registry, whose patches of services end in another way. */
function failing(registry: Registry, error: ApiError): Registry {
  const resource: Registry['resource'] = (kind) => {
    const whole = registry.resource(kind);
    if (kind.plural !== ECSMService.plural) return whole;
    return new Proxy(whole, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (name === 'patch') return () => Promise.reject(error);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
  return new Proxy(registry, {
    get: (target, name) => (name === 'resource' ? resource : Reflect.get(target, name)),
  });
}

describe('a sync', () => {
  it('sets the number, and records the change for the policies', async () => {
    const world = await new World().start(2);
    world.percents = [100, 100];
    await world.sync();
    expect(await world.replicas()).toBe(3);
    const { status } = await world.hpa();
    expect(status).toMatchObject({
      observedGeneration: 1,
      currentReplicas: 3,
      desiredReplicas: 3,
      lastScaleReason: 'cpu resource utilization above target',
      scaleEvents: [{ change: 1 }],
      recommendations: [{ replicas: 2 }, { replicas: 3 }],
      currentMetrics: [{ type: 'Resource', name: 'cpu', averageUtilization: 100, counted: 2, desiredReplicas: 3 }],
    });
  });

  it('keeps within the policies over a crash before the number is set', async () => {
    const behavior = { scaleUp: { policies: [{ type: 'Pods' as const, value: 2, periodSeconds: 60 }] } };
    const world = await new World().start(2, { behavior });
    world.percents = [100, 100, 100, 100, 100, 100];
    const lost = new ApiError('Unavailable', { what: 'the store', reason: 'crashed' });
    await expect(world.sync(failing(world.registry, lost))).rejects.toThrow('crashed');
    expect((await world.hpa()).status?.scaleEvents).toMatchObject([{ change: 2 }]);
    // Whether the number was set is not known: until the period is over, it is not raised further.
    await world.sync();
    expect(await world.replicas()).toBe(2);
    await world.clock.advance(60_000);
    await world.sync();
    expect(await world.replicas()).toBe(4);
  });

  it('reports a change that was refused, and does not count it', async () => {
    const world = await new World().start(2);
    world.percents = [100, 100];
    const refused = new ApiError('Invalid', { kind: 'ECSMService', name: 'web', errors: [] });
    await world.sync(failing(world.registry, refused));
    expect(await world.condition('AbleToScale')).toBe('False FailedUpdateScale');
    expect((await world.hpa()).status?.scaleEvents).toBeUndefined();
    await world.sync();
    expect(await world.replicas()).toBe(3);
  });

  it('waits at a start until the target is observed, and then reports that it is not', async () => {
    const world = await new World().start(2);
    world.startTerm();
    world.isObserved = false;
    await world.sync();
    expect((await world.hpa()).status).toBeUndefined();
    await world.clock.advance(15_000);
    await world.sync();
    expect(await world.condition('ScalingActive')).toBe('False FailedGetResourceMetric');
  });

  it('waits for the list that shows a new target, also long after the start', async () => {
    const world = await new World().start(2);
    world.startTerm();
    await world.clock.advance(600_000);
    world.isObserved = false;
    world.isAwaited = true;
    await world.sync();
    expect((await world.hpa()).status).toBeUndefined();
    // The list failed.
    world.isAwaited = false;
    await world.sync();
    expect(await world.condition('ScalingActive')).toBe('False FailedGetResourceMetric');
  });

  it('does not scale up a target that was preempted', async () => {
    const world = await new World().start(3);
    const service = await world.service();
    const status = { replicas: 2, readyReplicas: 2, updatedReplicas: 2, unavailableReplicas: 1, conditions: [] };
    const preempted = { by: 'default/bus', replicas: 1 };
    await world.registry.resource(ECSMService).updateStatus({ ...service, status: { ...status, preempted } });
    world.percents = [100, 100, 100, 100, 100, 100];
    await world.sync();
    expect([await world.replicas(), await world.condition('ScalingLimited')]).toEqual([3, 'True TargetPreempted']);
    await world.registry.resource(ECSMService).updateStatus({ ...service, status });
    await world.sync();
    expect(await world.replicas()).toBe(7);
  });

  it.each([
    ['up', 160, 20],
    ['down', 8, 1],
  ])('scales %s after the clock was set back', async (_, percent, expected) => {
    const world = await new World().start(2);
    const usage = async (value: number) => {
      await world.clock.advance(15_000);
      world.percents = Array.from({ length: (await world.replicas()) ?? 0 }, () => value);
      await world.sync();
    };
    for (const value of [160, 160, 40]) await usage(value);
    expect(await world.replicas()).toBe(8);
    world.clock.step(-86_400_000);
    // The window of scaling down is five minutes.
    for (let step = 0; step < 22; step++) await usage(percent);
    expect(await world.replicas()).toBe(expected);
  });

  it('goes on with a metric of any size', async () => {
    const world = await new World().start(2);
    world.percents = [1e300, 1e300];
    await world.sync();
    expect(await world.replicas()).toBe(6);
    await world.clock.advance(15_000);
    await world.sync();
    expect(await world.replicas()).toBe(12);
  });

  it('writes values of metrics alone once a minute', async () => {
    const world = await new World().start(2);
    world.percents = [80, 80];
    await world.sync();
    const version = async () => (await world.hpa()).metadata.resourceVersion;
    const before = await version();
    for (const percent of [81, 79, 82]) {
      world.percents = [percent, percent];
      await world.clock.advance(15_000);
      await world.sync();
    }
    expect(await version()).toBe(before);
    await world.clock.advance(15_000);
    await world.sync();
    expect((await world.hpa()).status?.currentMetrics[0]?.averageUtilization).toBe(82);
  });

  it('keeps what it decided before while no metric is known', async () => {
    const world = await new World().start(2);
    world.percents = [100, 100];
    await world.sync();
    world.percents = [];
    await world.sync();
    expect(await world.condition('ScalingActive')).toBe('False FailedGetResourceMetric');
    expect((await world.hpa()).status).toMatchObject({
      desiredReplicas: 3,
      currentMetrics: [{ name: 'cpu', error: 'the target has no instances' }],
    });
  });

  it('with a server that is not allowed is reported', async () => {
    const target = { type: 'Value' as const, value: '1' };
    const prometheus = { server: 'http://p:9090', query: 'x', target };
    const world = await new World().start(2, { metrics: [{ type: 'Prometheus', prometheus }] });
    await world.sync();
    expect(await world.condition('ScalingActive')).toBe('False FailedGetPrometheusMetric');
  });

  it('does not undo a number that was set since the target was read', async () => {
    const world = await new World().start(2);
    world.percents = [100, 100];
    // The first read of the target is followed by a change by hand.
    const raced = new Proxy(world.registry, {
      get: (registry, name) => {
        const value: unknown = Reflect.get(registry, name);
        if (name !== 'resource') return value;
        return (kind: typeof ECSMService) => {
          const whole = registry.resource(kind);
          if (kind.plural !== ECSMService.plural) return whole;
          return new Proxy(whole, {
            get: (resource, method) => {
              const call: unknown = Reflect.get(resource, method);
              if (method !== 'patch') return typeof call === 'function' ? call.bind(resource) : call;
              return async (...parameters: Parameters<typeof whole.patch>) => {
                await whole.patch('web', { spec: { deploymentStrategy: { replicas: 0 } } });
                return whole.patch(...parameters);
              };
            },
          });
        };
      },
    });
    await world.sync(raced);
    expect(await world.replicas()).toBe(0);
    expect(await world.condition('AbleToScale')).toBe('False FailedUpdateScale');
  });
});
