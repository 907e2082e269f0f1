/** A view on a source that the test controls, on virtual time. */
import { ApiError, defineKind, type EventBatch, schema, silentLog, timestampAt } from '@ecsm/runtime';
import { settled, VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { changesMax } from './collection.ts';
import { type Reading, Source } from './source.ts';
import { listMs, pollMs, View } from './view.ts';

const Lamp = defineKind({
  group: 'example.io',
  version: 'v1',
  kind: 'Lamp',
  plural: 'lamps',
  spec: schema.object({ color: schema.string() }),
});

/** `space/name` → color. */
type Colors = Readonly<Record<string, string>>;

class Bench {
  readonly clock = new VirtualClock();
  colors: Colors = { 'a/one': 'red', 'a/two': 'blue', 'b/one': 'red' };
  failure: ApiError | undefined;
  reads = 0;
  readMs = 0;
  readonly view = this.#open();

  /** A view as another process of the same program has it. */
  #open() {
    const source = new Source(this.clock, async () => {
      this.reads++;
      if (this.readMs > 0) await new Promise<void>((resolve) => void this.clock.after(this.readMs, resolve));
      if (this.failure) throw this.failure;
      return this.colors;
    });
    return new View({ kind: Lamp, source, convert: lampsOf, clock: this.clock, log: silentLog });
  }

  open() {
    return this.#open();
  }

  async names(options: Parameters<typeof this.view.list>[0] = {}): Promise<string[]> {
    const { items } = await this.view.list(options);
    return items.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`);
  }

  /** Collects the events of a watch, as `Added a/one red`, and its end. */
  watch(resourceVersion: string, selection: Partial<Parameters<typeof this.view.watch>[0]> = {}) {
    const stop = new AbortController();
    const seen: string[] = [];
    const versions: number[] = [];
    const batches: EventBatch<{ color: string }, unknown>[] = [];
    const run = async () => {
      for await (const batch of this.view.watch({ resourceVersion, signal: stop.signal, ...selection })) {
        batches.push(batch);
        for (const event of batch.events) {
          if (event.type === 'Problem') throw new Error(event.reason);
          const { metadata, spec } = event.object;
          seen.push(`${event.type} ${metadata.namespace}/${metadata.name} ${spec.color}`);
          versions.push(Number(metadata.resourceVersion));
        }
      }
    };
    const ended = run();
    ended.catch(() => {});
    return { seen, versions, batches, ended, stop: () => stop.abort() };
  }
}

function lampsOf({ data, staleReason }: Reading<Colors>) {
  return Object.entries(data).map(([key, color]) => {
    const [namespace = '', name = ''] = key.split('/');
    return {
      apiVersion: Lamp.apiVersion,
      kind: Lamp.kind,
      metadata: {
        namespace,
        name,
        uid: key,
        generation: 1,
        resourceVersion: '0',
        creationTimestamp: timestampAt(0),
        labels: { color },
        ...(staleReason !== undefined && { annotations: { stale: staleReason } }),
      },
      spec: { color },
    };
  });
}

const unreachable = new ApiError('Unavailable', { what: 'the platform', reason: 'no route' });

describe('a list of a view', () => {
  it('selects by namespace, labels and fields, in a stable order', async () => {
    const bench = new Bench();
    expect(await bench.names()).toEqual(['a/one', 'a/two', 'b/one']);
    expect(await bench.names({ namespace: 'a' })).toEqual(['a/one', 'a/two']);
    expect(await bench.names({ labelSelector: 'color=red' })).toEqual(['a/one', 'b/one']);
    expect(await bench.names({ fieldSelector: 'spec.color!=red' })).toEqual(['a/two']);
    expect(await bench.names({ fieldSelector: 'metadata.name=one,metadata.namespace=b' })).toEqual(['b/one']);
    await expect(bench.names({ fieldSelector: 'spec.colour=red' })).rejects.toMatchObject({ code: 'BadRequest' });
  });

  it('reads the source once in a while, however many callers there are', async () => {
    const bench = new Bench();
    await Promise.all([bench.names(), bench.names(), bench.view.get('one', { namespace: 'a' })]);
    await bench.clock.advance(listMs - 1);
    await bench.names();
    expect(bench.reads).toBe(1);
    await bench.clock.advance(1);
    await Promise.all([bench.names(), bench.names()]);
    expect(bench.reads).toBe(2);
    await bench.clock.advance(3_600_000);
    expect([bench.reads, bench.clock.timers]).toEqual([2, 0]);
  });

  it('keeps the version of an object that did not change', async () => {
    const bench = new Bench();
    const before = await bench.view.list();
    bench.colors = { ...bench.colors, 'a/two': 'green' };
    await bench.clock.advance(listMs);
    const after = await bench.view.list();
    const changed = after.items.map(
      (one, index) => one.metadata.resourceVersion !== before.items[index]?.metadata.resourceVersion,
    );
    expect(changed).toEqual([false, true, false]);
    expect(Number(after.resourceVersion)).toBeGreaterThan(Number(before.resourceVersion));
    expect(Number(before.resourceVersion)).toBeGreaterThanOrEqual(bench.clock.now() - listMs);
    await bench.clock.advance(listMs);
    expect((await bench.view.list()).resourceVersion).toBe(after.resourceVersion);
  });

  it('continues as of the version of its first page', async () => {
    const bench = new Bench();
    const first = await bench.view.list({ limit: 1 });
    bench.colors = { 'a/one': 'red', 'a/zero': 'red', 'b/one': 'green' };
    await bench.clock.advance(listMs);
    expect(await bench.names()).toEqual(['a/one', 'a/zero', 'b/one']);
    const rest = await bench.view.list({ limit: 5, continue: first.continue ?? '' });
    expect(rest.items.map(({ metadata, spec }) => `${metadata.name} ${spec.color}`)).toEqual(['two blue', 'one red']);
    expect(rest.resourceVersion).toBe(first.resourceVersion);
    expect(rest.continue).toBeUndefined();
    expect(await bench.names({ resourceVersion: first.resourceVersion })).toEqual(['a/one', 'a/two', 'b/one']);
  });

  it('has no page after one that ends with the last match', async () => {
    const bench = new Bench();
    const page = await bench.view.list({ limit: 2, labelSelector: 'color=red' });
    expect([page.items.length, page.continue]).toEqual([2, undefined]);
  });

  it.each([
    { limit: 0 },
    { limit: 1.5 },
    { continue: 'x' },
    { continue: '' },
    { resourceVersion: '-1' },
    { resourceVersion: 'x' },
  ])('refuses %j', async (options) => {
    await expect(new Bench().view.list(options)).rejects.toMatchObject({ code: 'BadRequest' });
  });

  it('finds an object by its namespace and name', async () => {
    const { view } = new Bench();
    expect((await view.get('one', { namespace: 'b' })).metadata.uid).toBe('b/one');
    await expect(view.get('one')).rejects.toThrow('Lamp "one" not found');
  });
});

describe('a view whose source cannot be read', () => {
  it('is unavailable if nothing is known', async () => {
    const bench = new Bench();
    bench.failure = unreachable;
    await expect(bench.view.list()).rejects.toThrow(/the list of lamps is unavailable: nothing was read .*no route/);
    await expect(bench.view.list()).rejects.toMatchObject({ code: 'Unavailable' });
    expect(bench.reads).toBe(1);
  });

  it('lists what is known, marks it once, and recovers', async () => {
    const bench = new Bench();
    await bench.names();
    bench.failure = unreachable;
    await bench.clock.advance(listMs);
    const stale = await bench.view.list();
    expect(stale.items.map(({ metadata }) => metadata.annotations?.['stale'])).toEqual(
      Array(3).fill(unreachable.message),
    );
    bench.failure = new ApiError('Unavailable', { what: 'the platform', reason: 'next probe in 3 s' });
    await bench.clock.advance(listMs);
    expect((await bench.view.list()).resourceVersion).toBe(stale.resourceVersion);
    bench.failure = undefined;
    await bench.clock.advance(listMs);
    expect((await bench.view.list()).items[0]?.metadata.annotations).toBeUndefined();
  });
});

describe('a watch of a view', () => {
  it('delivers changes in order, with increasing versions, and polls only while it lasts', async () => {
    const bench = new Bench();
    const { resourceVersion } = await bench.view.list();
    const watch = bench.watch(resourceVersion);
    bench.colors = { 'a/one': 'green', 'b/one': 'red', 'c/new': 'red' };
    await bench.clock.advance(pollMs);
    expect(watch.seen).toEqual(['Deleted a/two blue', 'Modified a/one green', 'Added c/new red']);
    expect(watch.versions).toEqual([...watch.versions].sort());
    expect(new Set([...watch.versions, Number(resourceVersion)]).size).toBe(4);
    await bench.clock.advance(10 * pollMs);
    expect(watch.batches.length).toBe(1);
    expect(bench.reads).toBeGreaterThan(10);
    watch.stop();
    await watch.ended;
    const { reads } = bench;
    await bench.clock.advance(10 * pollMs);
    expect([bench.reads, bench.clock.timers]).toEqual([reads, 0]);
  });

  it('resumes in the middle of the changes of one read', async () => {
    const bench = new Bench();
    const { resourceVersion } = await bench.view.list();
    bench.colors = { 'a/one': 'green', 'a/two': 'green', 'b/one': 'green' };
    await bench.clock.advance(listMs);
    await bench.names();
    const whole = bench.watch(resourceVersion);
    await settled();
    const rest = bench.watch(String(whole.versions[0]));
    await settled();
    expect(rest.seen).toEqual(whole.seen.slice(1));
    whole.stop();
    rest.stop();
  });

  it('with a selector delivers objects that start and cease to match', async () => {
    const bench = new Bench();
    const { resourceVersion } = await bench.view.list();
    const watch = bench.watch(resourceVersion, { labelSelector: 'color=red', progress: true });
    bench.colors = { 'a/one': 'blue', 'a/two': 'red', 'b/one': 'red' };
    await bench.clock.advance(pollMs);
    expect(watch.seen).toEqual(['Deleted a/one red', 'Added a/two red']);
    bench.colors = { ...bench.colors, 'a/one': 'green' };
    await bench.clock.advance(pollMs);
    expect(watch.batches.at(-1)).toEqual({ resourceVersion: expect.any(String), events: [] });
    watch.stop();
  });

  it('shares its polls with other watches, and leaves the link idle after a slow read', async () => {
    const bench = new Bench();
    const { resourceVersion } = await bench.view.list();
    bench.readMs = 10_000;
    const watches = Array.from({ length: 100 }, () => bench.watch(resourceVersion));
    await bench.clock.advance(200_000);
    expect(bench.reads).toBeLessThan(7);
    for (const watch of watches) watch.stop();
    await Promise.all(watches.map(({ ended }) => ended));
    await bench.clock.advance(10_000);
    expect(bench.clock.timers).toBe(0);
  });

  it('continues over an outage', async () => {
    const bench = new Bench();
    const watch = bench.watch((await bench.view.list()).resourceVersion, { namespace: 'b' });
    bench.failure = unreachable;
    await bench.clock.advance(10 * pollMs);
    bench.failure = undefined;
    await bench.clock.advance(pollMs);
    expect(watch.seen).toEqual(['Modified b/one red', 'Modified b/one red']);
    watch.stop();
  });

  it('expires for a version that is not known any more, or not yet', async () => {
    const bench = new Bench();
    const { resourceVersion } = await bench.view.list();
    for (const version of ['0', String(Number(resourceVersion) + 1)]) {
      await expect(bench.watch(version).ended).rejects.toMatchObject({ code: 'Expired' });
    }
    await expect(bench.watch('latest').ended).rejects.toMatchObject({ code: 'BadRequest' });
    expect(bench.clock.timers).toBe(0);
  });

  it('keeps a limited history, and all changes of the newest read', async () => {
    const bench = new Bench();
    bench.colors = {};
    const start = (await bench.view.list()).resourceVersion;
    const many = (count: number, color: string): Colors =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`a/n${index}`, color]));
    const readNext = async (colors: Colors) => {
      bench.colors = colors;
      await bench.clock.advance(listMs);
      return (await bench.view.list()).resourceVersion;
    };
    const full = await readNext(many(changesMax, 'red'));
    const atLimit = bench.watch(start);
    await settled();
    expect(atLimit.seen.length).toBe(changesMax);
    atLimit.stop();
    await readNext({ ...many(changesMax, 'red'), 'a/n0': 'blue' });
    await expect(bench.watch(start).ended).rejects.toMatchObject({ code: 'Expired' });
    await readNext(many(changesMax * 2, 'green'));
    await expect(bench.watch(full).ended).rejects.toMatchObject({ code: 'Expired' });
    await expect(bench.view.list({ resourceVersion: full })).rejects.toMatchObject({ code: 'Expired' });
    const live = bench.watch((await bench.view.list()).resourceVersion);
    await readNext(many(changesMax * 2, 'red'));
    await settled();
    expect(live.seen.length).toBe(changesMax * 2);
    live.stop();
  });

  it('expires after a restart, with newer versions', async () => {
    const bench = new Bench();
    const { resourceVersion } = await bench.view.list();
    await bench.clock.advance(1_000);
    const restarted = bench.open();
    const { resourceVersion: later } = await restarted.list();
    expect(Number(later)).toBeGreaterThan(Number(resourceVersion));
    const next = restarted.watch({ resourceVersion })[Symbol.asyncIterator]().next();
    await expect(next).rejects.toMatchObject({ code: 'Expired' });
  });
});
