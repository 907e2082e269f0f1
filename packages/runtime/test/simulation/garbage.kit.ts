/**
 * The garbage collector, and users who delete owners with any policy for dependents, create them again under the same
 * name, and release dependents just when they are about to be collected. One owner's record is damaged.
 */
import { Crate, Widget } from '@ecsm/runtime/testing';
import { isApiError } from '../../src/api/errors.ts';
import type { ApiObject } from '../../src/api/object.ts';
import { sleep } from '../../src/ports/clock.ts';
import { EmbeddedRegistry } from '../../src/registry/embedded.ts';
import { collectGarbage } from '../../src/registry/garbage.ts';
import { keyOf } from '../../src/registry/keys.ts';
import type { ProcessDependencies } from '../../src/simulation/incarnation.ts';
import type { Scenario } from '../../src/simulation/scenario.ts';

const registryOf = ({ store, clock, random }: ProcessDependencies) =>
  new EmbeddedRegistry({ store, kinds: [Crate, Widget], clock, random });

async function collector(dependencies: ProcessDependencies): Promise<void> {
  const { signal, clock, log } = dependencies;
  while (!signal.aborted) {
    try {
      await collectGarbage(registryOf(dependencies), { signal, sweepMs: 20_000, log });
    } catch (error) {
      if (!isApiError(error)) throw error;
      await sleep(clock, 1_000, signal);
    }
  }
}

/** `kept` are the keys of widgets that must not be deleted from now on. */
async function people(dependencies: ProcessDependencies, kept: Set<string>): Promise<void> {
  const { store, clock, random } = dependencies;
  const registry = registryOf(dependencies);
  const [crates, widgets] = [registry.resource(Crate), registry.resource(Widget)];
  const owned = (name: string, { apiVersion, kind, metadata }: ApiObject<unknown, unknown>) => {
    const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid, blockOwnerDeletion: true };
    return widgets.create({ metadata: { name, ownerReferences: [owner] }, spec: {} });
  };
  const damaged = await crates.create({ metadata: { name: 'damaged' }, spec: {} });
  await owned('of-damaged', damaged);
  const value = new TextEncoder().encode('{"not an object');
  await store.commit([{ type: 'put', key: keyOf(Crate, 'default', 'damaged'), value }]);
  kept.add(keyOf(Widget, 'default', 'of-damaged'));
  for (let step = 0; step < 6; step++) {
    const owner = await crates.create({ metadata: { name: 'box' }, spec: {} });
    for (const which of ['left', 'released']) await owned(`${which}-${step}`, owner);
    for (const propagationPolicy of step < 2 ? (['Orphan', 'Foreground'] as const) : []) {
      const name = `${propagationPolicy.toLowerCase()}-${step}`;
      const deleted = await crates.create({ metadata: { name }, spec: {} });
      for (const part of ['a', 'b']) await owned(`${name}-${part}`, deleted);
      await crates.delete(name, { propagationPolicy });
      if (propagationPolicy === 'Orphan')
        for (const part of ['a', 'b']) kept.add(keyOf(Widget, 'default', `${name}-${part}`));
    }
    await sleep(clock, random.next() * 500);
    await crates.delete('box');
    await sleep(clock, random.next() * 20);
    try {
      await widgets.patch(`released-${step}`, { metadata: { ownerReferences: null } });
      kept.add(keyOf(Widget, 'default', `released-${step}`));
    } catch (error) {
      // The collector was faster.
      if (!isApiError(error, 'NotFound')) throw error;
    }
    await sleep(clock, random.next() * 500);
  }
  await crates.create({ metadata: { name: 'box' }, spec: {} });
}

interface Stored {
  readonly metadata: { readonly name: string; readonly ownerReferences?: readonly { readonly name: string }[] };
}

export const garbageScenario: Scenario = {
  name: 'garbage',
  faultsUntilMs: 10_000,
  endMs: 60_000,
  build(simulation) {
    const kept = new Set<string>();
    simulation.process('people', { faults: false }).start((dependencies) => people(dependencies, kept));
    simulation.process('collector').start(collector);
    simulation.always('nothing is deleted that was released, or whose owner cannot be read', ({ store }) => {
      for (const key of kept) if (!store.contents.has(key)) return `${key} is gone`;
      return undefined;
    });
    simulation.always('an owner in foreground deletion is removed after its dependents', ({ store }) => {
      for (const [, value] of store.jsonBelow('example.io/v1/widgets/')) {
        const { metadata } = value as Stored;
        if (!metadata.name.startsWith('foreground-')) continue;
        const owner = metadata.name.replace(/-[ab]$/, '');
        if (!store.contents.has(keyOf(Crate, 'default', owner))) return `${owner} is gone before ${metadata.name}`;
      }
      return undefined;
    });
    simulation.eventually('no owner waits for the collector, and no dependent refers to one', ({ store }) => {
      const owner = [...store.contents.keys()].find((key) => /\/crates\/default\/(orphan|foreground)-/.test(key));
      const dependent = [...store.jsonBelow('example.io/v1/widgets/')]
        .map(([, value]) => (value as Stored).metadata)
        .find(({ name, ownerReferences = [] }) => name.startsWith('orphan-') && ownerReferences.length > 0);
      const left = owner ?? dependent?.name;
      return left && `${left} is left`;
    });
    simulation.eventually('nothing is left of owners that are gone, though a new one has their name', ({ store }) => {
      const left = [...store.jsonBelow('example.io/v1/widgets/')]
        .map(([, value]) => value as Stored)
        .find(({ metadata }) => metadata.ownerReferences?.some(({ name }) => name === 'box'));
      return left && `${left.metadata.name} is left`;
    });
  },
};
