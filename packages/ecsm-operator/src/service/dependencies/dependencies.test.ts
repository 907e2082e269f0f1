/** Goal: cycles, the order of deletion and who is woken. Method: small fleets, written as names and edges. */
import { describe, expect, it } from 'vitest';
import { type FleetServiceChanges, fleetService } from '../../fleet/fleet.kit.ts';
import { type FleetService, keyOfService } from '../../fleet/fleet-service.ts';
import { affectedBy } from './affected.ts';
import { cycleOf } from './cycles.ts';
import { deletedBefore, type FleetIndex } from './deletion-order.ts';
import { nameIn, problemOf } from './dependency-state.ts';

/** `{ 'default/a': ['default/b'] }`: a depends on b. */
function fleetOf(edges: Readonly<Record<string, readonly string[]>>, changes: FleetServiceChanges = {}): TestFleet {
  return new TestFleet(Object.entries(edges).map(([name, dependsOn]) => serviceOf(name, { ...changes, dependsOn })));
}

function serviceOf(name: string, changes: FleetServiceChanges = {}): FleetService {
  const [namespace = '', short = ''] = name.split('/');
  return fleetService(short, { namespace, ...changes });
}

const keyOf = (name: string) => {
  const [namespace = '', short = ''] = name.split('/');
  return keyOfService(namespace, short);
};

class TestFleet implements FleetIndex {
  readonly #services: Map<string, FleetService>;

  constructor(services: readonly FleetService[]) {
    this.#services = new Map(services.map((one) => [one.key, one]));
  }

  get(key: string): FleetService | undefined {
    return this.#services.get(key);
  }

  dependentsOf(key: string): readonly string[] {
    return [...this.#services.values()].flatMap((one) =>
      one.dependsOn.some((edge) => edge.key === key) ? [one.key] : [],
    );
  }

  /** Names of those that a change of one service concerns. */
  change(name: string, after: FleetServiceChanges | null): readonly string[] {
    const before = this.#services.get(keyOf(name));
    const next = after === null ? undefined : serviceOf(name, after);
    if (next === undefined) this.#services.delete(keyOf(name));
    else this.#services.set(next.key, next);
    return [...affectedBy(before, next, this)].map(nameIn).sort();
  }
}

describe('a cycle', () => {
  const cycle = (edges: Readonly<Record<string, readonly string[]>>, of: string) => {
    const fleet = fleetOf(edges);
    return cycleOf(keyOf(of), (key) => fleet.get(key))
      ?.map(nameIn)
      .join(' -> ');
  };

  it.each([
    ['none without dependencies', { 'default/a': [] }, undefined],
    ['none in a chain', { 'default/a': ['default/b'], 'default/b': ['default/c'], 'default/c': [] }, undefined],
    [
      'none with two ways to one service',
      {
        'default/a': ['default/b', 'default/c'],
        'default/b': ['default/d'],
        'default/c': ['default/d'],
        'default/d': [],
      },
      undefined,
    ],
    [
      'none for a service that only leads to one',
      { 'default/a': ['default/b'], 'default/b': ['default/c'], 'default/c': ['default/b'] },
      undefined,
    ],
    ['of one', { 'default/a': ['default/a'] }, 'default/a -> default/a'],
    ['of two', { 'default/a': ['default/b'], 'default/b': ['default/a'] }, 'default/a -> default/b -> default/a'],
    [
      'through namespaces',
      { 'default/a': ['bus/a'], 'bus/a': ['ground/x'], 'ground/x': ['default/a'] },
      'default/a -> bus/a -> ground/x -> default/a',
    ],
    [
      'the shortest of two',
      {
        'default/a': ['default/b', 'default/d'],
        'default/b': ['default/c'],
        'default/c': ['default/a'],
        'default/d': ['default/a'],
      },
      'default/a -> default/d -> default/a',
    ],
  ])('%s', (_, edges, path) => {
    expect(cycle(edges, 'default/a')).toBe(path);
  });
});

