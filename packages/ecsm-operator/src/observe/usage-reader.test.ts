import type { ContainerRow, Ecsm } from '@ecsm/client';
import { ApiError } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { UsageReader } from './usage-reader.ts';

const row = (serviceId: string): ContainerRow => ({
  taskId: `task-of-${serviceId}`,
  name: serviceId,
  serviceId,
  nodeName: 'node-1',
  deployStatus: 'success',
  status: 'running',
});

/** A platform with one instance in each service; `a` has two services, as during a rollout. */
function platform() {
  const clock = new VirtualClock();
  const requests: string[] = [];
  const state = { failure: undefined as ApiError | undefined };
  const ofServices = async function* (ids: readonly string[]) {
    requests.push(ids.join(' '));
    await Promise.resolve();
    if (state.failure) throw state.failure;
    yield* ids.map(row);
  };
  // Only this part of the client is used.
  const ecsm = { containers: () => ({ ofServices }) } as unknown as Ecsm;
  const ids: Readonly<Record<string, readonly string[]>> = { a: ['a1', 'a2'], b: ['b1'], c: ['c1'], none: [] };
  const reader = new UsageReader({ ecsm, clock, idsOf: (base) => ids[base] });
  const { signal } = new AbortController();
  const read = async (base: string, others: readonly string[] = ['a', 'b']) => {
    const rows = await reader.read({ base, others, ageMsMax: 7_500, signal });
    return rows.map(({ serviceId }) => serviceId);
  };
  return { clock, requests, state, reader, read };
}

describe('the usage of autoscaled services', () => {
  it('is read once for all that are due, concurrently or one after the other', async () => {
    const { read, requests } = platform();
    expect(await Promise.all([read('a'), read('b')])).toEqual([['a1', 'a2'], ['b1']]);
    expect(await read('b')).toEqual(['b1']);
    expect(requests).toEqual(['a1 a2 b1']);
  });

  it('is read again when it is old', async () => {
    const { read, requests, clock } = platform();
    await read('a');
    await clock.advance(7_499);
    await read('a');
    expect(requests).toHaveLength(1);
    await clock.advance(1);
    await read('a');
    expect(requests).toHaveLength(2);
  });

  it('of a service that was not announced is read after the read in flight', async () => {
    const { read, requests } = platform();
    expect(await Promise.all([read('a'), read('c')])).toEqual([['a1', 'a2'], ['c1']]);
    expect(requests).toEqual(['a1 a2 b1', 'c1']);
  });

  it('of a service without anything on the platform is empty, and costs nothing', async () => {
    const { read, requests } = platform();
    expect(await read('none', [])).toEqual([]);
    expect(requests).toEqual([]);
  });

  it('is unavailable while its services are not known, and that of others is not affected', async () => {
    const { read } = platform();
    await expect(read('unlisted')).rejects.toThrow('have not been listed yet');
    expect(await read('b')).toEqual(['b1']);
  });

  it('fails for all that waited for the same read, and is read again afterwards', async () => {
    const { read, state, requests } = platform();
    state.failure = new ApiError('Unavailable', { what: 'the platform', reason: 'a test' });
    const ends = await Promise.allSettled([read('a'), read('b')]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(requests).toHaveLength(1);
    state.failure = undefined;
    expect(await read('a')).toEqual(['a1', 'a2']);
  });

  it('is forgotten at the start of a term', async () => {
    const { read, reader, requests } = platform();
    await read('a');
    reader.clear();
    await read('a');
    expect(requests).toHaveLength(2);
  });
});
