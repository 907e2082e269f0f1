import { Crate, fasterClock, VirtualClock, Widget } from '@ecsm/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import { MetricRegistry } from '../manager/metrics.ts';
import { standardMetrics } from '../manager/standard-metrics.ts';
import type { LogFields, LogLevel } from '../ports/log.ts';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { forgetful } from '../registry/forgetful-store.kit.ts';
import { keyOf } from '../registry/keys.ts';
import { MemoryStore } from '../store/memory/store.ts';
import type { ControllerOptions } from './contract.ts';
import { Controller } from './controller.ts';
import { generationChanged } from './predicate.ts';
import { controllerReference, type ObjectName, ownedBy } from './source.ts';

type WidgetOptions =
  typeof Widget extends Kind<infer Spec, infer Status, infer SpecInput, infer StatusInput>
    ? ControllerOptions<Spec, Status, SpecInput, StatusInput>
    : never;

let registry: EmbeddedRegistry;
let stop: AbortController;
let running: Promise<void> | undefined;
const logged: { level: LogLevel; message: string; fields: LogFields }[] = [];
const log = {
  write: (level: LogLevel, message: string, fields: LogFields = {}) => logged.push({ level, message, fields }),
};

beforeEach(() => {
  registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Widget, Crate] });
  stop = new AbortController();
  logged.length = 0;
});
afterEach(async () => {
  stop.abort();
  await running;
  running = undefined;
  await registry.close();
});

function start(reconcile: WidgetOptions['reconcile'], options: Partial<WidgetOptions> = {}) {
  const controller = new Controller({ name: 'test', kind: Widget, reconcile, log, ...options });
  running = controller.run({ registry, signal: stop.signal });
  return controller;
}

const widgets = () => registry.resource(Widget);
const create = (name: string, size = 1) => widgets().create({ metadata: { name }, spec: { size } });
const eventually = (look: () => unknown) => expect.poll(look, { interval: 2 });
const pause = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs));

