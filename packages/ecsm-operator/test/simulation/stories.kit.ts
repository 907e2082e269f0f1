/**
 * What people do in a run: one story each. A story starts with an empty registry and a platform with four nodes
 * (`node-1` to `node-4`; the fourth runs Linux), and ends with specs that stay as they are.
 */
import type { ECSMServiceInput } from '../../src/apis/ecsm-service.ts';
import type { People } from './world.kit.ts';

export interface Story {
  readonly name: string;
  tell(people: People): Promise<void>;
  /** Names whose bounds are watched from the moment the operator says for the first time that they are ready. */
  readonly watched?: readonly string[];
  /** Names of services on the platform that are nobody's business. */
  readonly foreign?: readonly string[];
  /** Whether the platform carries out creations whose owner is gone by then. */
  readonly hasLeftovers?: boolean;
  /** Whether it is left out where every crash point is tried: it has more than a thousand. */
  readonly isLong?: boolean;
  /** How long it takes, where that is longer than faults last. */
  readonly takesMs?: number;
}

const pool = ['node-1', 'node-2', 'node-3'];
const v1 = 'telemetry@1.0.0#sylixos';
const v2 = 'telemetry@1.1.0#sylixos';

export function dynamic(
  name: string,
  replicas: number,
  more: Partial<ECSMServiceInput['spec']> = {},
): ECSMServiceInput {
  return {
    metadata: { name },
    spec: {
      deploymentStrategy: { type: 'Dynamic', replicas, nodePool: pool },
      template: { image: v1, env: [{ name: 'RATE', value: '10' }], resources: { limits: { memory: '64Mi' } } },
      ...more,
    },
  };
}

