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
  const state = { failure: undefined as ApiError | undefined, percent: 50, uptime: 600, fingerprint: 1 };
  const ofServices = async function* (ids: readonly string[]) {
    requests.push(ids.join(' '));
    await Promise.resolve();
    if (state.failure) throw state.failure;
    yield* ids.map((id) => ({ ...row(id), cpuUsage: state.percent, uptime: state.uptime }));
  };
  // Only this part of the client is used.
  const ecsm = { containers: () => ({ ofServices }) } as unknown as Ecsm;
  const ids: Readonly<Record<string, readonly string[]>> = { a: ['a1', 'a2'], b: ['b1'], c: ['c1'], none: [] };
  const servicesOf = (base: string) => ids[base]?.map((id) => ({ id, fingerprint: state.fingerprint }));
  const reader = new UsageReader({ ecsm, clock, servicesOf, intervalMs: 15_000 });
  const { signal } = new AbortController();
  const read = async (base: string, others: readonly string[] = ['a', 'b']) => {
    const rows = await reader.read({ base, others, signal });
    return rows.map(({ serviceId }) => serviceId);
  };
  /** Syncs once in each round. Returns the rounds in which usage was read. */
  const rounds = async (count: number) => {
    const read: number[] = [];
    for (let round = 0; round < count; round++) {
      const before = requests.length;
      await reader.read({ base: 'a', others: [], signal });
      if (requests.length > before) read.push(round);
      await clock.advance(15_000);
    }
    return read;
  };
  return { clock, requests, state, reader, read, rounds };
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

  it('that does not change is read in every second round, then in every fourth', async () => {
    const { rounds } = platform();
    expect(await rounds(16)).toEqual([0, 1, 3, 7, 11, 15]);
  });

  it('that has changed is read in every round again', async () => {
    const { rounds, state } = platform();
    await rounds(12);
    state.percent = 55;
    expect(await rounds(4)).toEqual([3]);
    state.percent = 80;
    expect(await rounds(6)).toEqual([3, 4]);
  });

  it('is read in the next round if the instances are not those of the read', async () => {
    const { rounds, state } = platform();
    await rounds(12);
    state.fingerprint = 2;
    expect(await rounds(1)).toEqual([0]);
  });

  it('of instances that have just started is read in every round', async () => {
    const { rounds, state } = platform();
    state.uptime = 59;
    expect(await rounds(6)).toEqual([0, 1, 2, 3, 4, 5]);
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
