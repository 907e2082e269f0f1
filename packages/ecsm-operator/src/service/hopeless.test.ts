import { expect, it } from 'vitest';
import { Desk } from './desk.kit.ts';
import { isHopeless } from './hopeless.ts';
import { situationOf } from './situation.ts';

it('an instance on a lost node is given up only after the grace period', () => {
  const desk = new Desk();
  desk.settle();
  const [container] = desk.world.containers;
  if (container === undefined) throw new Error('there is no instance');
  desk.world.offline.add(container.node);
  desk.reconcile();
  const verdicts = () => {
    const situation = situationOf(desk.input());
    const instances = situation.owned.flatMap((one) => one.instances);
    return instances.filter(({ state }) => state === 'unknown').map((one) => isHopeless(situation, one));
  };
  expect(verdicts()).toEqual([false]);
  desk.world.advance(desk.settings.lostNodeGraceMs - 1);
  expect(verdicts()).toEqual([false]);
  desk.world.advance(1_000);
  expect(verdicts()).toEqual([true]);
});

it('an instance that is ready, or was stopped and nothing has been tried yet, is not given up', () => {
  const desk = new Desk();
  desk.settle();
  const [first] = desk.world.containers;
  if (first === undefined) throw new Error('there is no instance');
  desk.world.crash(first, undefined);
  desk.reconcile();
  const situation = situationOf(desk.input());
  const instances = situation.owned.flatMap((one) => one.instances);
  expect(instances.map(({ state }) => state).sort()).toEqual(['ready', 'stopped']);
  expect(instances.map((one) => isHopeless(situation, one))).toEqual([false, false]);
});
