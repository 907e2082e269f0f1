import { describe, expect, it } from 'vitest';
import { claimed, Lease, released, renewed } from './lease.ts';

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
const holder = { identity: 'a', leaseMs: 1_500 };
const first = claimed(undefined, holder, nowMs);

describe('the record of a lease', () => {
  it('has the holder, the times, the duration and the number of transitions', () => {
    const time = '2026-01-02T03:04:05.006Z';
    expect(first).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 1.5,
      acquireTime: time,
      renewTime: time,
      leaseTransitions: 0,
    });
    expect(claimed(first, { ...holder, identity: 'b' }, nowMs + 5_000)).toMatchObject({
      holderIdentity: 'b',
      acquireTime: '2026-01-02T03:04:10.006Z',
      leaseTransitions: 1,
    });
  });

  it('keeps holder and acquire time on renewal, and the acquire time on release', () => {
    const { renewTime: _, ...kept } = first;
    expect(renewed(first, nowMs + 1_000)).toEqual({ ...kept, renewTime: '2026-01-02T03:04:06.006Z' });
    expect(released(first, nowMs + 1_000)).toMatchObject({ holderIdentity: '', acquireTime: first.acquireTime });
  });

  it('changes with every renewal, even if the clock was set back to the time of the last one', () => {
    expect(renewed(first, nowMs).renewTime).toBe('2026-01-02T03:04:05.007Z');
  });

  it('is a valid object', () => {
    const object = Lease.parse({
      apiVersion: Lease.apiVersion,
      kind: 'Lease',
      metadata: { name: 'main' },
      spec: first,
    });
    expect(object.spec).toEqual(first);
    expect(Lease.validate({ ...object, spec: { ...first, leaseDurationSeconds: 3_601 } })).toHaveLength(1);
  });
});
