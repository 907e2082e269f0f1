/**
 * The actions of users in a run: one story each. A story starts with an empty registry and a platform with four nodes
 * (`node-1` to `node-4`; the fourth runs Linux), and ends with specs that no longer change.
 */
import type { ECSMServiceInput } from '../../src/apis/ecsm-service.ts';
import type { Users } from './world.kit.ts';

export interface Story {
  readonly name: string;
  run(users: Users): Promise<void>;
  /** Names whose bounds are checked after the operator first reports them as ready. */
  readonly watched?: readonly string[];
  /** Names of foreign services on the platform. */
  readonly foreign?: readonly string[];
  /** Whether the platform performs creations after their owner was deleted. */
  readonly hasLeftovers?: boolean;
  /** Whether it is excluded from the runs with every crash point: it has more than a thousand. */
  readonly isLong?: boolean;
  /** Whether the link is slow until the end of the story, see slow-link.kit.ts. */
  readonly isSlow?: boolean;
  /** Its duration, if longer than that of faults. */
  readonly takesMs?: number;
}

const pool = ['node-1', 'node-2', 'node-3'];
const v1 = 'telemetry@1.0.0#sylixos';
const v2 = 'telemetry@1.1.0#sylixos';

function dynamic(name: string, replicas: number, more: Partial<ECSMServiceInput['spec']> = {}): ECSMServiceInput {
  return {
    metadata: { name },
    spec: {
      deploymentStrategy: { type: 'Dynamic', replicas, nodePool: pool },
      template: { image: v1, env: [{ name: 'RATE', value: '10' }], resources: { limits: { memory: '64Mi' } } },
      ...more,
    },
  };
}

function fixed(name: string, nodes: readonly string[], more: Partial<ECSMServiceInput['spec']> = {}): ECSMServiceInput {
  return {
    metadata: { name },
    spec: {
      deploymentStrategy: { type: 'Static', nodes },
      template: { image: v1, resources: { limits: { memory: '64Mi' } } },
      ...more,
    },
  };
}

