/**
 * Goal: services of high priority keep running when there is not enough room, and others get their instances back.
 * Method: a complete operator on virtual time, and a platform whose nodes have 8 GiB each and refuse what does not fit.
 */
import type { Transport } from '@ecsm/client';
import { PriorityClass, sleep } from '@ecsm/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import type { ECSMServiceInput } from '../apis/ecsm-service.ts';
import { OperatorIdentity } from '../apis/operator-identity.ts';
import { dynamic, fixed, Site, type SiteOptions } from './operator.kit.ts';

let site: Site;
afterEach(() => site.stop());

function start(options: SiteOptions = {}): Site {
  site = new Site({ nodes: 3, behaviour: { capacityAccounting: 'limit' }, ...options });
  return site;
}

const limits = (memory: string): ECSMServiceInput['spec']['template'] => ({
  image: 'telemetry@1.0.0#sylixos',
  resources: { limits: { memory } },
});

/** Three GiB for each instance: two fit on a node, of which the system uses 512 MiB. */
const large = (name: string, replicas: number, change: Partial<ECSMServiceInput['spec']> = {}) =>
  dynamic(name, { template: limits('3Gi'), ...change }, replicas);

async function addClass(name: string, value: number, more: object = {}): Promise<void> {
  await site.registry.resource(PriorityClass).create(PriorityClass.input({ name }, { value, ...more }));
}

const replicasOf = async (name: string) => (await site.get(name))?.status?.replicas;
const readyOf = async (name: string) => (await site.get(name))?.status?.readyReplicas;
const heldOf = async (name: string) => (await site.get(name))?.status?.preempted;
const statusCalls = () =>
  site.simulator.journal.entries(0).filter(({ endpoint }) => endpoint === 'GET /node/status').length;

/** Never more declared memory on a node than it has. */
function overbooked(): string[] {
  const used = new Map<string, number>();
  for (const service of site.platform.services()) {
    for (const one of site.platform.containersOfService(service.id)) {
      const name = site.platform.nodes().find(({ id }) => id === one.nodeId)?.name ?? '';
      used.set(name, (used.get(name) ?? 0) + 3);
    }
  }
  return [...used].filter(([, gibibytes]) => gibibytes > 8).map(([name]) => name);
}

describe('without priorities', () => {
  it('reads no capacity, and limits nothing', async () => {
    start().start();
    await site.apply(large('bulk', 7));
    await site.clock.advance(200_000);
    expect(statusCalls()).toBe(0);
    expect(site.shown()).toEqual(['bulk x7']);
    expect(await site.condition('bulk', 'Unschedulable')).toBe('none');
  });
});

describe('a service of higher priority', () => {
  it('preempts instances of the lowest priority, whose status names it, and which are restored later', async () => {
    start().start();
    await addClass('critical', 1_000);
    await site.apply(large('bulk', 6));
    await site.ready('bulk');
    await site.apply(large('radar', 2, { priorityClassName: 'critical' }));
    await site.ready('radar');
    expect(overbooked()).toEqual([]);
    expect(await replicasOf('bulk')).toBe(4);
    expect(await heldOf('bulk')).toEqual({ by: 'default/radar', replicas: 2 });
    expect(await site.condition('bulk', 'Preempted')).toBe('True Preempted');
    expect(await site.condition('bulk', 'Available')).toBe('False NotEnoughReady');
    const events = await site.events();
    expect(events).toContain('Preempted: gave up 2 instances for default/radar, which has a higher priority');
    expect(events.filter((one) => one.startsWith('Preempting:'))).toHaveLength(1);

    await site.edit('radar', { spec: { deploymentStrategy: { replicas: 0 } } });
    const tookMs = await site.ready('bulk');
    expect(tookMs).toBeGreaterThan(60_000);
    expect(await heldOf('bulk')).toBeUndefined();
    expect(await site.condition('bulk', 'Preempted')).toBe('False Restored');
    expect(await site.events()).toContain('Restored: 2 instances may run again');
  });

  it('waits without harm if all others are as important', async () => {
    start().start();
    await addClass('critical', 1_000);
    await site.apply(large('first', 6, { priorityClassName: 'critical' }));
    await site.ready('first');
    await site.apply(large('second', 1, { priorityClassName: 'critical' }));
    await site.clock.until(async () => (await site.condition('second', 'Unschedulable')) === 'True Unschedulable');
    const found = (await site.get('second'))?.status?.conditions.find(({ type }) => type === 'Unschedulable');
    expect(found?.message).toBe(
      'needs 3Gi on one of node-1, node-2, node-3: free 1536Mi, 1536Mi, 1536Mi; 0 of 1 instances fit',
    );
    expect(await readyOf('first')).toBe(6);
    expect(site.shown()).toEqual(['first x6']);
    await site.edit('first', { spec: { deploymentStrategy: { replicas: 5 } } });
    await site.ready('second');
    expect(await site.condition('second', 'Unschedulable')).toBe('False Schedulable');
  });

  it('takes the node that it needs from a static service', async () => {
    start().start();
    await addClass('critical', 1_000);
    await site.apply(fixed('local', { template: limits('7Gi') }));
    await site.ready('local');
    const deploymentStrategy = { type: 'Dynamic' as const, replicas: 1, nodePool: ['node-2'] };
    await site.apply(large('radar', 1, { priorityClassName: 'critical', deploymentStrategy }));
    await site.ready('radar');
    expect(site.platform.serviceNamed('local')?.nodeNames).toEqual(['node-1', 'node-3']);
    expect(await heldOf('local')).toEqual({ by: 'default/radar', replicas: 1 });
    await site.services.delete('radar');
    await site.ready('local');
    expect(site.platform.serviceNamed('local')?.nodeNames).toEqual(['node-1', 'node-2', 'node-3']);
  });
});

