/** Prefetched services: read in groups, used once, and never older than the last change. */
import { collect, Ecsm, RestClient } from '@ecsm/client';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { Simulator } from '@ecsm/simulator';
import { describe, expect, it } from 'vitest';
import { Prefetch } from './prefetch.ts';
import { ServiceRecords } from './service-records.ts';

const { signal } = new AbortController();

async function bench(count = 3) {
  const clock = new VirtualClock();
  const simulator = new Simulator({ clock, random: new SeededRandom(1), nodes: 3, behaviour: 'instant' });
  const ecsm = new Ecsm(new RestClient({ transport: simulator.transport(), clock, attemptsMax: 1, timeoutMs: 100 }), {
    pageSize: 1_000,
  });
  for (let number = 1; number <= count; number++) {
    const image = { ref: 'telemetry@1.0.0#sylixos', action: 'run', config: {} } as const;
    await ecsm
      .services()
      .create({ name: `s-${number}`, image, node: { names: ['node-1'] }, factor: 2, policy: 'dynamic' });
  }
  const rows = await collect(ecsm.services().list());
  const ids = rows.map(({ id }) => id);
  const prefetch = new Prefetch(ecsm, clock, new ServiceRecords(clock));
  return { clock, simulator, prefetch, rows, ids, read: (poll: number) => prefetch.read(rows, poll, () => {}, signal) };
}

describe('a prefetched service', () => {
  it('has its instances, and is taken once', async () => {
    const { prefetch, ids, read } = await bench();
    await read(1);
    const [first = ''] = ids;
    const taken = prefetch.take([first]);
    expect(taken).toMatchObject([{ row: { id: first } }]);
    expect(taken?.[0]?.containers.map(({ serviceId }) => serviceId)).toEqual([first, first]);
    expect(prefetch.take([first])).toBeUndefined();
  });

  it('is not returned unless all requested ones exist', async () => {
    const { prefetch, ids, read } = await bench();
    await read(1);
    prefetch.delete(ids[1] ?? '');
    expect(prefetch.take(ids)).toBeUndefined();
    expect(prefetch.take([])).toEqual([]);
  });

  it('is invalid if the service was changed since the poll started', async () => {
    const { prefetch, ids, read } = await bench();
    const [first = '', second = ''] = ids;
    await read(1);
    prefetch.invalidate(first, 1);
    expect(prefetch.take([first])).toBeUndefined();
    // A look that began before, and ended after.
    const reading = read(2);
    prefetch.invalidate(first, 2);
    await reading;
    expect(prefetch.take([first])).toBeUndefined();
    expect(prefetch.take([second])).toBeDefined();
    await read(3);
    expect(prefetch.take([first])).toBeDefined();
  });

  it('is too old after a minute', async () => {
    const { clock, prefetch, ids, read } = await bench();
    await read(1);
    await clock.advance(59_000);
    expect(prefetch.take([ids[0] ?? ''])).toBeDefined();
    await clock.advance(1_000);
    expect(prefetch.take([ids[1] ?? ''])).toBeUndefined();
  });
});

it('many services are read in few calls, and all groups are reported, also failed ones', async () => {
  const { clock, simulator, prefetch, rows } = await bench(100);
  const before = simulator.journal.last;
  const reported: string[] = [];
  await prefetch.read(rows, 1, (group) => reported.push(...group.map(({ id }) => id)), signal);
  expect(simulator.journal.last - before).toBe(4);
  expect(reported.sort()).toEqual(rows.map(({ id }) => id).sort());
  reported.length = 0;
  simulator.link.set({ lossPercent: 100 });
  const failing = prefetch.read(rows, 2, (group) => reported.push(...group.map(({ id }) => id)), signal);
  const failed = expect(failing).rejects.toThrow('did not respond');
  await clock.advance(1_000);
  await failed;
  expect(reported).toHaveLength(100);
});
