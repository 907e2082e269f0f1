/** The simulated store: the suite, each fault, and its calls as effects. */
import { type Fault, runScenario } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { describeStorage } from '../storage.suite.ts';
import { chunked, collect, keysOf, outcome, pattern } from '../suite.kit.ts';
import { linkToStorage } from './link.kit.ts';
import { SimulatedStorage } from './store.kit.ts';

describe('a simulated store', () => {
  describeStorage({
    isExclusive: true,
    largeBytes: 200_000,
    async create() {
      const store = new SimulatedStorage(new VirtualClock());
      return { open: (path) => store.open(path), close: async () => {} };
    },
  });
});

describe('a fault of the simulated store', () => {
  const clock = new VirtualClock();
  const create = () => {
    const store = new SimulatedStorage(clock);
    return { store, client: store.open('p') };
  };

  it('can lose an answer: the object is stored, and a second put is refused', async () => {
    const { store, client } = create();
    store.inject({ operation: 'put', fault: { type: 'lostAnswer', code: 'Timeout' } });
    expect(await outcome(client.put('a', chunked('content')))).toBe('Timeout');
    expect(store.objects.has('p/a')).toBe(true);
    expect(await outcome(client.put('a', chunked('content')))).toBe('AlreadyExists');
  });

  it('can refuse a number of calls of one key', async () => {
    const { store, client } = create();
    const matches = (key: string) => key.endsWith('a');
    store.inject({ matches, times: 2, fault: { type: 'refused', code: 'Denied' } });
    expect(await outcome(client.put('b', chunked('content')))).toBe('ok');
    expect(await outcome(client.put('a', chunked('content')))).toBe('Denied');
    expect(await outcome(client.head('a'))).toBe('Denied');
    expect(await client.head('a')).toBeUndefined();
  });

  it('can break a put and a get half-way', async () => {
    const { store, client } = create();
    store.inject({ operation: 'put', fault: { type: 'halfWay', afterBytes: 100_000 } });
    expect(await outcome(client.put('a', chunked(pattern(200_000))))).toBe('Unavailable');
    expect(await keysOf(client)).toEqual([]);
    await client.put('a', chunked(pattern(200_000)));
    store.inject({ operation: 'get', fault: { type: 'halfWay', afterBytes: 100_000 } });
    expect(await outcome(client.get('a').then(({ body }) => collect(body)))).toBe('Unavailable');
  });

  it('can damage what is read', async () => {
    const { store, client } = create();
    const bytes = pattern(200_000);
    await client.put('a', chunked(bytes));
    store.inject({ operation: 'get', fault: { type: 'damaged', offset: 150_000 } });
    const read = await collect((await client.get('a')).body);
    expect([...read].flatMap((byte, index) => (byte === bytes[index] ? [] : [index]))).toEqual([150_000]);
  });

  it('can answer lists from an older state', async () => {
    const { store, client } = create();
    await client.put('a', chunked('content'));
    await client.put('b', chunked('content'));
    store.inject({ operation: 'list', fault: { type: 'stale', changes: 1 } });
    expect(await keysOf(client)).toEqual(['a']);
    expect(await keysOf(client)).toEqual(['a', 'b']);
    store.listLagMs = 1_000;
    await clock.advance(1_000);
    await client.delete('a');
    expect(await keysOf(client)).toEqual(['a', 'b']);
    await clock.advance(1_000);
    expect(await keysOf(client)).toEqual(['b']);
  });

  it('can be slow, full or denying', async () => {
    const { store, client } = create();
    store.inject({ fault: { type: 'slow', delayMs: 5_000 } });
    const startMs = clock.now();
    await clock.run(client.put('a', chunked('content')));
    expect(clock.now() - startMs).toBe(5_000);
    store.capacityBytes = 10;
    expect(await outcome(client.put('b', chunked('content')))).toBe('Full');
    store.failure = 'Expired';
    expect(await outcome(client.head('a'))).toBe('Expired');
    store.failure = undefined;
    expect(await client.head('a')).toMatchObject({ sizeBytes: 7 });
    expect(store.calls.map(({ operation, key }) => `${operation} ${key}`)).toEqual([
      'put p/a',
      'put p/b',
      'head p/a',
      'head p/a',
    ]);
  });

  it('can be a stranger who puts and removes objects', async () => {
    const { store, client } = create();
    store.plant('p/x', 'strange');
    expect(await keysOf(client)).toEqual(['x']);
    store.remove('p/x');
    expect(await keysOf(client)).toEqual([]);
  });
});

describe('calls to the simulated store as effects', () => {
  /** Puts two objects, lists and deletes; returns what happened, and the store. */
  async function run(faults: readonly Fault[]) {
    const happened: string[] = [];
    let store: SimulatedStorage | undefined;
    const scenario = {
      name: 'storage',
      build: (simulation: Parameters<Parameters<typeof runScenario>[0]['build']>[0]) => {
        simulation.process('agent').start(async (doors) => {
          store ??= new SimulatedStorage(doors.clock);
          if (doors.incarnation > 1) return;
          const client = linkToStorage(store, doors, 'p');
          happened.push(await outcome(client.put('a', chunked('content'))));
          happened.push(await outcome(client.put('b', chunked('content'))));
          happened.push((await keysOf(client)).join());
          happened.push(await outcome(client.delete('a')));
        });
      },
    };
    await runScenario(scenario, 1, faults);
    return { happened, keys: [...(store?.objects.keys() ?? [])] };
  }

  it('arrive', async () => {
    expect(await run([])).toEqual({ happened: ['ok', 'ok', 'a,b', 'ok'], keys: ['p/b'] });
  });

  it('get lost, before and after they are carried out', async () => {
    const faults: Fault[] = [
      { type: 'lostRequest', process: 'agent', effect: 1, error: 'Timeout' },
      { type: 'lostResponse', process: 'agent', effect: 2, error: 'Unavailable' },
    ];
    expect(await run(faults)).toEqual({ happened: ['Timeout', 'Unavailable', 'b', 'ok'], keys: ['p/b'] });
  });

  it('are answered from an older state', async () => {
    const faults: Fault[] = [{ type: 'staleRead', process: 'agent', effect: 3, revisions: 1 }];
    expect((await run(faults)).happened).toEqual(['ok', 'ok', 'a', 'ok']);
  });
});