const rolling = {
  updateStrategy: { type: 'RollingUpdate' as const, rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
};
const image = (ref: string) => ({ spec: { template: { image: ref } } });
const replicas = (count: number) => ({ spec: { deploymentStrategy: { replicas: count } } });
const settle = (users: Users) => users.wait(15_000);

export const stories: readonly Story[] = [
  {
    name: 'create',
    async run(users) {
      await users.apply(dynamic('a', 3));
      await users.apply(fixed('b', ['node-1', 'node-2']));
    },
  },
  {
    name: 'scale up, down and to 0',
    async run(users) {
      await users.apply(dynamic('a', 2));
      for (const count of [5, 1, 0, 2]) {
        await users.soon();
        await users.patch('a', replicas(count));
      }
    },
  },
  {
    name: 'scale to 0 and stay there',
    async run(users) {
      await users.apply(dynamic('a', 2));
      await settle(users);
      await users.patch('a', replicas(0));
    },
  },
  {
    name: 'update in place',
    async run(users) {
      await users.apply(dynamic('a', 2));
      await users.apply(fixed('b', ['node-1', 'node-3']));
      await users.soon();
      await users.patch('a', image(v2));
      await users.soon();
      await users.patch('b', image(v2));
    },
  },
  {
    name: 'rolling update of a dynamic service',
    watched: ['a'],
    async run(users) {
      await users.apply(dynamic('a', 3, rolling));
      await settle(users);
      await users.patch('a', image(v2));
    },
  },
  {
    name: 'rolling update of a static service',
    watched: ['b'],
    async run(users) {
      await users.apply(fixed('b', pool, rolling));
      await settle(users);
      await users.patch('b', image(v2));
    },
  },
  {
    name: 'two edits during a rolling update',
    watched: ['a'],
    async run(users) {
      await users.apply(dynamic('a', 3, rolling));
      await settle(users);
      await users.patch('a', image(v2));
      await users.soon();
      await users.patch('a', { spec: { template: { env: [{ name: 'RATE', value: '20' }] } } });
      await users.soon();
      await users.patch('a', { spec: { template: { env: [{ name: 'RATE', value: '30' }] } } });
    },
  },
  {
    name: 'undo during a rolling update',
    watched: ['a'],
    async run(users) {
      await users.apply(dynamic('a', 3, rolling));
      await settle(users);
      await users.patch('a', image(v2));
      await users.soon();
      await users.patch('a', image(v1));
    },
  },
  {
    name: 'pause and resume a rolling update',
    watched: ['a'],
    async run(users) {
      await users.apply(dynamic('a', 3, rolling));
      await settle(users);
      await users.patch('a', image(v2));
      await users.soon();
      await users.patch('a', { spec: { paused: true } });
      await settle(users);
      await users.patch('a', { spec: { paused: false } });
    },
  },
  {
    name: 'delete, also during creation',
    async run(users) {
      await users.apply(dynamic('a', 2));
      await users.apply(dynamic('b', 2));
      await users.soon();
      await users.services.delete('a');
      await settle(users);
      await users.services.delete('b');
    },
  },
  {
    name: 'delete and recreate',
    async run(users) {
      await users.apply(dynamic('a', 2));
      await users.soon();
      await users.services.delete('a');
      await users.soon();
      await users.untilDeleted('a');
      await users.apply(dynamic('a', 3));
    },
  },
  {
    name: 'adopt a service that was there before',
    async run(users) {
      users.createForeign('a');
      await users.apply(dynamic('a', 2));
      await settle(users);
      await users.patch('a', { metadata: { annotations: { 'ecsm.sh/adopt': 'true' } } });
    },
  },
  {
    name: 'do not change a foreign service',
    foreign: ['a'],
    async run(users) {
      users.createForeign('a');
      await users.apply(dynamic('a', 2));
      await users.apply(dynamic('b', 1));
    },
  },
  {
    name: 'correct manual changes, stops and deletions',
    async run(users) {
      await users.apply(dynamic('a', 2));
      await users.apply(dynamic('b', 2));
      await users.apply(fixed('c', ['node-1']));
      await settle(users);
      users.interfere('a', 'edit');
      users.interfere('b', 'stop');
      await users.soon();
      users.interfere('c', 'delete');
    },
  },
  {
    name: 'a crash loop that ends',
    async run(users) {
      await users.apply(dynamic('a', 2));
      await settle(users);
      users.crashLoop('a', 500);
      await settle(users);
      users.crashLoop('a', null);
    },
  },
  {
    name: 'deployments that fail at first',
    async run(users) {
      users.platform.failDeployments({ count: 3 });
      await users.apply(dynamic('a', 2));
      await users.apply(fixed('b', ['node-2']));
    },
  },
  {
    name: 'a node lost and restored',
    takesMs: 60_000,
    async run(users) {
      await users.apply(dynamic('a', 3));
      await users.apply(fixed('b', ['node-1', 'node-2']));
      await settle(users);
      users.cutNode('node-1');
      await users.wait(60_000);
      users.restoreNode('node-1');
    },
  },
  {
    name: 'the platform unreachable for an hour',
    takesMs: 3_700_000,
    async run(users) {
      await users.apply(dynamic('a', 2));
      await users.soon();
      users.cutLink(true);
      await users.patch('a', image(v2));
      await users.apply(dynamic('b', 1));
      await users.wait(3_600_000);
      users.cutLink(false);
    },
  },
  {
    name: 'several edits during a rolling update of a dynamic service',
    watched: ['a'],
    isLong: true,
    takesMs: 60_000,
    async run(users) {
      await users.apply(dynamic('a', 3, rolling));
      await settle(users);
      for (const ref of [v2, v1, v2, v1, v2]) {
        await users.patch('a', image(ref));
        await users.soon();
      }
    },
  },
  {
    name: 'several edits during a rolling update of a static service',
    watched: ['b'],
    isLong: true,
    takesMs: 60_000,
    async run(users) {
      await users.apply(fixed('b', pool, rolling));
      await settle(users);
      for (const ref of [v2, v1, v2, v1, v2]) {
        await users.patch('b', image(ref));
        await users.soon();
      }
    },
  },
  {
    name: 'a late creation, after its owner was deleted and recreated',
    hasLeftovers: true,
    takesMs: 700_000,
    async run(users) {
      users.holdCreations();
      await users.apply(dynamic('a', 2));
      await users.untilHeld();
      await users.services.delete('a');
      await users.untilDeleted('a');
      const sendStep = users.endHold();
      // The name may be in use before the new owner is created, or only afterwards.
      const isEarly = users.random.next() < 0.5;
      if (isEarly) sendStep();
      await users.apply(dynamic('a', 3, { template: { image: v2 } }));
      await users.soon();
      if (!isEarly) sendStep();
    },
  },
  {
    name: 'a late step of a rolling update, after its owner was deleted and recreated',
    hasLeftovers: true,
    takesMs: 700_000,
    async run(users) {
      await users.apply(dynamic('a', 3, rolling));
      await settle(users);
      users.holdCreations();
      await users.patch('a', image(v2));
      await users.untilHeld();
      await users.services.delete('a');
      await users.untilDeleted('a');
      const sendStep = users.endHold();
      await users.apply(dynamic('a', 2, rolling));
      await users.soon();
      sendStep();
    },
  },
];

/** More services than calls in flight, so that calls wait for each other. */
const fleet = Array.from({ length: 12 }, (_, number) => `s${number}`);

export const slowStories: readonly Story[] = [
  {
    name: 'a rolling update of many services over a slow link',
    watched: fleet,
    isLong: true,
    isSlow: true,
    takesMs: 1_200_000,
    async run(users) {
      for (const name of fleet) await users.apply(dynamic(name, 2, rolling));
      await users.wait(400_000);
      for (const name of fleet) await users.patch(name, image(v2));
      await users.wait(800_000);
      users.healLink();
    },
  },
  {
    name: 'many services are created, updated and deleted over a slow link',
    isLong: true,
    isSlow: true,
    takesMs: 900_000,
    async run(users) {
      for (const name of fleet) await users.apply(dynamic(name, 1));
      await users.wait(100_000);
      for (const name of fleet) await users.patch(name, image(v2));
      await users.wait(100_000);
      for (const name of fleet.slice(0, 6)) await users.services.delete(name);
      await users.wait(700_000);
      users.healLink();
    },
  },
];