describe('a controller', () => {
  it('reconciles existing and changed objects, with the reason', async () => {
    await create('a');
    const seen: string[] = [];
    start(async ({ name }, { reason }) => {
      seen.push(`${name} ${reason}`);
    });
    await eventually(() => seen).toEqual(['a added']);
    await create('b');
    await widgets().patch('a', { spec: { size: 2 } });
    await widgets().delete('b');
    await eventually(() => seen.slice(1)).toEqual(expect.arrayContaining(['a updated']));
    await eventually(() => seen.filter((line) => line.startsWith('b')).length).toBeGreaterThan(0);
  });

  it('returns the newest object, and undefined for a deleted one', async () => {
    const seen: unknown[] = [];
    start(async (_, { get }) => {
      seen.push((await get())?.spec.size);
    });
    await create('a', 7);
    await eventually(() => seen.at(-1)).toBe(7);
    await widgets().delete('a');
    await eventually(() => seen.at(-1)).toBeUndefined();
  });

  it('returns undefined for a deleted object although a stale read returns it', async () => {
    const { store, freeze } = forgetful(registry.store);
    registry = new EmbeddedRegistry({ store, kinds: [Widget, Crate] });
    await create('a', 7);
    const seen: string[] = [];
    start(async (_, { get, reason }) => {
      seen.push(`${reason}: ${(await get())?.spec.size ?? 'nothing'}`);
    });
    await eventually(() => seen).toEqual(['added: 7']);
    await freeze('');
    await registry.store.commit([{ type: 'delete', key: keyOf(Widget, 'default', 'a') }]);
    await eventually(() => seen).toEqual(['added: 7', 'deleted: nothing']);
  });

  it('does not reconcile with a read older than the change that enqueued the key', async () => {
    const { store, freeze, thaw } = forgetful(registry.store);
    const writer = registry.resource(Widget);
    registry = new EmbeddedRegistry({ store, kinds: [Widget, Crate] });
    await create('a', 1);
    const seen: unknown[] = [];
    start(async ({ name }, { get }) => {
      const size = (
        await get().catch((error) => {
          seen.push(`${name} ${error.code}`);
          throw error;
        })
      )?.spec.size;
      seen.push(`${name} ${size}`);
    });
    await eventually(() => seen).toEqual(['a 1']);
    await freeze('');
    await writer.patch('a', { spec: { size: 2 } });
    await eventually(() => seen.filter((line) => line === 'a Unavailable').length).toBeGreaterThan(1);
    // Absence is a stale read too, while the informer has the object.
    await writer.create({ metadata: { name: 'b' }, spec: { size: 3 } });
    await eventually(() => seen).toContain('b Unavailable');
    thaw();
    await eventually(() => seen.filter((line) => !String(line).endsWith('Unavailable')).sort()).toEqual([
      'a 1',
      'a 2',
      'b 3',
    ]);
  });

  it('never has a key in flight twice, however many workers and changes there are', async () => {
    const inFlight = new Set<string>();
    let most = 0;
    let twice = 0;
    const last = new Map<string, number>();
    start(
      async ({ name }, { get }) => {
        if (inFlight.has(name)) twice++;
        inFlight.add(name);
        most = Math.max(most, inFlight.size);
        const object = await get();
        await pause(1);
        if (object) last.set(name, object.spec.size);
        inFlight.delete(name);
      },
      { workers: 4 },
    );
    for (const name of ['a', 'b', 'c', 'd', 'e']) await create(name);
    for (let size = 2; size <= 20; size++) {
      for (const name of ['a', 'b', 'c', 'd', 'e']) await widgets().patch(name, { spec: { size } });
      await pause(1);
    }
    await eventually(() => [...last.values()]).toEqual([20, 20, 20, 20, 20]);
    expect(twice).toBe(0);
    expect(most).toBe(4);
  });

  it('requeues after the delay that a reconcile returns', async () => {
    let count = 0;
    start(async () => (++count < 3 ? { requeueAfterMs: 5 } : undefined));
    await create('a');
    await eventually(() => count).toBe(3);
    await pause(30);
    expect(count).toBe(3);
  });

  it('retries with backoff until the reconcile succeeds', async () => {
    const attempts: number[] = [];
    start(async (_, { attempt }) => {
      attempts.push(attempt);
      if (attempts.length < 4) throw new ApiError('Unavailable', { what: 'the platform', reason: 'no link' });
    });
    await create('a');
    await eventually(() => attempts).toEqual([0, 1, 2, 3]);
    expect(logged.filter(({ level }) => level === 'error')).toHaveLength(3);
    expect(logged.find(({ level }) => level === 'error')?.fields).toMatchObject({
      controller: 'test',
      name: 'a',
      reason: 'added',
      attempt: 0,
      outcome: 'error',
      reconcileId: expect.any(String),
      error: 'the platform is unavailable: no link',
    });
    await widgets().patch('a', { spec: { size: 2 } });
    await eventually(() => attempts.slice(4)).toEqual([0]);
  });

  it('waits for a change after an error that cannot be retried', async () => {
    let count = 0;
    start(async () => {
      count++;
      throw new ApiError('BadRequest', { reason: 'not possible' });
    });
    await create('a');
    await eventually(() => count).toBe(1);
    await pause(50);
    expect(count).toBe(1);
    await widgets().patch('a', { spec: { size: 2 } });
    await eventually(() => count).toBe(2);
  });

  it('requeues after a conflict without a delay and without an error in the log', async () => {
    let count = 0;
    start(async ({ name }, { get, registry: own }) => {
      const object = await get();
      if (object && ++count === 1) await widgets().patch(name, { spec: { size: 5 } });
      if (object)
        await own.resource(Widget).update({ ...object, metadata: { ...object.metadata, labels: { seen: 'yes' } } });
    });
    await create('a');
    await eventually(async () => (await widgets().get('a')).metadata.labels).toEqual({ seen: 'yes' });
    expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
    expect(logged.some(({ fields }) => fields['outcome'] === 'conflict')).toBe(true);
  });

  it('survives a reconcile that throws anything, and counts it', async () => {
    const outcomes: string[] = [];
    let count = 0;
    start(
      async () => {
        if (++count === 1) throw new TypeError('a bug');
        if (count === 2) throw 'not even an error';
      },
      { observer: { reconciled: (outcome) => outcomes.push(outcome) } },
    );
    await create('a');
    await eventually(() => outcomes).toEqual(['panic', 'panic', 'success']);
  });

  it('aborts a reconcile that takes too long, and does not start its key again before it ends', async () => {
    let inFlight = 0;
    let most = 0;
    let aborted = 0;
    start(
      async ({ name }, { signal }) => {
        most = Math.max(most, ++inFlight);
        if (name === 'slow' && aborted === 0) {
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
          aborted++;
          await pause(20);
        }
        inFlight--;
      },
      { timeoutMs: 20 },
    );
    await create('slow');
    await eventually(() => inFlight).toBe(1);
    await create('quick');
    await eventually(() => aborted).toBe(1);
    await eventually(() =>
      logged.some(({ fields }) => fields['outcome'] === 'error' && fields['name'] === 'slow'),
    ).toBe(true);
    await eventually(() => inFlight).toBe(0);
    expect(most).toBeLessThanOrEqual(2);
  });

  it('reuses the worker of a reconcile that takes too long', async () => {
    const seen: string[] = [];
    let letGo = () => {};
    start(
      async ({ name }) => {
        seen.push(name);
        if (name === 'stuck') await new Promise<void>((resolve) => (letGo = resolve));
      },
      { timeoutMs: 20 },
    );
    await create('stuck');
    await eventually(() => seen).toEqual(['stuck']);
    await create('next');
    await eventually(() => seen).toEqual(['stuck', 'next']);
    letGo();
  });

  it('prefers changes to objects that existed at the start', async () => {
    for (const name of ['old-1', 'old-2', 'old-3']) await create(name);
    const seen: string[] = [];
    let letGo = () => {};
    const controller = start(async ({ name }) => {
      seen.push(name);
      if (seen.length === 1) await new Promise<void>((resolve) => (letGo = resolve));
    });
    await eventually(() => seen.length).toBe(1);
    await create('new');
    await eventually(() => controller.queue?.depth).toBe(3);
    letGo();
    await eventually(() => seen.length).toBe(4);
    expect(seen[1]).toBe('new');
  });

  it('finishes reconciles in flight when it is stopped', async () => {
    let ended = false;
    let started = false;
    start(async () => {
      started = true;
      await pause(30);
      ended = true;
    });
    await create('a');
    await eventually(() => started).toBe(true);
    stop.abort();
    await running;
    expect(ended).toBe(true);
  });

  it('continues with other keys during an endless conflict (it used to starve the whole process)', async () => {
    const clock = new VirtualClock();
    registry = new EmbeddedRegistry({ store: registry.store, kinds: [Widget, Crate], clock });
    let conflicts = 0;
    const seen: string[] = [];
    start(async ({ name }) => {
      if (name !== 'a') return void seen.push(name);
      conflicts++;
      throw new ApiError('Conflict', { kind: 'Widget', name: 'a', reason: 'always' });
    });
    await create('a');
    await clock.advance(100);
    await create('b');
    await clock.until(() => seen.includes('b'));
    expect(conflicts).toBeGreaterThan(2);
    expect(conflicts).toBeLessThan(20);
  });

  it('ends when its signal was aborted before the start', async () => {
    await create('a');
    stop.abort();
    let reconciled = 0;
    start(async () => void reconciled++);
    await running;
    expect(reconciled).toBe(0);
  });

  it('ends with Fenced when another process has become the leader', async () => {
    const fenced = registry.fencedBy(await registry.raiseFence('leader'));
    const controller = new Controller({
      name: 'test',
      kind: Widget,
      log,
      async reconcile({ name }, { registry: own }) {
        await own.resource(Widget).updateStatus({ metadata: { name }, status: { phase: 'seen' } });
      },
    });
    const ended = controller.run({ registry: fenced, signal: stop.signal });
    await create('a');
    await eventually(async () => (await widgets().get('a')).status?.phase).toBe('seen');
    await registry.raiseFence('leader');
    await create('b');
    await expect(ended).rejects.toMatchObject({ code: 'Fenced' });
  });

  it('aborts reconciles in flight some seconds after it was stopped', async () => {
    const hasty = fasterClock(100);
    registry = new EmbeddedRegistry({ store: registry.store, kinds: [Widget, Crate], clock: hasty });
    let waiting = false;
    start(
      async (_, { signal }) => {
        waiting = true;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
      { timeoutMs: 1e9 },
    );
    await create('a');
    await eventually(() => waiting).toBe(true);
    stop.abort();
    await running;
  });

  it('is ready when it has listed all its watches', async () => {
    const controller = start(async () => {});
    expect(controller.ready()).toContain('waiting for the first list of Widget');
    await eventually(() => controller.ready()).toBeUndefined();
    stop.abort();
    await running;
    expect(controller.ready()).toBe('not running');
  });

  it('is not ready while it cannot observe changes, such as those of a registry that was replaced', async () => {
    let isReplaced = true;
    const store = new Proxy(registry.store, {
      get(target, name) {
        if (name === 'watch' && isReplaced)
          throw new ApiError('Unavailable', { what: 'it', reason: 'it was replaced' });
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    registry = new EmbeddedRegistry({ store, kinds: [Widget, Crate] });
    const controller = start(async () => {});
    await eventually(() => controller.ready()).toBe(
      'changes of Widget are not observed: it is unavailable: it was replaced',
    );
    isReplaced = false;
    await eventually(() => controller.ready()).toBeUndefined();
  });

  it('warns when a reconcile keeps triggering itself', async () => {
    let count = 0;
    start(async ({ name }, { get, registry: own }) => {
      if (count < 15 && (await get()))
        await own.resource(Widget).updateStatus({ metadata: { name }, status: { phase: `seen ${++count} times` } });
    });
    await create('a');
    await eventually(() => logged.filter(({ message }) => message.includes('keeps triggering itself')).length).toBe(1);
  });
});

describe('predicates', () => {
  it('filter out status writes', async () => {
    let count = 0;
    start(
      async () => {
        count++;
      },
      { predicates: [generationChanged] },
    );
    const made = await create('a');
    await eventually(() => count).toBe(1);
    await widgets().updateStatus({ ...made, status: { phase: 'x' } });
    await widgets().patch('a', { metadata: { labels: { x: 'y' } } });
    await pause(20);
    expect(count).toBe(1);
    await widgets().patch('a', { spec: { size: 2 } });
    await eventually(() => count).toBe(2);
    await widgets().delete('a');
    await eventually(() => count).toBe(3);
  });
});

describe('watches on other kinds', () => {
  it('enqueue the owner when a dependent changes or is deleted', async () => {
    const owner = await create('owner');
    const seen: string[] = [];
    start(
      async ({ name }, { reason }) => {
        seen.push(`${name}: ${reason}`);
      },
      { watches: [{ kind: Crate, map: ownedBy(Widget) }] },
    );
    await eventually(() => seen).toEqual(['owner: added']);
    const ownerReferences = [controllerReference(owner)];
    const crates = registry.resource(Crate);
    await crates.create({ metadata: { name: 'unowned' }, spec: {} });
    await crates.create({ metadata: { name: 'mine', ownerReferences }, spec: {} });
    await eventually(() => seen.at(-1)).toBe('owner: Crate mine added');
    await crates.patch('mine', { spec: { label: 'x' } });
    await eventually(() => seen.at(-1)).toBe('owner: Crate mine updated');
    await crates.delete('mine');
    await eventually(() => seen.at(-1)).toBe('owner: Crate mine deleted');
    expect(seen).toHaveLength(4);
  });

  it('by name enqueue objects that exist, also after a deletion, and read nothing', async () => {
    await create('owner');
    const reads: string[] = [];
    const store = new Proxy(registry.store, {
      get(target, property) {
        const value = Reflect.get(target, property);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (property === 'get') reads.push(String(args[0]));
          return value.apply(target, args);
        };
      },
    });
    const crates = registry.resource(Crate);
    registry = new EmbeddedRegistry({ store, kinds: [Widget, Crate] });
    const mapped: string[] = [];
    const mapName = ({ namespace, name }: ObjectName): ObjectName[] => {
      mapped.push(`${namespace}/${name}`);
      return [{ name: name.replace(/-crate$/u, '') }];
    };
    const seen: string[] = [];
    start(
      async ({ name }, { reason }) => {
        seen.push(`${name}: ${reason}`);
      },
      { watches: [{ kind: Crate, mapName }] },
    );
    await eventually(() => seen).toEqual(['owner: added']);
    await crates.create({ metadata: { name: 'none-crate' }, spec: {} });
    await crates.create({ metadata: { name: 'owner-crate' }, spec: {} });
    await eventually(() => seen.at(-1)).toBe('owner: Crate owner-crate added');
    await crates.patch('owner-crate', { spec: { label: 'x' } });
    await eventually(() => seen.at(-1)).toBe('owner: Crate owner-crate updated');
    await crates.delete('owner-crate');
    await eventually(() => seen.at(-1)).toBe('owner: Crate owner-crate deleted');
    expect(seen).toHaveLength(4);
    expect(mapped).toEqual(['none', 'owner', 'owner', 'owner'].map((name) => `default/${name}-crate`));
    expect(reads.filter((key) => key.includes('/crates/'))).toEqual([]);
  });

  it('are not lost when the store fails at that moment', async () => {
    const owner = await create('owner');
    const seen: string[] = [];
    let failures = 2;
    const memory = registry.store;
    const hasty = fasterClock(20);
    const store = new Proxy(memory, {
      get(target, property) {
        if (property === 'get' && failures > 0) {
          return async (key: string) => {
            if (key.includes('/crates/') && failures-- > 0)
              throw new ApiError('Unavailable', { what: 'the store', reason: 'down' });
            return target.get(key);
          };
        }
        const value = Reflect.get(target, property);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const ownerReferences = [controllerReference(owner)];
    await registry.resource(Crate).create({ metadata: { name: 'mine', ownerReferences }, spec: {} });
    registry = new EmbeddedRegistry({ store, kinds: [Widget, Crate], clock: hasty });
    start(
      async ({ name }, { reason }) => {
        seen.push(`${name}: ${reason}`);
      },
      { watches: [{ kind: Crate, map: ownedBy(Widget) }] },
    );
    await eventually(() => seen).toContain('owner: Crate mine added');
  });
});

describe('a bug in the code that a watch calls', () => {
  const skipped = () => logged.filter(({ message }) => message.includes('the event is skipped'));

  it('in a map function skips only its own event: it is logged and counted, and the next events enqueue their keys', async () => {
    const metrics = new MetricRegistry();
    const seen: string[] = [];
    await registry.resource(Crate).create({ metadata: { name: 'broken' }, spec: {} });
    await registry.resource(Crate).create({ metadata: { name: 'fine' }, spec: {} });
    const bug = new TypeError('cannot read properties of undefined');
    start(
      async ({ name }) => {
        seen.push(name);
      },
      {
        metrics: standardMetrics(metrics),
        watches: [
          {
            kind: Crate,
            map({ metadata: { name } }) {
              if (name === 'broken') throw bug;
              return [{ name: `for-${name}` }];
            },
          },
        ],
      },
    );
    await eventually(() => seen).toEqual(['for-fine']);
    await registry.resource(Crate).create({ metadata: { name: 'later' }, spec: {} });
    await eventually(() => seen).toEqual(['for-fine', 'for-later']);
    expect(skipped()).toEqual([
      {
        level: 'error',
        message: expect.any(String),
        fields: {
          controller: 'test',
          source: 'Crate',
          key: keyOf(Crate, 'default', 'broken'),
          type: 'added',
          version: '1',
          error: bug,
        },
      },
    ]);
    expect(metrics.render()).toContain('controller_runtime_watch_panics_total{controller="test"} 1\n');
  });

  it('in a predicate skips its own event only, and later events of the same object count again', async () => {
    const seen: string[] = [];
    start(
      async ({ name }) => {
        seen.push(name);
      },
      {
        predicates: [
          ({ spec }) => {
            const { size } = spec as { readonly size: number };
            if (size === 13) throw 'not even an error';
            return size;
          },
        ],
      },
    );
    await create('a', 13);
    await create('b');
    await eventually(() => seen).toEqual(['b']);
    expect(skipped().map(({ fields }) => fields['error'])).toEqual(['not even an error']);
    await widgets().patch('a', { spec: { size: 2 } });
    await eventually(() => seen).toEqual(['b', 'a']);
  });
});
