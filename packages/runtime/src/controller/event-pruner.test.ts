import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { Manager } from '../manager/manager.ts';
import { timestampAt } from '../ports/clock.ts';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { Event } from './event.ts';
import { eventPruner } from './event-pruner.ts';

const startMs = Date.UTC(2030, 0, 1);

async function setUp(options: Parameters<typeof eventPruner>[0]) {
  const clock = new VirtualClock(startMs);
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Event], clock });
  const end = new AbortController();
  const manager = new Manager({ registry }).add(eventPruner(options));
  const write = (name: string) => {
    const involvedObject = { apiVersion: 'v1', kind: 'ConfigMap', name: 'm' };
    const lastTimestamp = timestampAt(clock.now());
    return registry.resource(Event).create(Event.input({ name }, { involvedObject, reason: 'Test', lastTimestamp }));
  };
  const names = async () => (await registry.resource(Event).list()).items.map(({ metadata }) => metadata.name);
  return { clock, registry, manager, end, write, names };
}

describe('the event pruner', () => {
  it('removes events that are too old, and goes on', async () => {
    const { clock, manager, end, write, names } = await setUp({ ageMsMax: 100_000, intervalMs: 60_000 });
    await write('first');
    const running = manager.run({ signal: end.signal });
    await clock.advance(90_000);
    await write('second');
    await clock.advance(60_000);
    expect(await names()).toEqual(['second']);
    await clock.advance(120_000);
    expect(await names()).toEqual([]);
    end.abort();
    await running;
  });

  it('removes the oldest events beyond the limit', async () => {
    const { clock, manager, end, write, names } = await setUp({ eventsMax: 2 });
    for (const name of ['a', 'b', 'c', 'd']) await write(name);
    const running = manager.run({ signal: end.signal });
    await clock.advance(1_000);
    expect(await names()).toEqual(['c', 'd']);
    end.abort();
    await running;
  });

  it('goes on with the others if one cannot be removed', async () => {
    const { clock, registry, manager, end, write, names } = await setUp({ eventsMax: 1 });
    for (const name of ['a', 'b', 'c']) await write(name);
    const { store } = registry;
    const commit = store.commit.bind(store);
    store.commit = async (writes) => {
      if (!writes.some(({ key }) => key.endsWith('/a'))) return commit(writes);
      throw new ApiError('Forbidden', { reason: 'a.json has an invalid edit' });
    };
    const running = manager.run({ signal: end.signal });
    await clock.advance(1_000);
    expect(await names()).toEqual(['a', 'c']);
    end.abort();
    await running;
  });
});
