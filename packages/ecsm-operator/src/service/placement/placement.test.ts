/** Goal: every rule of the placement. Method: small sites with sizes in mebibytes, the answers for each service. */
import { describe, expect, it } from 'vitest';
import { node, placed, service } from './placement.kit.ts';

const site = [node('n1', 200), node('n2', 200)];

describe('room', () => {
  it('allows what fits, also beside what exists', () => {
    const { of } = placed(site, [service('a', { desired: 4, placed: { n1: 1 } })]);
    expect(of('a')).toEqual({ allowed: 4, surge: 0 });
  });

  it('limits a service to what fits, with numbers that can be checked', () => {
    const { of } = placed([node('n1', 228), node('n2', 164)], [service('a', { desired: 5 })]);
    expect(of('a')).toEqual({
      allowed: 3,
      surge: 0,
      unschedulable: 'needs 100Mi on one of n1, n2: free 28Mi, 64Mi; 3 of 5 instances fit',
    });
  });

  it('counts memory and disk', () => {
    const { of } = placed([node('n1', 1_000, 300)], [service('a', { desired: 3, disk: 200, nodeNames: ['n1'] })]);
    expect(of('a')).toEqual({
      allowed: 1,
      surge: 0,
      unschedulable: 'needs 100Mi and 200Mi disk on n1: free 900Mi and 100Mi disk; 1 of 3 instances fit',
    });
  });

  it('does not need a resource that it does not limit, also if others use more than there is', () => {
    const { of } = placed([node('n1', 300, -50)], [service('a', { desired: 3, nodeNames: ['n1'] })]);
    expect(of('a')?.allowed).toBe(3);
  });

  it('is not limited on a node whose capacity is unknown', () => {
    const { of } = placed([node('n1'), node('n2', 100)], [service('a', { desired: 50 })]);
    expect(of('a')?.allowed).toBe(50);
  });

  it('has no room on a node that is not online', () => {
    const { of } = placed([], [service('a', { desired: 2 })]);
    expect(of('a')).toEqual({
      allowed: 0,
      surge: 0,
      unschedulable: 'none of its nodes is online: n1, n2; 0 of 2 instances fit',
    });
  });

  it('says nothing of services without limits, and does not count them', () => {
    const { of } = placed(site, [service('free', { memory: 0, desired: 90 }), service('a', { desired: 4 })]);
    expect(of('free')).toBeUndefined();
    expect(of('a')?.allowed).toBe(4);
  });

  it('counts requested instances until they are deleted, also those that are given up (a preemptor grew too soon)', () => {
    const { of } = placed(site, [
      service('bulk', { desired: 4, floating: 4, hold: { by: 'default/radar', allowed: 2 } }),
      service('radar', { desired: 2, priority: 1 }),
    ]);
    expect(of('radar')).toMatchObject({ allowed: 0, waiting: expect.stringContaining('2 of default/bulk') });
  });

  it('takes back requests without room from a service that gives up others (it grew while it was held)', () => {
    const { of } = placed(
      [node('n1', 200)],
      [
        service('bulk', { desired: 4, placed: { n1: 2 }, floating: 2 }),
        service('radar', { desired: 1, priority: 1, placed: { n2: 1 } }),
      ],
    );
    expect(of('bulk')).toMatchObject({ allowed: 1, hold: { by: 'default/radar' } });
  });

  it('counts instances that were requested and are not on a node yet', () => {
    const { of } = placed(site, [
      service('a', { desired: 3, floating: 3 }),
      service('b', { desired: 2, createdTime: '2026-01-02T00:00:00Z' }),
    ]);
    expect(of('b')?.allowed).toBe(1);
  });

  it('moves what is not on a node yet out of the way of a service with fewer nodes', () => {
    const { of } = placed(
      [node('n1', 100), node('n2', 100)],
      [
        service('a', { desired: 1, floating: 1 }),
        service('b', { desired: 1, nodeNames: ['n1'], createdTime: '2026-01-02T00:00:00Z' }),
      ],
    );
    expect(of('a')?.allowed).toBe(1);
    expect(of('b')?.allowed).toBe(1);
  });

  it('leaves instances alone that exist on a node that is too full', () => {
    const { of } = placed([node('n1', 150)], [service('a', { desired: 2, placed: { n1: 2 }, nodeNames: ['n1'] })]);
    expect(of('a')).toEqual({ allowed: 2, surge: 0 });
  });

  it('serves the highest priority first, then the oldest, then by name', () => {
    const one = [node('n1', 100)];
    const names = (left: object, right: object) => {
      const { of } = placed(one, [service('a', { ...left }), service('b', { ...right })]);
      return ['a', 'b'].filter((name) => of(name)?.allowed === 1);
    };
    expect(names({ priority: 1 }, { priority: 2 })).toEqual(['b']);
    expect(names({ createdTime: '2026-01-02T00:00:00Z' }, {})).toEqual(['b']);
    expect(names({}, {})).toEqual(['a']);
  });
});

