/**
 * Stories of services that depend on each other, compete for memory, or are scaled by load. Three nodes of the pool have
 * room for three instances each. `ends` is the number of running instances of each service in the end.
 */
import type { ECSMServiceInput } from '../../../src/apis/ecsm-service.ts';
import type { Story } from '../stories.kit.ts';
import type { OrchestrationUsers } from './users.kit.ts';

export interface OrchestrationStory extends Omit<Story, 'run'> {
  run(users: OrchestrationUsers): Promise<void>;
  readonly ends: Readonly<Record<string, number>>;
}

/** The nodes that all services of the stories may use. */
export const pool = ['node-1', 'node-2', 'node-3'];
const v1 = 'telemetry@1.0.0#sylixos';
const v2 = 'telemetry@1.1.0#sylixos';
/** Three instances fill a node of 8 GiB, of which the system uses 512 MiB. */
const large = { image: v1, resources: { limits: { memory: '2500Mi' } } };

type Spec = Partial<ECSMServiceInput['spec']>;

function service(name: string, replicas: number, more: Spec = {}): ECSMServiceInput {
  const deploymentStrategy = { type: 'Dynamic' as const, replicas, nodePool: pool };
  return { metadata: { name }, spec: { deploymentStrategy, template: { image: v1 }, ...more } };
}

const full = (name: string, replicas: number, priorityClassName: string, more: Spec = {}) =>
  service(name, replicas, { template: large, priorityClassName, ...more });
