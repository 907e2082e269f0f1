/**
 * Goal: what a sync writes, and in which order. Method: an autoscaler on a registry in memory; usage, time and the outcome of
 * writes to the target are set by the test.
 */
import type { ContainerRow } from '@ecsm/client';
import {
  ApiError,
  countOf,
  EmbeddedRegistry,
  Event,
  MemoryStore,
  MetricRegistry,
  type Registry,
  silentLog,
} from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { ECSMService } from '../../apis/ecsm-service.ts';
import { ECSMHpa, type ECSMHpaInput } from '../../apis/hpa.ts';
import { operatorKinds } from '../../apis/kinds.ts';
import { autoscaler } from './autoscaler.ts';

const intervalMs = 15_000;

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

type Patch = World['services']['patch'];

class World {
  readonly clock = new VirtualClock();
  readonly registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: operatorKinds, clock: this.clock });
  readonly metrics = new MetricRegistry();
  readonly services = this.registry.resource(ECSMService);
  percents: readonly number[] = [];
  isObserved = true;
  isAwaited = false;
  /** Lists of autoscalers. */
  lists = 0;
  /** What the autoscaler calls to change a service. */
  patch: ((...parameters: Parameters<Patch>) => ReturnType<Patch>) | undefined;
  #loop: ReturnType<typeof autoscaler> | undefined;
  #stop = new AbortController();
  #running: Promise<void> | undefined;

  async start(replicas: number, change: Partial<ECSMHpaInput['spec']> = {}): Promise<this> {
    await this.createService(replicas);
    await this.createHpa('web', change);
    return this;
  }

  async createService(replicas: number): Promise<void> {
    const deploymentStrategy = { type: 'Dynamic' as const, replicas, nodePool: ['node-1'] };
    const spec = { deploymentStrategy, template: { image: 'web@1.0.0' } };
    await this.services.create({ metadata: { name: 'web' }, spec });
  }

  async createHpa(name = 'web', change: Partial<ECSMHpaInput['spec']> = {}): Promise<void> {
    const spec = { scaleTargetRef: { kind: 'ECSMService' as const, name: 'web' }, maxReplicas: 20, ...change };
    await this.registry.resource(ECSMHpa).create({ metadata: { name }, spec });
  }

  /** Syncs now. The first call starts a process. */
  async sync(): Promise<void> {
    if (this.#loop === undefined) this.#run();
    else this.#loop.enqueue({ name: 'web' });
    await this.clock.until(() => this.#isIdle());
  }

  /** The process ends; the next sync is that of another one. */
  async stop(): Promise<void> {
    this.#stop.abort();
    if (this.#running !== undefined) await this.clock.run(this.#running);
    this.#loop = undefined;
    this.#running = undefined;
  }

  #run(): void {
    this.#stop = new AbortController();
    const loop = autoscaler({
      sources: {
        usage: { read: async () => this.percents.map(instance), clear() {} },
        prometheus: { query: () => Promise.reject(new ApiError('Forbidden', { reason: 'not allowed' })) },
        isObserved: () => this.isObserved,
        isAwaited: () => this.isAwaited,
        offlineNodes: () => new Set(),
        linkFailure: () => undefined,
      },
      clock: this.clock,
      log: silentLog,
      intervalMs,
      callTimeoutMs: 5_000,
      metrics: this.metrics,
    });
    this.#loop = loop;
    this.#running = loop.run({ registry: this.#observed(this.registry), signal: this.#stop.signal });
  }

  #isIdle(): boolean {
    const queue = this.#loop?.queue;
    return this.#loop?.ready() === undefined && queue !== undefined && queue.depth + queue.processing === 0;
  }

  /** The registry, which counts lists, and whose patches of services are those of `patch`. */
  #observed(registry: Registry): Registry {
    const resource: Registry['resource'] = (kind) => {
      const whole = registry.resource(kind);
      if (kind.plural === ECSMHpa.plural) {
        return replaced(whole, 'list', (...parameters: Parameters<typeof whole.list>) => {
          this.lists++;
          return whole.list(...parameters);
        });
      }
      const patch = kind.plural === ECSMService.plural ? this.patch : undefined;
      return patch === undefined ? whole : replaced(whole, 'patch', patch);
    };
    const observedBy: Registry['observedBy'] = (observer) => this.#observed(registry.observedBy(observer));
    return replaced(replaced(registry, 'resource', resource), 'observedBy', observedBy);
  }

  hpa = (name = 'web') => this.registry.resource(ECSMHpa).get(name);
  service = () => this.services.get('web');
  replicas = async () => (await this.service()).spec.deploymentStrategy.replicas;
  condition = async (type: string, name = 'web') => {
    const found = (await this.hpa(name)).status?.conditions.find((one) => one.type === type);
    return found && `${found.status} ${found.reason}`;
  };
  version = async () => (await this.hpa()).metadata.resourceVersion;
  events = async () => {
    const { items } = await this.registry.resource(Event).list();
    return items.map((one) => {
      const { reason, message } = Event.fieldsOf(one);
      return `${countOf(one)} × ${reason}: ${message}`;
    });
  };
}