describe('preemption', () => {
  it('gives up the fewest instances of the lowest priority, and creates nothing before they are deleted', () => {
    const { of } = placed(site, [
      service('low', { desired: 2, priority: 1, placed: { n1: 1, n2: 1 } }),
      service('lowest', { desired: 2, placed: { n1: 1, n2: 1 } }),
      service('high', { desired: 1, priority: 10 }),
    ]);
    expect(of('low')).toEqual({ allowed: 2, surge: 0 });
    expect(of('lowest')).toEqual({ allowed: 1, surge: 0, hold: { by: 'default/high', allowed: 1 } });
    expect(of('high')).toEqual({
      allowed: 0,
      surge: 0,
      waiting: 'waits for the deletion of 1 of default/lowest; 0 of 1 instances fit',
      victims: [{ name: 'default/lowest', replicas: 1 }],
    });
  });

  it('decides the same while the instances are still being deleted, and lets the service grow after that', () => {
    const high = service('high', { desired: 1, priority: 10 });
    const hold = { by: 'default/high', allowed: 3 };
    const leaving = placed(site, [service('low', { desired: 4, hold, placed: { n1: 2, n2: 2 } }), high]);
    expect(leaving.of('low')).toEqual({ allowed: 3, surge: 0, hold });
    expect(leaving.of('high')).toMatchObject({ allowed: 0 });
    expect(leaving.of('high')?.victims).toBeUndefined();
    const gone = placed(site, [service('low', { desired: 4, hold, placed: { n1: 1, n2: 2 } }), high]);
    expect(gone.of('low')).toEqual({ allowed: 3, surge: 0, hold });
    expect(gone.of('high')).toEqual({ allowed: 1, surge: 0 });
  });

  it('never happens for an equal or lower priority', () => {
    for (const priority of [5, 4]) {
      const { of } = placed(site, [
        service('old', { desired: 4, priority: 5, placed: { n1: 2, n2: 2 } }),
        service('new', { desired: 1, priority, createdTime: '2025-01-01T00:00:00Z' }),
      ]);
      expect(of('old')).toEqual({ allowed: 4, surge: 0 });
      expect(of('new')?.unschedulable).toBe('needs 100Mi on one of n1, n2: free 0, 0; 0 of 1 instances fit');
    }
  });

  it('does not happen with the policy Never', () => {
    const { of } = placed(site, [
      service('low', { desired: 4, placed: { n1: 2, n2: 2 } }),
      service('high', { desired: 1, priority: 5, mayPreempt: false }),
    ]);
    expect(of('low')?.hold).toBeUndefined();
    expect(of('high')?.allowed).toBe(0);
  });

  it('gives up nothing if that would not be enough', () => {
    const { of } = placed(
      [node('n1', 200)],
      [
        service('low', { desired: 1, placed: { n1: 1 }, nodeNames: ['n1'] }),
        service('equal', { desired: 1, priority: 5, placed: { n1: 1 }, nodeNames: ['n1'] }),
        service('high', { desired: 1, priority: 5, memory: 150, nodeNames: ['n1'] }),
      ],
    );
    expect(of('low')).toEqual({ allowed: 1, surge: 0 });
    expect(of('high')?.unschedulable).toBe('needs 150Mi on n1: free 0; 0 of 1 instances fit');
  });

  it('prefers the node where lower priorities suffice', () => {
    const { of } = placed(site, [
      service('a', { desired: 1, priority: 5, memory: 200, placed: { n1: 1 } }),
      service('b', { desired: 2, priority: 1, placed: { n2: 2 } }),
      service('high', { desired: 1, priority: 10, memory: 200 }),
    ]);
    expect(of('a')?.hold).toBeUndefined();
    expect(of('b')?.allowed).toBe(0);
  });

  it('keeps a small instance if a larger one is enough', () => {
    const { of } = placed(
      [node('n1', 250)],
      [
        service('small', { memory: 50, placed: { n1: 1 }, nodeNames: ['n1'] }),
        service('large', { memory: 200, priority: 1, placed: { n1: 1 }, nodeNames: ['n1'] }),
        service('high', { memory: 200, priority: 10, nodeNames: ['n1'] }),
      ],
    );
    expect(of('small')).toEqual({ allowed: 1, surge: 0 });
    expect(of('large')?.allowed).toBe(0);
  });

  it('waits for instances that are deleted anyway', () => {
    const { of } = placed(site, [
      service('shrinking', { desired: 3, priority: 20, placed: { n1: 2, n2: 2 } }),
      service('high', { desired: 1, priority: 10 }),
    ]);
    expect(of('shrinking')).toEqual({ allowed: 3, surge: 0 });
    expect(of('high')?.waiting).toBe('waits for the deletion of 1 of default/shrinking; 0 of 1 instances fit');
  });

  it('gives up instances on particular nodes of a static service', () => {
    const fixed = service('fixed', { policy: 'Static', desired: 2, memory: 200, placed: { n1: 1, n2: 1 } });
    const { of } = placed(site, [fixed, service('high', { priority: 1, nodeNames: ['n2'] })]);
    const hold = { by: 'default/high', allowed: 1, nodeNames: ['n1'] };
    expect(of('fixed')).toEqual({ allowed: 1, surge: 0, nodeNames: ['n1'], hold });
    const again = placed(site, [{ ...fixed, hold }, service('high', { priority: 1, nodeNames: ['n2'] })]);
    expect(again.of('fixed')).toEqual({ allowed: 1, surge: 0, nodeNames: ['n1'], hold });
  });
});