describe('a lost node', () => {
  it('costs instances of low priority, not of high priority, until it is back', async () => {
    start().start();
    await addClass('critical', 1_000);
    await site.apply(large('bulk', 3));
    await site.apply(large('radar', 3, { priorityClassName: 'critical' }));
    await site.ready('bulk');
    await site.ready('radar');
    await site.sim('nodes/node-1/cut');
    await site.clock.until(async () => (await readyOf('radar')) === 3 && (await heldOf('bulk')) !== undefined, 900_000);
    await site.clock.advance(60_000);
    expect(await readyOf('radar')).toBe(3);
    expect(await replicasOf('bulk')).toBe(1);
    await site.sim('nodes/node-1/restore');
    await site.ready('bulk', 900_000);
    expect(await heldOf('bulk')).toBeUndefined();
    expect(overbooked()).toEqual([]);
  });
});

describe('a hold', () => {
  it('survives a restart of the operator', async () => {
    start().start();
    await addClass('critical', 1_000);
    await site.apply(large('bulk', 6));
    await site.ready('bulk');
    await site.apply(large('radar', 2, { priorityClassName: 'critical' }));
    await site.ready('radar');
    await site.clock.advance(30_000);
    await site.stop();
    const number = site.simulator.journal.entries(0).length;
    expect((await site.operator.planFor('default', 'bulk')).steps).toEqual([]);
    site.start();
    await site.clock.advance(120_000);
    expect(site.writesSince(number)).toEqual([]);
    expect(await heldOf('bulk')).toEqual({ by: 'default/radar', replicas: 2 });
  });

  it('does not name a service that was deleted', async () => {
    start().start();
    await addClass('critical', 1_000);
    await site.apply(large('bulk', 6, { deploymentStrategy: dynamic('x', {}, 6).spec.deploymentStrategy }));
    await site.ready('bulk');
    for (const name of ['radar', 'sonar']) await site.apply(large(name, 1, { priorityClassName: 'critical' }));
    for (const name of ['radar', 'sonar']) await site.ready(name);
    const by = (await heldOf('bulk'))?.by?.split('/')[1] ?? '';
    await site.services.delete(by);
    // Its instances are restored a while later.
    await site.clock.until(async () => (await heldOf('bulk'))?.by === undefined);
    expect(await heldOf('bulk')).toEqual({ replicas: 2 });
    const [condition] = ((await site.get('bulk'))?.status?.conditions ?? []).filter(({ type }) => type === 'Preempted');
    expect(condition?.message).toBe('2 of 6 instances are held back until there is room for them');
    await site.clock.until(async () => (await heldOf('bulk'))?.replicas === 1);
  });

  it('ends when no service has a priority any more', async () => {
    start().start();
    await addClass('critical', 1_000);
    await site.apply(large('bulk', 6, { deploymentStrategy: dynamic('x', {}, 6).spec.deploymentStrategy }));
    await site.ready('bulk');
    await site.apply(large('radar', 1, { priorityClassName: 'critical' }));
    await site.ready('radar');
    expect(await heldOf('bulk')).toEqual({ by: 'default/radar', replicas: 1 });
    await site.services.delete('radar');
    await site.clock.until(async () => (await heldOf('bulk')) === undefined);
    await site.ready('bulk');
  });
});