describe('the condition of a dependency', () => {
  const problem = (condition: 'Available' | 'Exists', changes: FleetServiceChanges | null) =>
    problemOf({ condition }, changes === null ? undefined : serviceOf('default/bus', changes));

  it.each([
    ['Available', {}, undefined],
    // An edit that the operator has not observed yet.
    ['Available', { isAvailable: false }, undefined],
    ['Available', { isReportedAvailable: false }, 'TooFewReady'],
    ['Available', { isReportedAvailable: false, readyCount: 0 }, 'NotAvailable'],
    // Scaled to 0.
    ['Available', { readyCount: 0, existingCount: 0 }, 'NotAvailable'],
    ['Available', null, 'Missing'],
    ['Available', { isBeingDeleted: true }, 'BeingDeleted'],
    ['Available', { isReportedAvailable: false, preempted: { by: 'default/x', replicas: 1 } }, 'Preempted'],
    ['Available', { preempted: { by: 'default/x', replicas: 1 } }, undefined],
    ['Exists', { isReportedAvailable: false, readyCount: 0 }, undefined],
    ['Exists', { existingCount: 0 }, 'NoInstances'],
    ['Exists', { existingCount: 0, preempted: { by: 'default/x', replicas: 1 } }, 'Preempted'],
    ['Exists', { isBeingDeleted: true }, 'BeingDeleted'],
  ] as const)('%s with %o: %s', (condition, changes, expected) => {
    expect(problem(condition, changes)).toBe(expected);
  });
});

describe('deletion', () => {
  const edges = { 'default/bus': [], 'default/b': ['default/bus'], 'time/c': ['default/bus'] };

  it('is after the dependents that are being deleted too', () => {
    expect(deletedBefore(keyOf('default/bus'), fleetOf(edges, { isBeingDeleted: true }))).toEqual([
      'default/b',
      'time/c',
    ]);
    expect(deletedBefore(keyOf('time/c'), fleetOf(edges, { isBeingDeleted: true }))).toEqual([]);
  });

  it('does not wait for dependents that stay, nor for those that are deleted from the platform', () => {
    expect(deletedBefore(keyOf('default/bus'), fleetOf(edges))).toEqual([]);
    expect(
      deletedBefore(keyOf('default/bus'), fleetOf(edges, { isBeingDeleted: true, mayBeOnPlatform: false })),
    ).toEqual([]);
  });

  it('always has a service that need not wait, also in a cycle with a dependent outside', () => {
    const fleet = fleetOf(
      { 'default/a': ['default/b'], 'default/b': ['default/a'], 'default/c': ['default/a'] },
      { isBeingDeleted: true },
    );
    expect(deletedBefore(keyOf('default/a'), fleet)).toEqual(['default/c']);
    expect(deletedBefore(keyOf('default/b'), fleet)).toEqual([]);
    expect(deletedBefore(keyOf('default/c'), fleet)).toEqual([]);
  });
});

describe('a change of a service', () => {
  const edges = {
    'default/bus': [],
    'default/b': ['default/bus'],
    'time/c': ['default/bus'],
    'default/d': ['default/b'],
  };

  it('concerns its direct dependents only', () => {
    expect(fleetOf(edges).change('default/bus', { isReportedAvailable: false })).toEqual(['default/b', 'time/c']);
    expect(fleetOf(edges).change('default/bus', null)).toEqual(['default/b', 'time/c']);
    expect(fleetOf(edges).change('default/bus', { isBeingDeleted: true })).toEqual(['default/b', 'time/c']);
  });

  it('concerns no other service if what they need of it is the same', () => {
    const fleet = fleetOf(edges);
    expect(fleet.change('default/bus', { replicas: 5, readyCount: 4, existingCount: 5, isAvailable: false })).toEqual(
      [],
    );
    const exists = { key: keyOf('default/bus'), condition: 'Exists', onLost: 'Ignore' } as const;
    fleet.change('default/e', { dependsOn: [exists] });
    expect(fleet.change('default/bus', { readyCount: 0 })).toEqual(['default/b', 'time/c']);
  });

  it('concerns all members of a cycle that it closes or opens, and no others', () => {
    const fleet = fleetOf({
      'default/a': [],
      'default/b': ['default/a'],
      'time/c': ['default/b'],
      'default/d': ['default/a'],
    });
    expect(fleet.change('default/a', { dependsOn: ['time/c'] })).toEqual(['default/a', 'default/b', 'time/c']);
    expect(fleet.change('default/a', { dependsOn: [] })).toEqual(['default/a', 'default/b', 'time/c']);
    fleet.change('default/a', { dependsOn: ['time/c'] });
    expect(fleet.change('default/b', null)).toEqual(['default/a', 'default/b', 'time/c']);
  });

  it('concerns what waits to be deleted after it', () => {
    const fleet = fleetOf(edges, { isBeingDeleted: true });
    expect(fleet.change('time/c', null)).toEqual(['default/bus']);
    expect(fleet.change('default/b', { isBeingDeleted: true, mayBeOnPlatform: false, dependsOn: ['bus'] })).toEqual([
      'default/bus',
    ]);
  });
});