describe('a lost node', () => {
  it('moves its instances into room that is free, important services first', () => {
    const { of } = placed(
      [node('n1', 200)],
      [
        service('low', { desired: 2, placed: { n1: 1, n2: 1 } }),
        service('high', { desired: 1, priority: 10, placed: { n2: 1 } }),
      ],
    );
    expect(of('high')).toEqual({ allowed: 1, surge: 0 });
    // Without the hold the platform could create it in the room that the other needs.
    expect(of('low')).toEqual({ allowed: 1, surge: 0, hold: { by: 'default/high', allowed: 1 } });
  });

  it('makes room for important services', () => {
    const { of } = placed(
      [node('n1', 200)],
      [
        service('low', { desired: 2, placed: { n1: 2 } }),
        service('high', { desired: 2, priority: 10, placed: { n2: 2 } }),
      ],
    );
    expect(of('low')).toEqual({ allowed: 0, surge: 0, hold: { by: 'default/high', allowed: 0 } });
    // The platform moves them: their number must not shrink.
    expect(of('high')).toMatchObject({ allowed: 2, victims: [{ name: 'default/low', replicas: 2 }] });
    expect(of('high')?.waiting).toBe('waits for the deletion of 2 of default/low; 0 of 2 instances fit');
  });

  it('leaves the number alone if no service of higher priority needs the room', () => {
    const { of } = placed([node('n1', 100)], [service('a', { desired: 2, placed: { n1: 1, n2: 1 } })]);
    expect(of('a')).toMatchObject({
      allowed: 2,
      unschedulable: 'needs 100Mi on n1: free 0; 1 of 2 instances fit',
    });
  });

  it('does not concern the instance of a static service, which waits for its node', () => {
    const fixed = service('fixed', { policy: 'Static', desired: 2, placed: { n1: 1, n2: 1 } });
    expect(placed([node('n1', 100)], [fixed]).of('fixed')).toEqual({
      allowed: 2,
      surge: 0,
      nodeNames: ['n1', 'n2'],
    });
  });
});

