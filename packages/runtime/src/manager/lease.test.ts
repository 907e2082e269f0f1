import { describe, expect, it } from 'vitest';
import { claimed, Lease, leaseMsOf, released, renewed } from './lease.ts';

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
const holder = { identity: 'a', leaseMs: 1_500 };
const first = claimed(undefined, holder, nowMs);

describe('the record of a lease', () => {
  it('has the holder, the times, the duration and the number of transitions', () => {
    const time = '2026-01-02T03:04:05.006000Z';
    expect(first).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 1.5,
      acquireTime: time,
      renewTime: time,
      leaseTransitions: 0,
    });
    expect(claimed(first, { ...holder, identity: 'b' }, nowMs + 5_000)).toMatchObject({
      holderIdentity: 'b',
      acquireTime: '2026-01-02T03:04:10.006000Z',
      leaseTransitions: 1,
    });
    expect(claimed({ ...first, leaseTransitions: 7 }, holder, nowMs).leaseTransitions).toBe(8);
  });

  it('keeps holder and acquire time on renewal, and the acquire time on release', () => {
    const { renewTime: _, ...kept } = first;
    expect(renewed(first, nowMs + 1_000)).toEqual({ ...kept, renewTime: '2026-01-02T03:04:06.006000Z' });
    expect(released(first, nowMs + 1_000)).toMatchObject({ holderIdentity: '', acquireTime: first.acquireTime });
  });

  it('changes with every renewal, even if the clock was set back to the time of the last one', () => {
    expect(renewed(first, nowMs).renewTime).toBe('2026-01-02T03:04:05.007000Z');
  });

  it('is a valid object', () => {
    const object = Lease.parse({
      apiVersion: Lease.apiVersion,
      kind: 'Lease',
      metadata: { name: 'main' },
      spec: first,
    });
    expect(object.spec).toEqual(first);
    expect(Lease.validate({ ...object, spec: { ...first, holderIdentity: 'x'.repeat(253) } })).toEqual([]);
    const wrong: readonly Partial<typeof first>[] = [
      { holderIdentity: 'x'.repeat(254) },
      { leaseDurationSeconds: 0 },
      { leaseDurationSeconds: 2 ** 31 },
      { leaseTransitions: -1 },
      { acquireTime: 'yesterday' },
    ];
    for (const one of wrong) expect(Lease.validate({ ...object, spec: { ...first, ...one } })).toHaveLength(1);
    expect(Lease.validate({ ...object, spec: { ...first, renewTime: '2026-01-02T03:04:05Z' } })).toHaveLength(1);
  });
});

it('a lease is shown with its holder, and with its times and transitions if asked for more', () => {
  expect(Lease.columns.map(({ name, path, wide = false }) => [name, path, wide])).toEqual([
    ['HOLDER', 'spec.holderIdentity', false],
    ['RENEWED', 'spec.renewTime', true],
    ['TRANSITIONS', 'spec.leaseTransitions', true],
  ]);
});

describe('a lease of another program', () => {
  it('may lack every field and have those of a coordinated election, which stay', () => {
    const object = Lease.parse({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a.b' } });
    expect(object.spec).toEqual({});
    const spec = { strategy: 'OldestEmulationVersion', preferredHolder: 'b' };
    expect(Lease.validate({ ...object, spec })).toEqual([]);
    expect(claimed(spec, holder, nowMs)).toEqual({ ...first, ...spec, leaseTransitions: 1 });
  });

  it('lasts 15 seconds if it does not state its duration, and never longer than a timer can', () => {
    expect([{}, { leaseDurationSeconds: 40 }, { leaseDurationSeconds: 2_147_483_647 }].map(leaseMsOf)).toEqual([
      15_000, 40_000, 2_147_483_647,
    ]);
  });
});
