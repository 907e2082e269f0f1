import { expect, it } from 'vitest';
import { createCluster } from '../resource/cluster.kit.ts';
import type { PassInput } from './model.ts';
import { nextAction } from './next-action.ts';
import { statusOf } from './status.ts';
import { ToyCluster } from './toy-cluster.kit.ts';

it('does not report members as ready that were ready before the quorum was lost', async () => {
  const toy = new ToyCluster();
  toy.run();
  const before: PassInput = toy.input();
  const cluster = await createCluster();
  const running = statusOf(cluster, before, nextAction(before));
  expect(running.members?.map(({ ready }) => ready)).toEqual([true, true, true]);

  const slots = before.facts.slots.map((slot) => ({
    ...slot,
    member: undefined,
    status: undefined,
    isServing: false,
    ...(slot.index === 0 ? { statusError: 'connection refused' } : { pod: undefined }),
  }));
  const after: PassInput = { ...before, facts: { ...before.facts, membership: undefined, slots } };
  const lost = statusOf({ ...cluster, status: running }, after, nextAction(after));
  expect(lost).toMatchObject({ replicas: 3, readyReplicas: 0 });
  expect(lost.members?.map(({ id, ready, role, message }) => ({ id, ready, role, message }))).toEqual(
    ['connection refused', 'no pod', 'no pod'].map((message, index) => ({
      id: running.members?.[index]?.id,
      ready: false,
      role: undefined,
      message,
    })),
  );
});