describe('a stop', () => {
  function slow(delayMs: number, isSlow: (call: string) => boolean): (transport: Transport) => Transport {
    return (transport) => ({
      ...transport,
      async send(request, options) {
        const answer = await transport.send(request, options);
        if (isSlow(`${request.method} ${request.target}`)) await sleep(site.clock, delayMs, options.signal);
        options.signal.throwIfAborted();
        return answer;
      },
    });
  }

  it('does not give up a hold in a reconcile that is in flight', async () => {
    let slowCalls: number | undefined;
    const isSlow = (call: string) => {
      if (slowCalls === undefined || !/^GET .*\/service\/(?!summary$)[^/?]+$/u.test(call)) return false;
      slowCalls++;
      return true;
    };
    start({ through: slow(1_000, isSlow) }).start();
    await addClass('critical', 1_000);
    await site.apply(large('bulk', 6));
    await site.ready('bulk');
    await site.apply(large('radar', 2, { priorityClassName: 'critical' }));
    await site.ready('radar');
    slowCalls = 0;
    await site.edit('bulk', { spec: { revisionHistoryLimit: 5 } });
    await site.clock.until(() => (slowCalls ?? 0) > 0);
    await site.stop();
    expect(site.shown()).toEqual(['bulk x4', 'radar x2']);
    expect(await heldOf('bulk')).toEqual({ by: 'default/radar', replicas: 2 });
  });

  it('waits for the calls of reconciles also while the capacity is read', async () => {
    let isReading = false;
    let isChanging = false;
    const isSlow = (call: string) => {
      isReading ||= call.includes('/node/status');
      isChanging ||= call.startsWith('PUT ');
      return isReading && (call.includes('/node/status') || call.startsWith('PUT '));
    };
    start({ through: slow(3_000, isSlow) }).start();
    await addClass('critical', 1_000);
    await site.apply(large('radar', 2, { priorityClassName: 'critical' }));
    await site.ready('radar');
    isReading = false;
    await site.clock.until(() => isReading);
    await site.edit('radar', { spec: { deploymentStrategy: { replicas: 1 } } });
    await site.clock.until(() => isChanging);
    await site.stop();
    expect(await site.events()).toContain('Scaled: radar: factor: 2 → 1');
  });
});

describe('a priority class', () => {
  it('is reported if it does not exist, and used when it is created', async () => {
    start().start();
    await site.apply(large('bulk', 6));
    await site.ready('bulk');
    await site.apply(large('radar', 1, { priorityClassName: 'critical' }));
    await site.clock.until(async () => (await site.condition('radar', 'Preempted')) === 'False UnknownPriorityClass');
    expect(await site.condition('radar', 'Unschedulable')).toBe('True Unschedulable');
    await addClass('critical', 1_000);
    await site.ready('radar');
    expect(await heldOf('bulk')).toEqual({ by: 'default/radar', replicas: 1 });
  });

  it('that is the default counts for services without one', async () => {
    start().start();
    await addClass('normal', 10, { globalDefault: true });
    await addClass('spare', 5, { preemptionPolicy: 'Never' });
    await site.apply(large('bulk', 6, { priorityClassName: 'spare' }));
    await site.ready('bulk');
    await site.apply(large('radar', 1));
    await site.ready('radar');
    expect(await heldOf('bulk')).toEqual({ by: 'default/radar', replicas: 1 });
  });

  it('has no effect without limits, which is said', async () => {
    start().start();
    await addClass('critical', 1_000);
    await site.apply(dynamic('radar', { priorityClassName: 'critical' }));
    await site.ready('radar');
    expect(await site.condition('radar', 'Preempted')).toBe('False NoLimits');
  });
});

describe('a node that has less room than it reports', () => {
  it('counts as full after a deployment that failed because of insufficient memory', async () => {
    start({ nodes: 1 }).start();
    await addClass('critical', 1_000);
    const deploymentStrategy = { type: 'Dynamic' as const, replicas: 1, nodePool: ['node-1'] };
    await site.apply(large('idle', 0, { priorityClassName: 'critical' }));
    await site.apply(large('bulk', 1, { deploymentStrategy }));
    await site.ready('bulk');
    // The operator does not notice: the number of foreign containers is the same.
    await site.sim('nodes/node-1/fill', { memoryPercent: 50 });
    await site.apply(large('radar', 1, { priorityClassName: 'critical', deploymentStrategy }));
    await site.clock.until(async () => (await site.condition('radar', 'Degraded')) === 'True DeploymentFailed');
    await site.ready('radar', 900_000);
    expect(await heldOf('bulk')).toEqual({ by: 'default/radar', replicas: 1 });
    await site.clock.advance(300_000);
    expect(await readyOf('radar')).toBe(1);
    expect(await replicasOf('bulk')).toBe(0);
  });
});