const onNode = (name: string, node: string, more: Spec = {}): ECSMServiceInput => ({
  metadata: { name },
  spec: { deploymentStrategy: { type: 'Static', nodes: [node] }, template: { image: v1 }, ...more },
});
const rolling = {
  updateStrategy: { type: 'RollingUpdate' as const, rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
};
const needs = (...names: readonly string[]) => ({ dependsOn: names.map((name) => ({ name })) });
const stopsWithout = (name: string) => ({ dependsOn: [{ name, onLost: 'Stop' as const }] });
const image = (ref: string) => ({ spec: { template: { image: ref } } });
const replicas = (count: number) => ({ spec: { deploymentStrategy: { replicas: count } } });
const settle = (users: OrchestrationUsers) => users.wait(20_000);
/** After the last fault and a resync: everything that was created exists on the platform, although events were lost. */
const resyncedMs = 660_000;
/** Long enough for lost nodes, holds and stabilization windows to end. */
const longMs = 600_000;

export const dependencyStories: readonly OrchestrationStory[] = [
  {
    name: 'a chain of dependencies, created in reverse order',
    ends: { bus: 1, telemetry: 2, ground: 2 },
    async run(users) {
      await users.apply(service('ground', 2, needs('telemetry')));
      await users.soon();
      await users.apply(service('telemetry', 2, needs('bus')));
      await users.soon();
      await users.apply(onNode('bus', 'node-1'));
    },
  },
  {
    name: 'a dependency that only has to exist',
    ends: { bus: 2, telemetry: 1 },
    async run(users) {
      await users.apply(service('telemetry', 1, { dependsOn: [{ name: 'bus', condition: 'Exists' }] }));
      await users.soon();
      await users.apply(service('bus', 0));
      await users.soon();
      await users.patch('bus', replicas(2));
    },
  },
  {
    name: 'a cycle made and broken',
    ends: { a: 1, b: 1, c: 1 },
    async run(users) {
      await users.apply(service('a', 1, needs('b')));
      await users.apply(service('b', 1, needs('c')));
      await users.apply(service('c', 1, needs('a')));
      await settle(users);
      await users.patch('c', { spec: { dependsOn: null } });
    },
  },
  {
    name: 'a cycle among running services',
    takesMs: resyncedMs,
    ends: { a: 1, b: 1 },
    async run(users) {
      await users.apply(service('a', 1, needs('b')));
      await users.apply(service('b', 1));
      // In a cycle nothing is started, so both have to run before.
      await users.wait(resyncedMs);
      await users.patch('b', { spec: needs('a') });
      await users.soon();
      await users.patch('b', image(v2));
    },
  },
  {
    name: 'a lost dependency stops those that ask for it',
    takesMs: 180_000,
    ends: { bus: 1, telemetry: 2, ground: 1 },
    async run(users) {
      await users.apply(onNode('bus', 'node-1'));
      await users.apply(service('telemetry', 2, stopsWithout('bus')));
      await users.apply(service('ground', 1, needs('bus')));
      await settle(users);
      users.cutNode('node-1');
      await users.wait(90_000);
      users.restoreNode('node-1');
    },
  },
  {
    name: 'all deleted at once',
    // Each of the three may be found to be gone only by the next poll.
    takesMs: longMs,
    ends: {},
    async run(users) {
      await users.apply(onNode('bus', 'node-1'));
      await users.apply(service('telemetry', 2, stopsWithout('bus')));
      await users.apply(service('ground', 1, needs('telemetry')));
      await settle(users);
      await users.deleteAll('bus', 'telemetry', 'ground');
    },
  },
  {
    name: 'dependents deleted during a rollout',
    ends: { bus: 3 },
    async run(users) {
      await users.apply(service('bus', 3, rolling));
      await users.apply(service('telemetry', 2, needs('bus')));
      await settle(users);
      await users.patch('bus', image(v2));
      await users.soon();
      await users.services.delete('telemetry');
    },
  },
  {
    name: 'a dependency deleted and created again',
    takesMs: 60_000,
    ends: { bus: 1, telemetry: 2, ground: 1 },
    async run(users) {
      await users.apply(onNode('bus', 'node-2'));
      await users.apply(service('telemetry', 2, stopsWithout('bus')));
      await users.apply(service('ground', 1, needs('bus')));
      await settle(users);
      await users.services.delete('bus');
      await users.untilDeleted('bus');
      await users.soon();
      await users.apply(onNode('bus', 'node-2'));
    },
  },
  {
    name: 'all of a cycle deleted',
    ends: {},
    async run(users) {
      await users.apply(service('a', 1));
      await users.apply(service('b', 1, needs('a')));
      await settle(users);
      await users.patch('a', { spec: needs('b') });
      await users.soon();
      await users.deleteAll('a', 'b');
    },
  },
];

export const priorityStories: readonly OrchestrationStory[] = [
  {
    name: 'an important service arrives when the nodes are full, and leaves',
    takesMs: longMs,
    ends: { batch: 9 },
    async run(users) {
      await users.classes({ critical: 1000, low: 10 });
      await users.apply(full('batch', 9, 'low'));
      await settle(users);
      await users.apply(full('control', 2, 'critical'));
      await users.wait(longMs / 2);
      await users.services.delete('control');
    },
  },
  {
    name: 'less room than the important one needs',
    takesMs: longMs,
    ends: { control: 4, batch: 5 },
    async run(users) {
      await users.classes({ critical: 1000, low: 10 });
      await users.apply(full('batch', 8, 'low'));
      await users.soon();
      await users.apply(full('control', 4, 'critical'));
    },
  },
  {
    name: 'a node lost with everything full, and back',
    takesMs: 2 * longMs + resyncedMs,
    ends: { control: 3, data: 3, batch: 3 },
    async run(users) {
      await users.classes({ critical: 1000, normal: 100, low: 10 });
      await users.apply(full('control', 3, 'critical'));
      await users.apply(full('data', 3, 'normal'));
      await users.apply(full('batch', 3, 'low'));
      await users.wait(resyncedMs);
      users.cutNode('node-2');
      await users.wait(longMs);
      users.restoreNode('node-2');
    },
  },
  {
    name: 'priorities edited in the middle',
    takesMs: longMs,
    ends: { a: 6, b: 3 },
    async run(users) {
      await users.classes({ critical: 1000, low: 10 });
      await users.apply(full('a', 6, 'low'));
      await users.apply(full('b', 6, 'critical'));
      await settle(users);
      await users.patch('a', { spec: { priorityClassName: 'critical' } });
      await users.patch('b', { spec: { priorityClassName: 'low' } });
    },
  },
  {
    name: 'equal priorities take nothing from each other',
    takesMs: longMs + resyncedMs,
    ends: { a: 7, b: 2 },
    async run(users) {
      await users.classes({ normal: 100 });
      await users.apply(full('a', 7, 'normal'));
      // The one that starts first keeps its instances.
      await users.wait(resyncedMs);
      await users.apply(full('b', 4, 'normal'));
    },
  },
  {
    name: 'a rolling update while the nodes are full',
    takesMs: longMs,
    ends: { control: 3, batch: 6 },
    async run(users) {
      await users.classes({ critical: 1000, low: 10 });
      await users.apply(full('batch', 6, 'low'));
      await users.apply(full('control', 3, 'critical', rolling));
      await settle(users);
      await users.patch('control', { spec: { template: { ...large, image: v2 } } });
    },
  },
];

export const autoscalingStories: readonly OrchestrationStory[] = [
  {
    name: 'load that rises and falls',
    takesMs: 2 * longMs,
    ends: { web: 2 },
    async run(users) {
      await users.apply(service('web', 2));
      await users.autoscale('web', { minReplicas: 1, maxReplicas: 6 });
      await settle(users);
      await users.load('web', 300);
      await users.wait(longMs);
      await users.load('web', 100);
    },
  },
  {
    name: 'more load than the maximum allows',
    takesMs: longMs,
    ends: { web: 4 },
    async run(users) {
      await users.apply(service('web', 1));
      await users.autoscale('web', { minReplicas: 1, maxReplicas: 4 });
      await settle(users);
      await users.load('web', 900);
    },
  },
  {
    name: 'measurements that disappear',
    takesMs: 2 * longMs,
    ends: { web: 4 },
    async run(users) {
      await users.apply(service('web', 4));
      users.hideMeasurements(true);
      await users.autoscale('web', { minReplicas: 1, maxReplicas: 6 });
      await users.wait(longMs);
    },
  },
];

/** The simulation starts at midnight. */
const contactWindow = {
  type: 'Schedule' as const,
  schedule: { timezone: 'UTC', start: '10 0 * * *', end: '20 0 * * *', replicas: 5 },
};

export const timeStories: readonly OrchestrationStory[] = [
  {
    name: 'waves of load',
    takesMs: 2 * longMs,
    ends: { web: 2 },
    async run(users) {
      await users.apply(service('web', 2));
      await users.autoscale('web', { minReplicas: 1, maxReplicas: 6 });
      await users.load('web', 200, { wavePeriodMs: 120_000, wavePercent: 80 });
      await users.wait(longMs);
      await users.load('web', 100);
    },
  },
  {
    name: 'a contact window',
    takesMs: 2 * longMs,
    ends: { downlink: 2 },
    async run(users) {
      await users.apply(service('downlink', 2));
      await users.autoscale('downlink', { minReplicas: 2, maxReplicas: 6 }, contactWindow);
      // Schedules follow the operator's clock, which faults set forward and back.
      await users.untilOperatorTime(longMs + 120_000);
      users.expect('downlink', 5);
    },
  },
];

export const combinedStories: readonly OrchestrationStory[] = [
  {
    name: 'nothing is given up for a service that waits for its dependency',
    takesMs: longMs,
    ends: { batch: 7, bus: 1, control: 2 },
    async run(users) {
      await users.classes({ critical: 1000, low: 10 });
      await users.apply(full('batch', 9, 'low'));
      await users.apply(full('control', 2, 'critical', needs('bus')));
      await users.wait(longMs / 2);
      await users.apply(onNode('bus', 'node-1'));
    },
  },
  {
    name: 'a preempted service is not scaled up, and its dependents keep running',
    takesMs: 2 * longMs + resyncedMs,
    ends: { control: 3, web: 6, viewer: 1 },
    async run(users) {
      await users.classes({ critical: 1000, low: 10 });
      await users.apply(full('web', 6, 'low'));
      await users.apply(service('viewer', 1, stopsWithout('web')));
      await users.apply(full('control', 3, 'critical'));
      await users.wait(resyncedMs);
      await users.autoscale('web', { minReplicas: 6, maxReplicas: 8 });
      users.cutNode('node-3');
      await users.load('web', 900);
      await users.wait(longMs);
      await users.load('web', 300);
      users.restoreNode('node-3');
    },
  },
];