export function fixed(
  name: string,
  nodes: readonly string[],
  more: Partial<ECSMServiceInput['spec']> = {},
): ECSMServiceInput {
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
const settle = (people: People) => people.wait(15_000);

export const stories: readonly Story[] = [
  {
    name: 'create',
    async tell(people) {
      await people.apply(dynamic('a', 3));
      await people.apply(fixed('b', ['node-1', 'node-2']));
    },
  },
  {
    name: 'scale up, down and to nothing',
    async tell(people) {
      await people.apply(dynamic('a', 2));
      for (const count of [5, 1, 0, 2]) {
        await people.soon();
        await people.patch('a', replicas(count));
      }
    },
  },
  {
    name: 'scale to nothing and stay there',
    async tell(people) {
      await people.apply(dynamic('a', 2));
      await settle(people);
      await people.patch('a', replicas(0));
    },
  },
  {
    name: 'update in place',
    async tell(people) {
      await people.apply(dynamic('a', 2));
      await people.apply(fixed('b', ['node-1', 'node-3']));
      await people.soon();
      await people.patch('a', image(v2));
      await people.soon();
      await people.patch('b', image(v2));
    },
  },
  {
    name: 'rolling update of a dynamic service',
    watched: ['a'],
    async tell(people) {
      await people.apply(dynamic('a', 3, rolling));
      await settle(people);
      await people.patch('a', image(v2));
    },
  },
  {
    name: 'rolling update of a static service',
    watched: ['b'],
    async tell(people) {
      await people.apply(fixed('b', pool, rolling));
      await settle(people);
      await people.patch('b', image(v2));
    },
  },
  {
    name: 'two edits during a rolling update',
    watched: ['a'],
    async tell(people) {
      await people.apply(dynamic('a', 3, rolling));
      await settle(people);
      await people.patch('a', image(v2));
      await people.soon();
      await people.patch('a', { spec: { template: { env: [{ name: 'RATE', value: '20' }] } } });
      await people.soon();
      await people.patch('a', { spec: { template: { env: [{ name: 'RATE', value: '30' }] } } });
    },
  },
  {
    name: 'undo in the middle of a rolling update',
    watched: ['a'],
    async tell(people) {
      await people.apply(dynamic('a', 3, rolling));
      await settle(people);
      await people.patch('a', image(v2));
      await people.soon();
      await people.patch('a', image(v1));
    },
  },
  {
    name: 'pause and resume a rolling update',
    watched: ['a'],
    async tell(people) {
      await people.apply(dynamic('a', 3, rolling));
      await settle(people);
      await people.patch('a', image(v2));
      await people.soon();
      await people.patch('a', { spec: { paused: true } });
      await settle(people);
      await people.patch('a', { spec: { paused: false } });
    },
  },
  {
    name: 'delete, also during creation',
    async tell(people) {
      await people.apply(dynamic('a', 2));
      await people.apply(dynamic('b', 2));
      await people.soon();
      await people.services.delete('a');
      await settle(people);
      await people.services.delete('b');
    },
  },
  {
    name: 'delete and create again',
    async tell(people) {
      await people.apply(dynamic('a', 2));
      await people.soon();
      await people.services.delete('a');
      await people.soon();
      await people.untilGone('a');
      await people.apply(dynamic('a', 3));
    },
  },
  {
    name: 'adopt a service that was there before',
    async tell(people) {
      people.makeForeign('a');
      await people.apply(dynamic('a', 2));
      await settle(people);
      await people.patch('a', { metadata: { annotations: { 'ecsm.sh/adopt': 'true' } } });
    },
  },
  {
    name: 'leave a foreign service alone',
    foreign: ['a'],
    async tell(people) {
      people.makeForeign('a');
      await people.apply(dynamic('a', 2));
      await people.apply(dynamic('b', 1));
    },
  },
  {
    name: 'put right what somebody changed, stopped and deleted by hand',
    async tell(people) {
      await people.apply(dynamic('a', 2));
      await people.apply(dynamic('b', 2));
      await people.apply(fixed('c', ['node-1']));
      await settle(people);
      people.meddle('a', 'edit');
      people.meddle('b', 'stop');
      await people.soon();
      people.meddle('c', 'delete');
    },
  },
  {
    name: 'a crash loop that ends',
    async tell(people) {
      await people.apply(dynamic('a', 2));
      await settle(people);
      people.crashLoop('a', 500);
      await settle(people);
      people.crashLoop('a', null);
    },
  },
  {
    name: 'deployments that fail at first',
    async tell(people) {
      people.platform.failDeployments({ count: 3 });
      await people.apply(dynamic('a', 2));
      await people.apply(fixed('b', ['node-2']));
    },
  },
  {
    name: 'a node lost and back',
    takesMs: 60_000,
    async tell(people) {
      await people.apply(dynamic('a', 3));
      await people.apply(fixed('b', ['node-1', 'node-2']));
      await settle(people);
      people.cutNode('node-1');
      await people.wait(60_000);
      people.restoreNode('node-1');
    },
  },
  {
    name: 'the platform out of reach for an hour',
    takesMs: 3_700_000,
    async tell(people) {
      await people.apply(dynamic('a', 2));
      await people.soon();
      people.cutLink(true);
      await people.patch('a', image(v2));
      await people.apply(dynamic('b', 1));
      await people.wait(3_600_000);
      people.cutLink(false);
    },
  },
  {
    name: 'changes of mind during a rolling update of a dynamic service',
    watched: ['a'],
    isLong: true,
    takesMs: 60_000,
    async tell(people) {
      await people.apply(dynamic('a', 3, rolling));
      await settle(people);
      for (const ref of [v2, v1, v2, v1, v2]) {
        await people.patch('a', image(ref));
        await people.soon();
      }
    },
  },
  {
    name: 'changes of mind during a rolling update of a static service',
    watched: ['b'],
    isLong: true,
    takesMs: 60_000,
    async tell(people) {
      await people.apply(fixed('b', pool, rolling));
      await settle(people);
      for (const ref of [v2, v1, v2, v1, v2]) {
        await people.patch('b', image(ref));
        await people.soon();
      }
    },
  },
  {
    name: 'a creation that comes late, when its owner was deleted and created again',
    hasLeftovers: true,
    takesMs: 700_000,
    async tell(people) {
      people.holdCreations();
      await people.apply(dynamic('a', 2));
      await people.untilHeld();
      await people.services.delete('a');
      await people.untilGone('a');
      const sendStep = people.endHold();
      // Sometimes the name is taken before the new owner wants it, sometimes only then.
      const isEarly = people.random.next() < 0.5;
      if (isEarly) sendStep();
      await people.apply(dynamic('a', 3, { template: { image: v2 } }));
      await people.soon();
      if (!isEarly) sendStep();
    },
  },
  {
    name: 'a step of a rolling update that comes late, when its owner was deleted and created again',
    hasLeftovers: true,
    takesMs: 700_000,
    async tell(people) {
      await people.apply(dynamic('a', 3, rolling));
      await settle(people);
      people.holdCreations();
      await people.patch('a', image(v2));
      await people.untilHeld();
      await people.services.delete('a');
      await people.untilGone('a');
      const sendStep = people.endHold();
      await people.apply(dynamic('a', 2, rolling));
      await people.soon();
      sendStep();
    },
  },
];