function createForeign(name: string, nodeName: string): void {
  site.platform.createService({
    name,
    image: {
      ref: 'telemetry@1.0.0#sylixos',
      action: 'run',
      config: {},
      vsoa: null,
      pullPolicy: 'IfNotPresent',
      autoUpgrade: 'Never',
    },
    nodeNames: [nodeName],
    factor: 1,
    policy: 'static',
    prepull: false,
  } as never);
}

describe('capacity', () => {
  it('does not include what services without an ECSMService are limited to', async () => {
    start({ nodes: 1 });
    createForeign('stray', 'node-1');
    await site.clock.advance(10_000);
    site.start();
    await addClass('critical', 1_000);
    const deploymentStrategy = { type: 'Dynamic' as const, replicas: 2, nodePool: ['node-1'] };
    await site.apply(large('radar', 2, { priorityClassName: 'critical', deploymentStrategy }));
    await site.clock.until(async () => (await site.condition('radar', 'Unschedulable')) === 'True Unschedulable');
    await site.clock.advance(60_000);
    expect(await replicasOf('radar')).toBe(1);
    const identity = await site.registry.resource(OperatorIdentity).get('registry');
    expect(identity.status?.capacity?.nodes).toMatchObject([
      { name: 'node-1', isOnline: true, memoryBytes: 8 * 2 ** 30, memoryDeclaredBytes: 3 * 2 ** 30 },
    ]);
    expect(identity.status?.capacity?.nodes[0]?.memoryOthersBytes).toBeGreaterThan(2 * 2 ** 30);
  });

  it('is written at most once a minute, and at rest not at all', async () => {
    start().start();
    await addClass('critical', 1_000);
    await site.apply(large('radar', 2, { priorityClassName: 'critical' }));
    await site.ready('radar');
    await site.clock.advance(120_000);
    const identities = site.registry.resource(OperatorIdentity);
    const { resourceVersion } = (await identities.get('registry')).metadata;
    await site.clock.advance(600_000);
    expect((await identities.get('registry')).metadata.resourceVersion).toBe(resourceVersion);
    await site.sim('nodes/node-1/cut');
    await site.clock.advance(120_000);
    const { status } = await identities.get('registry');
    expect(status?.capacity?.nodes.map(({ name, isOnline }) => [name, isOnline])).toEqual([
      ['node-1', false],
      ['node-2', true],
      ['node-3', true],
    ]);
  });

  it('is none on a node that is offline, also if a stale list shows it online (its room had no limit)', async () => {
    let list: ReturnType<Transport['send']> | undefined;
    start({
      through: (transport) => ({
        send(request, options) {
          if (!/^\/api\/v1\/node(?:\?|$)/u.test(request.target)) return transport.send(request, options);
          list ??= transport.send(request, options);
          return list;
        },
        close: () => transport.close(),
      }),
    }).start();
    await site.clock.advance(1_000);
    site.platform.cutNode(site.platform.nodeNamed('node-3')?.id ?? '');
    await addClass('critical', 1_000);
    await site.apply(large('bulk', 6, { priorityClassName: 'critical' }));
    await site.clock.advance(30_000);
    expect(site.shown()).toEqual(['bulk x4']);
    expect(await site.condition('bulk', 'Unschedulable')).toBe('True Unschedulable');
  });

  it('is read once a minute, less what foreign containers use', async () => {
    start().start();
    await addClass('critical', 1_000);
    await site.sim('nodes/node-1/fill', { memoryPercent: 50, containers: 1 });
    await site.apply(large('radar', 6, { priorityClassName: 'critical' }));
    await site.clock.until(async () => (await readyOf('radar')) === 5);
    expect((await site.get('radar'))?.status?.conditions.find(({ type }) => type === 'Unschedulable')?.message).toBe(
      'needs 3Gi on one of node-1, node-2, node-3: free 1Gi, 1536Mi, 1536Mi; 5 of 6 instances fit',
    );
    const before = statusCalls();
    await site.clock.advance(600_000);
    expect(statusCalls() - before).toBeLessThanOrEqual(11);
    expect(statusCalls() - before).toBeGreaterThanOrEqual(9);
    await site.sim('nodes/node-1/fill', { memoryPercent: 0, containers: 0 });
    await site.ready('radar');
  });
});