/** The same object with another method. */
function replaced<T extends object>(whole: T, method: keyof T, by: unknown): T {
  return new Proxy(whole, {
    get(target, name) {
      if (name === method) return by;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

let world: World;
afterEach(() => world.stop());

async function started(...parameters: Parameters<World['start']>): Promise<World> {
  world = await new World().start(...parameters);
  return world;
}

describe('a sync', () => {
  it('sets the number, and records the change for the policies', async () => {
    await started(2);
    world.percents = [100, 100];
    await world.sync();
    expect(await world.replicas()).toBe(3);
    expect(await world.condition('AbleToScale')).toBe('True SucceededRescale');
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
    await world.stop();
    expect(world.metrics.render()).toContain('ecsm_hpa_rescales_total{direction="up"} 1');
    expect(await world.events()).toEqual([
      '1 × SuccessfulRescale: New size: 3; reason: cpu resource utilization above target',
    ]);
  });

  it('keeps within the policies over a crash before the number is set', async () => {
    const behavior = { scaleUp: { policies: [{ type: 'Pods' as const, value: 2, periodSeconds: 60 }] } };
    await started(2, { behavior });
    world.percents = [100, 100, 100, 100, 100, 100];
    world.patch = () => Promise.reject(new ApiError('Unavailable', { what: 'the store', reason: 'crashed' }));
    await world.sync();
    await world.stop();
    expect((await world.hpa()).status?.scaleEvents).toMatchObject([{ change: 2 }]);
    world.patch = undefined;
    // Whether the number was set is not known: until the period is over, it is not raised further.
    await world.sync();
    expect(await world.replicas()).toBe(2);
    await world.clock.advance(60_000);
    expect(await world.replicas()).toBe(4);
  });

  it('reports a change that was refused, does not count it, and tries again at the next interval', async () => {
    await started(2);
    world.percents = [80, 80];
    await world.sync();
    const before = (await world.hpa()).status;
    world.percents = [100, 100];
    let patches = 0;
    world.patch = () => {
      patches++;
      return Promise.reject(new ApiError('Invalid', { kind: 'ECSMService', name: 'web', errors: [] }));
    };
    await world.sync();
    expect(await world.condition('AbleToScale')).toBe('False FailedUpdateScale');
    const { status } = await world.hpa();
    expect(status?.scaleEvents).toBeUndefined();
    expect([status?.lastScaleTime, status?.currentReplicas]).toEqual([before?.lastScaleTime, 2]);
    await world.clock.advance(intervalMs - 1);
    expect(patches).toBe(1);
    await world.clock.advance(1);
    expect(patches).toBe(2);
    world.patch = undefined;
    await world.sync();
    expect(await world.replicas()).toBe(3);
    await world.stop();
    expect(await world.events()).toContainEqual(
      expect.stringMatching(/^2 × FailedRescale: New size: 3; reason: cpu resource utilization above target; error: ./),
    );
  });

  it('waits at a start until the target is observed, and then reports that it is not', async () => {
    await started(2);
    world.isObserved = false;
    await world.sync();
    await world.clock.advance(intervalMs - 1);
    expect((await world.hpa()).status).toBeUndefined();
    await world.clock.advance(1);
    expect(await world.condition('ScalingActive')).toBe('False FailedGetResourceMetric');
  });

  it('waits for the list that shows a new target, also long after the start', async () => {
    world = new World();
    await world.createService(2);
    await world.sync();
    await world.clock.advance(600_000);
    world.isObserved = false;
    world.isAwaited = true;
    await world.createHpa();
    await world.clock.advance(60_000);
    expect((await world.hpa()).status).toBeUndefined();
    // The list failed.
    world.isAwaited = false;
    await world.clock.advance(1_000);
    expect(await world.condition('ScalingActive')).toBe('False FailedGetResourceMetric');
  });

  it('does not scale up a target that was preempted', async () => {
    await started(3);
    const service = await world.service();
    const status = { replicas: 2, readyReplicas: 2, updatedReplicas: 2, unavailableReplicas: 1, conditions: [] };
    const preempted = { by: 'default/bus', replicas: 1 };
    await world.services.updateStatus({ ...service, status: { ...status, preempted } });
    world.percents = [100, 100, 100, 100, 100, 100];
    await world.sync();
    expect([await world.replicas(), await world.condition('ScalingLimited')]).toEqual([3, 'True TargetPreempted']);
    await world.services.updateStatus({ ...service, status });
    await world.sync();
    expect(await world.replicas()).toBe(7);
  });

  it.each([
    ['up', 160, 20],
    ['down', 8, 1],
  ])('scales %s after the clock was set back', async (_, percent, expected) => {
    await started(2);
    const usage = async (value: number) => {
      world.percents = Array.from({ length: (await world.replicas()) ?? 0 }, () => value);
      await world.clock.advance(intervalMs);
    };
    world.percents = [160, 160];
    await world.sync();
    for (const value of [160, 40]) await usage(value);
    expect(await world.replicas()).toBe(8);
    world.clock.step(-86_400_000);
    // The window of scaling down is five minutes.
    for (let step = 0; step < 22; step++) await usage(percent);
    expect(await world.replicas()).toBe(expected);
  });

  it('goes on with a metric of any size', async () => {
    await started(2);
    world.percents = [1e300, 1e300];
    await world.sync();
    expect(await world.replicas()).toBe(6);
    await world.clock.advance(intervalMs);
    expect(await world.replicas()).toBe(12);
  });

  it('writes values of metrics alone once a minute', async () => {
    await started(2);
    world.percents = [80, 80];
    await world.sync();
    const before = await world.version();
    for (const percent of [81, 79, 82]) {
      world.percents = [percent, percent];
      await world.clock.advance(intervalMs);
    }
    expect(await world.version()).toBe(before);
    await world.clock.advance(intervalMs);
    expect((await world.hpa()).status?.currentMetrics[0]?.averageUtilization).toBe(82);
    const written = await world.version();
    world.percents = [78, 78];
    await world.clock.advance(3 * intervalMs);
    expect(await world.version()).toBe(written);
    await world.clock.advance(intervalMs);
    expect((await world.hpa()).status?.currentMetrics[0]?.averageUtilization).toBe(78);
  });

  it('keeps what it decided before while no metric is known', async () => {
    await started(2);
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

  it('counts every failure of a metric, of which a lasting one is one event', async () => {
    await started(2);
    for (let count = 0; count < 3; count++) await world.sync();
    await world.stop();
    expect(await world.events()).toEqual(['1 × FailedGetResourceMetric: cpu: the target has no instances']);
    expect(world.metrics.render()).toContain('ecsm_hpa_metric_failures_total{reason="FailedGetResourceMetric"} 3');
  });

  it('with a server that is not allowed is reported', async () => {
    const target = { type: 'Value' as const, value: '1' };
    const prometheus = { server: 'http://p:9090', query: 'x', target };
    await started(2, { metrics: [{ type: 'Prometheus', prometheus }] });
    await world.sync();
    expect(await world.condition('ScalingActive')).toBe('False FailedGetPrometheusMetric');
  });

  it('does not undo a number that was set since the target was read', async () => {
    await started(2);
    world.percents = [100, 100];
    world.patch = async (...parameters) => {
      await world.services.patch('web', { spec: { deploymentStrategy: { replicas: 0 } } });
      return world.services.patch(...parameters);
    };
    await world.sync();
    expect(await world.replicas()).toBe(0);
    expect(await world.condition('AbleToScale')).toBe('False FailedUpdateScale');
  });

  it('sets the number of a target whose status has changed since it was read', async () => {
    await started(2);
    world.percents = [100, 100];
    world.patch = async (...parameters) => {
      const service = await world.service();
      const readyReplicas = (service.status?.readyReplicas ?? 0) + 1;
      const status = { replicas: 2, readyReplicas, updatedReplicas: 2, unavailableReplicas: 0, conditions: [] };
      if (readyReplicas <= 2) await world.services.updateStatus({ ...service, status });
      return world.services.patch(...parameters);
    };
    await world.sync();
    expect(await world.replicas()).toBe(3);
  });
});

describe('several autoscalers of a target', () => {
  it('are listed once in a round, and only the oldest acts', async () => {
    await started(2, { minReplicas: 3 });
    await world.clock.advance(1_000);
    for (const name of ['a', 'b', 'c']) await world.createHpa(name, { minReplicas: 5 });
    await world.sync();
    const before = world.lists;
    await world.clock.advance(4 * intervalMs);
    expect(world.lists - before).toBe(4);
    expect(await world.replicas()).toBe(3);
    expect(await world.condition('AbleToScale', 'c')).toBe('False AmbiguousTarget');
  });

  it('are found although they were created after the list of the round', async () => {
    world = new World();
    await world.createService(2);
    await world.createHpa('x', { scaleTargetRef: { kind: 'ECSMService', name: 'other' } });
    await world.sync();
    await Promise.all(['b', 'a'].map((name) => world.createHpa(name, { minReplicas: 3 })));
    await world.clock.advance(100);
    expect(await world.condition('AbleToScale', 'a')).toBe('True SucceededRescale');
    expect(await world.condition('AbleToScale', 'b')).toBe('False AmbiguousTarget');
  });
});