describe('restoring', () => {
  const hold = { by: 'default/high', allowed: 1 };
  const low = (roomSinceMs?: number) =>
    service('low', {
      desired: 3,
      placed: { n1: 1 },
      hold: { ...hold, ...(roomSinceMs === undefined ? {} : { roomSinceMs }) },
    });

  it('waits until there has been room long enough', () => {
    const first = placed(site, [low()], { nowMs: 1_000 });
    expect(first.of('low')).toEqual({ allowed: 1, surge: 0, hold: { ...hold, roomSinceMs: 1_000 } });
    expect(first.dueMs).toBe(60_000);
    const early = placed(site, [low(1_000)], { nowMs: 60_999 });
    expect(early.of('low')?.allowed).toBe(1);
    expect(early.dueMs).toBe(1);
    expect(placed(site, [low(1_000)], { nowMs: 61_000 }).of('low')).toEqual({ allowed: 3, surge: 0 });
  });

  it('starts the wait again if the room was needed in the meantime', () => {
    const full = placed(site, [low(1_000), service('other', { desired: 3, priority: 5, placed: { n1: 1, n2: 2 } })], {
      nowMs: 90_000,
    });
    expect(full.of('low')).toEqual({ allowed: 1, surge: 0, hold });
    expect(full.dueMs).toBeUndefined();
  });

  it('restores as many as fit, and holds the others', () => {
    const { of } = placed(site, [low(0), service('other', { desired: 2, priority: 5, placed: { n1: 1, n2: 1 } })], {
      nowMs: 60_000,
    });
    expect(of('low')).toEqual({ allowed: 2, surge: 0, hold: { by: 'default/high', allowed: 2 } });
  });

  it('restores the highest priority first', () => {
    const second = { ...low(0), key: 'second', name: 'default/second', priority: 1 };
    const { of } = placed([node('n1', 400)], [low(0), second], { nowMs: 60_000 });
    expect(of('second')?.allowed).toBe(3);
    expect(of('low')?.allowed).toBe(1);
  });

  it('keeps room that is being waited for from services of lower priority', () => {
    const { of } = placed(
      [node('n1', 200)],
      [service('low', { desired: 2, priority: 1, placed: { n1: 1 }, hold }), service('lower', { desired: 1 })],
    );
    expect(of('lower')?.allowed).toBe(0);
  });

  it('ends if the user wants no more than what is left', () => {
    const { of } = placed(site, [service('low', { desired: 1, placed: { n1: 1 }, hold })]);
    expect(of('low')).toEqual({ allowed: 1, surge: 0 });
  });

  it('restores the nodes of a static service', () => {
    const fixed = service('fixed', {
      policy: 'Static',
      desired: 2,
      placed: { n1: 1 },
      hold: { by: 'default/high', allowed: 1, roomSinceMs: 0 },
    });
    expect(placed(site, [fixed], { nowMs: 59_999 }).of('fixed')).toMatchObject({ allowed: 1, nodeNames: ['n1'] });
    expect(placed(site, [fixed], { nowMs: 60_000 }).of('fixed')).toEqual({
      allowed: 2,
      surge: 0,
      nodeNames: ['n1', 'n2'],
    });
  });
});

describe('an update', () => {
  it('gets the further instances that fit', () => {
    const rolling = service('a', { desired: 3, surge: 2, placed: { n1: 2, n2: 1 } });
    expect(placed(site, [rolling]).of('a')).toEqual({ allowed: 3, surge: 1 });
  });

  it('preempts for them only if it cannot proceed otherwise', () => {
    const low = service('low', { desired: 2, placed: { n2: 2 } });
    const rolling = { desired: 2, priority: 1, surge: 1, placed: { n1: 2 } };
    const tolerant = placed(site, [low, service('a', rolling)]);
    expect(tolerant.of('a')).toEqual({ allowed: 2, surge: 0 });
    expect(tolerant.of('low')?.hold).toBeUndefined();
    const strict = placed(site, [low, service('a', { ...rolling, isSurgeNeeded: true })]);
    expect(strict.of('a')).toMatchObject({ allowed: 2, surge: 0, victims: [{ name: 'default/low', replicas: 1 }] });
  });

  it('says that it cannot proceed', () => {
    const rolling = service('a', { desired: 4, surge: 1, isSurgeNeeded: true, placed: { n1: 2, n2: 2 } });
    expect(placed(site, [rolling]).of('a')?.unschedulable).toBe(
      'needs 100Mi on one of n1, n2: free 0, 0; the update cannot proceed without one more instance',
    );
  });

  it('loses its further instances before others, which is no hold', () => {
    const { of } = placed(site, [
      service('a', { desired: 3, surge: 1, placed: { n1: 2, n2: 2 } }),
      service('high', { priority: 1 }),
    ]);
    expect(of('a')).toEqual({ allowed: 3, surge: 0 });
  });

  it('of a static service gets further instances only if every node has room', () => {
    const rolling = service('a', { policy: 'Static', desired: 2, surge: 1, placed: { n1: 1, n2: 1 } });
    expect(placed(site, [rolling]).of('a')).toMatchObject({ allowed: 2, surge: 1 });
    expect(placed([node('n1', 200), node('n2', 150)], [rolling]).of('a')).toMatchObject({ allowed: 2, surge: 0 });
  });
});
