/**
 * Goal: the guarantees of `operate`. Method: a sample operator that sets sizes in a small outside world, on a virtual clock;
 * each test replaces the functions that it is about.
 */
import { Crate, settled, VirtualClock, Widget } from '@ecsm/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { defineKind, type Kind, type ObjectOf } from '../api/kind.ts';
import { integer, object, optional, string } from '../api/schema/build.ts';
import { MemoryLog } from '../manager/virtual.kit.ts';
import { sleep } from '../ports/clock.ts';
import type { Registry } from '../registry/contract.ts';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { lagging } from '../registry/forgetful-store.kit.ts';
import { keyOf } from '../registry/keys.ts';
import type { Store } from '../store/contract.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { Event } from './event.ts';
import {
  type Enqueue,
  type OperateOptions,
  type Operation,
  type Operator,
  operate,
  type Pass,
  type PlannedStep,
  refused,
  type StepResult,
  type Trigger,
  unknown,
} from './operate.ts';
import { generationChanged } from './predicate.ts';
import { ownedBy } from './source.ts';

const finalizer = 'example.io/size';

interface Facts {
  readonly size: number | undefined;
}
interface Step extends PlannedStep {
  /** Undefined: removed. */
  readonly size: number | undefined;
}
interface Memory {
  seen: number;
}

type WidgetOperator =
  typeof Widget extends Kind<infer Spec, infer Status, infer SpecInput, infer StatusInput>
    ? Operator<Spec, Status, SpecInput, StatusInput, Facts, Step, Memory>
    : never;
type WidgetOperation =
  typeof Widget extends Kind<infer Spec, infer Status> ? Operation<Spec, Status, Facts, Step, Memory> : never;
type WidgetObject = ObjectOf<typeof Widget>;

/** Without the rules of Widget, so that it stores what Widget finds invalid. */
const LaxWidget = defineKind({
  group: Widget.group,
  version: Widget.version,
  kind: Widget.kind,
  plural: Widget.plural,
  spec: object({ size: integer() }),
  status: object({ phase: optional(string()) }),
});

let clock: VirtualClock;
let store: MemoryStore;
let registry: EmbeddedRegistry;
let stop: AbortController;
let log: MemoryLog;
/** The outside world: sizes by name. */
let outside: Map<string, number>;
/** What was done to the outside world, with the time. */
let acted: [what: string, atMs: number][];
let running: Promise<void> | undefined;

beforeEach(() => {
  clock = new VirtualClock();
  store = new MemoryStore();
  registry = opened(store);
  stop = new AbortController();
  log = new MemoryLog();
  outside = new Map();
  acted = [];
});
afterEach(async () => {
  stop.abort();
  await clock.run(running?.catch(() => {}) ?? Promise.resolve());
  running = undefined;
  await registry.close();
});

const opened = (of: Store) => new EmbeddedRegistry({ store: of, kinds: [Widget, Crate, Event], clock });
const widgets = () => registry.resource(Widget);
const create = (name: string, size = 1) => widgets().create({ metadata: { name }, spec: { size } });
/** An object of an earlier process: with the finalizer, and with this status. */
async function createHeld(name: string, size: number, phase = `is ${size}`): Promise<WidgetObject> {
  const made = await widgets().create({ metadata: { name, finalizers: [finalizer] }, spec: { size } });
  return widgets().updateStatus({ metadata: made.metadata, status: { phase } });
}
const phaseOf = async (name: string) => (await widgets().get(name)).status?.phase;
const finalizersOf = async (name: string) => (await widgets().get(name)).metadata.finalizers ?? [];
const names = async () => (await widgets().list()).items.map(({ metadata }) => metadata.name);
const did = () => acted.map(([what]) => what);
const reasons = async () => (await registry.resource(Event).list()).items.map((event) => Event.fieldsOf(event).reason);
/** Times between what was done to the outside world. */
const pauses = () => acted.slice(1).map(([, atMs], index) => atMs - (acted[index]?.[1] ?? 0));
const isDeleting = ({ metadata }: WidgetObject) => metadata.deletionTimestamp !== undefined;

function set(size: number | undefined, name: string): StepResult {
  // A loop that never rests would keep the test from failing.
  if (acted.length > 1_000) throw new Error('it never rests');
  acted.push([size === undefined ? `remove ${name}` : `set ${name} to ${size}`, clock.monotonicMs()]);
  if (size === undefined) outside.delete(name);
  else outside.set(name, size);
  return 'done';
}

/** A store that calls `before` first; what that returns is the result of the call. */
function through(target: Store, before: (property: string | symbol) => Promise<unknown>): Store {
  return new Proxy(target, {
    get(_, property) {
      const value = Reflect.get(target, property);
      if (typeof value !== 'function' || property === 'watch') return value?.bind?.(target) ?? value;
      return async (...args: unknown[]) => (await before(property)) ?? value.apply(target, args);
    },
  });
}

/** A store that once refuses a commit and then does not find the object, as if it was deleted, after `arm`. */
function forgetsOnce(key: string): { readonly store: Store; arm(): void } {
  let state: 'as it is' | 'refuses' | 'finds nothing' = 'as it is';
  const get = (...args: Parameters<Store['get']>) => {
    if (state !== 'finds nothing') return store.get(...args);
    state = 'as it is';
    return Promise.resolve(undefined);
  };
  const commit = (...args: Parameters<Store['commit']>): ReturnType<Store['commit']> => {
    if (state !== 'refuses') return store.commit(...args);
    state = 'finds nothing';
    return Promise.resolve({ committed: false, key, expected: 1, actual: 0 });
  };
  const bound = (value: unknown) => (typeof value === 'function' ? value.bind(store) : value);
  return {
    store: new Proxy<Store>(store, {
      get: (_, property) =>
        property === 'get' ? get : property === 'commit' ? commit : bound(Reflect.get(store, property)),
    }),
    arm() {
      state = 'refuses';
    },
  };
}

const sample: WidgetOperator = {
  kind: Widget,
  finalizer,
  triggers: [{ name: 'spec', changes: [generationChanged] }],
  observe: async ({ metadata }) => ({ size: outside.get(metadata.name) }),
  decide(widget, { size }) {
    const wanted = isDeleting(widget) ? undefined : widget.spec.size;
    if (size === wanted) return { status: { phase: `is ${size}` }, hold: !isDeleting(widget) };
    return { status: { phase: `to ${wanted}` }, steps: [{ do: 'set', size: wanted }] };
  },
  act: async ({ size }, { metadata }) => set(size, metadata.name),
};

const operation = (replaced: Partial<WidgetOperator> = {}, options: OperateOptions = {}): WidgetOperation =>
  operate({ ...sample, ...replaced }, { log, ...options });

function start(replaced: Partial<WidgetOperator> = {}, options: OperateOptions = {}, on: Registry = registry) {
  const started = operation(replaced, options);
  running = started.run({ registry: on, signal: stop.signal });
  // A test that expects a failure awaits it.
  running.catch(() => {});
  return started;
}

describe('the intent', () => {
  it('is stored with the finalizer in one commit before the first step, which gets it', async () => {
    const seen: unknown[] = [];
    start({
      async act({ size }, widget, facts, { name }) {
        const stored = await widgets().get(name);
        expect(widget).toEqual(stored);
        seen.push([stored.status?.phase, stored.metadata.finalizers, facts]);
        expect(Number(stored.metadata.resourceVersion)).toBe(Number(made.metadata.resourceVersion) + 1);
        return set(size, name);
      },
    });
    const made = await create('a', 3);
    await clock.until(() => outside.get('a') === 3);
    expect(seen).toEqual([['to 3', [finalizer], { size: undefined }]]);
    await clock.until(async () => (await phaseOf('a')) === 'is 3');
  });

  it('is continued by the next process after a crash before the first step', async () => {
    await createHeld('a', 3, 'to 3');
    start();
    await clock.until(async () => (await phaseOf('a')) === 'is 3');
    expect(did()).toEqual(['set a to 3']);
  });

  it('that is stored already is not written again: at rest nothing is', async () => {
    start({ triggers: [...sample.triggers, { name: 'drift', every: () => 1_000 }] });
    await create('a', 3);
    await clock.until(async () => (await phaseOf('a')) === 'is 3');
    const revision = await store.revision();
    await clock.advance(600_000);
    expect(await store.revision()).toBe(revision);
    expect(did()).toEqual(['set a to 3']);
  });

  it('without a status is only the finalizer', async () => {
    start({
      decide: ({ spec }, { size }) => ({
        status: undefined,
        steps: size === spec.size ? [] : [{ do: 'set', size: spec.size }],
      }),
    });
    await widgets().create({ metadata: { name: 'a', finalizers: ['example.io/other'] }, spec: { size: 3 } });
    await clock.until(() => outside.get('a') === 3);
    expect(await finalizersOf('a')).toEqual(['example.io/other', finalizer]);
    expect(await phaseOf('a')).toBeUndefined();
  });

  it('keeps the finalizers of others', async () => {
    start();
    await widgets().create({ metadata: { name: 'a', finalizers: ['example.io/other'] }, spec: { size: 3 } });
    await clock.until(() => outside.get('a') === 3);
    expect(await finalizersOf('a')).toEqual(['example.io/other', finalizer]);
    await widgets().delete('a');
    await clock.until(() => !outside.has('a'));
    await clock.until(async () => (await finalizersOf('a')).length === 1);
    expect(await finalizersOf('a')).toEqual(['example.io/other']);
  });

  it('is decided again at once after a conflict, on what the other has written', async () => {
    let isFirst = true;
    start({
      async observe({ metadata }) {
        if (isFirst) await widgets().patch(metadata.name, { spec: { size: 5 } });
        isFirst = false;
        return { size: outside.get(metadata.name) };
      },
    });
    await create('a', 3);
    await clock.advance(1);
    await clock.until(async () => (await phaseOf('a')) === 'is 5', 10);
    expect(did()).toEqual(['set a to 5']);
    expect(log.messages('error')).toEqual([]);
  });

  it('of an object that was not found is nothing to act on; it is read again after a second', async () => {
    await createHeld('a', 3);
    const replica = forgetsOnce(keyOf(Widget, 'default', 'a'));
    let passes = 0;
    start(
      {
        decide(widget, facts, nowMs) {
          if (++passes === 1) replica.arm();
          return sample.decide(widget, facts, nowMs);
        },
      },
      {},
      opened(replica.store),
    );
    await clock.advance(990);
    expect([passes, did()]).toEqual([1, []]);
    await clock.advance(20);
    expect(did()).toEqual(['set a to 3']);
    expect(log.messages('error')).toEqual([]);
  });
});

describe('records', () => {
  const record: Step = { do: 'record', size: 0 };
  /** Records the size as a crate. */
  const recording = (write: (pass: Pass<Memory>) => Promise<StepResult>): Partial<WidgetOperator> => ({
    decide: (widget, facts, nowMs) => ({ ...sample.decide(widget, facts, nowMs), records: [record] }),
    act: async (step, { metadata }, _facts, pass) => (step === record ? write(pass) : set(step.size, metadata.name)),
  });

  it('are stored before the first step', async () => {
    start(
      recording(async ({ registry: own, name }) => {
        await sleep(clock, 5_000);
        expect(did()).toEqual([]);
        await own.resource(Crate).apply({ metadata: { name }, spec: {} });
        return 'done';
      }),
    );
    await create('a', 3);
    await clock.until(() => outside.get('a') === 3);
    expect((await registry.resource(Crate).get('a')).metadata.name).toBe('a');
    expect(acted[0]?.[1]).toBeGreaterThanOrEqual(5_000);
  });

  it('that fail or are refused leave the steps undone until they are stored', async () => {
    const results: (() => StepResult)[] = [
      () => {
        throw new ApiError('Unavailable', { what: 'the registry', reason: 'no link' });
      },
      () => refused('not now'),
      () => 'done',
    ];
    const at: string[][] = [];
    start(
      recording(async () => {
        at.push(did());
        return results.length > 1 ? (results.shift()?.() ?? 'done') : 'done';
      }),
    );
    await create('a', 3);
    await clock.until(() => outside.get('a') === 3);
    expect(at.slice(0, 3)).toEqual([[], [], []]);
  });
});

describe('steps', () => {
  const three: Partial<WidgetOperator> = {
    decide: ({ status }, { size }) => ({
      status,
      steps: size === 3 ? [] : [1, 2, 3].map((next) => ({ do: `step ${next}`, size: next })),
    }),
  };

  it('are performed in their order, and the object is looked at again at once', async () => {
    await createHeld('a', 3);
    start(three);
    await clock.advance(1);
    expect(did()).toEqual(['set a to 1', 'set a to 2', 'set a to 3']);
    expect(log.messages('info')).toEqual(['step 1', 'step 2', 'step 3']);
    expect(log.messages('debug')).toHaveLength(2);
  });

  it('after one that was not done are not performed', async () => {
    await createHeld('a', 3);
    const results = [refused('not now'), unknown('no response')];
    start({
      ...three,
      act: async ({ size }, { metadata }) => (size === 2 ? results.shift() : undefined) ?? set(size, metadata.name),
    });
    await clock.advance(4_000);
    expect(did()).toEqual(['set a to 1']);
    await clock.advance(2_000);
    expect(did()).toEqual(['set a to 1', 'set a to 1']);
    await clock.advance(2_000);
    expect(did().slice(2)).toEqual(['set a to 1', 'set a to 2', 'set a to 3']);
  });

  it('are not performed by a former leader', async () => {
    await createHeld('a', 3, 'to 3');
    const fenced = registry.fencedBy(await registry.raiseFence('leader'));
    start(
      {
        async observe(widget, pass) {
          // Another process becomes the leader. The status is stored already, so no write is rejected.
          await registry.raiseFence('leader');
          return sample.observe(widget, pass);
        },
        decide: ({ status }, { size }) => ({ status, steps: size === 3 ? [] : [{ do: 'set', size: 3 }] }),
      },
      {},
      fenced,
    );
    await clock.advance(10);
    stop.abort();
    await expect(running).rejects.toMatchObject({ code: 'Fenced' });
    expect(did()).toEqual([]);
  });

  it('are not performed after the pass was aborted', async () => {
    await createHeld('a', 3);
    let isSlow = true;
    start(
      {
        ...three,
        async act({ size }, { metadata }, _facts, { signal }) {
          if (isSlow) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
          isSlow = false;
          return set(size, metadata.name);
        },
      },
      { timeoutMs: 1_000 },
    );
    await clock.advance(2_000);
    expect(did()).toEqual(['set a to 1', 'set a to 1', 'set a to 2', 'set a to 3']);
    expect(log.messages('error')).toEqual(['reconcile failed']);
  });

  it('that are refused are tried again after 5 s, then twice as long, up to 300 s', async () => {
    await createHeld('a', 1, 'to 1');
    start({
      act: async (_step, { metadata }) => {
        acted.push([`refused ${metadata.name}`, clock.monotonicMs()]);
        return refused('not now');
      },
    });
    await clock.until(() => acted.length === 9, 1_200_000, 1_000);
    expect(pauses()).toEqual([5, 10, 20, 40, 80, 160, 300, 300].map((seconds) => seconds * 1_000));
    expect(
      log.lines
        .filter(({ level, message }) => level === 'info' && message.endsWith('was refused'))
        .map(({ message, fields }) => [message, fields['error']]),
    ).toEqual([['set was refused', 'not now']]);
  });

  it('that are refused again later, after a change of the spec or a pass with nothing to do, are tried after 5 s', async () => {
    await createHeld('a', 3, 'to 3');
    let isRefused = true;
    start({
      triggers: [...sample.triggers, { name: 'drift', every: () => 100_000 }],
      act: async ({ size }, { metadata }) => {
        if (!isRefused) return set(size, metadata.name);
        acted.push(['refused', clock.monotonicMs()]);
        return refused('not now');
      },
    });
    await clock.until(() => acted.length === 4);
    expect(pauses()).toEqual([5_000, 10_000, 20_000]);
    // A change is not held up by the backoff, and starts it over.
    acted = [];
    await widgets().patch('a', { spec: { size: 4 } });
    await clock.until(() => acted.length === 3);
    expect(pauses()).toEqual([5_000, 10_000]);
    // Done: the next refusal is a first one.
    isRefused = false;
    await clock.until(() => outside.get('a') === 4);
    acted = [];
    isRefused = true;
    outside.set('a', 1);
    await clock.until(() => acted.length === 2, 200_000);
    expect(pauses()).toEqual([5_000]);
    // Nothing to do any more.
    outside.set('a', 4);
    await clock.advance(400_000);
    acted = [];
    outside.set('a', 1);
    await clock.until(() => acted.length === 2, 200_000);
    expect(pauses()).toEqual([5_000]);
  });

  it('that are refused after one that was done are tried again after 5 s', async () => {
    await createHeld('a', 3, 'to 3');
    const results: StepResult[] = [refused('no'), refused('no'), 'done', refused('no'), 'done'];
    start({
      act: async ({ size }, { metadata }) => {
        const result = results.shift() ?? 'done';
        if (results.length === 0) return set(size, metadata.name);
        acted.push([String(result), clock.monotonicMs()]);
        return result;
      },
    });
    await clock.advance(60_000);
    expect(pauses()).toEqual([5_000, 10_000, 0, 5_000]);
  });

  it('whose outcome is unknown are looked at again after 2 s', async () => {
    await createHeld('a', 3, 'to 3');
    start({
      act: async ({ size }, { metadata }) => {
        set(size, metadata.name);
        return unknown('no response');
      },
    });
    await clock.advance(1_990);
    expect(await phaseOf('a')).toBe('to 3');
    await clock.advance(20);
    expect(await phaseOf('a')).toBe('is 3');
    expect(did()).toEqual(['set a to 3']);
  });

  it('that throw are observed again after a backoff, without a report', async () => {
    let failures = 2;
    const reported: string[] = [];
    start({
      act: async ({ size }, { metadata }) => {
        if (failures-- > 0) throw new ApiError('Timeout', { what: 'the outside', timeoutMs: 1 });
        return set(size, metadata.name);
      },
      report: (_widget, { is }) => void reported.push(is),
    });
    await create('a', 3);
    await clock.until(async () => (await phaseOf('a')) === 'is 3');
    expect(reported).toEqual(['done']);
    expect(log.messages('error')).toHaveLength(2);
  });
});

describe('what is decided', () => {
  it('is nothing if observe or decide throws: nothing is written, and it is tried again', async () => {
    let failures = 4;
    start({
      observe: async ({ metadata }) => {
        if (failures-- > 2) throw new ApiError('Unavailable', { what: 'the outside', reason: 'no link' });
        return { size: outside.get(metadata.name) };
      },
      decide: (widget, facts, nowMs) => {
        if (failures >= 0) throw new TypeError('a bug');
        return sample.decide(widget, facts, nowMs);
      },
    });
    const { metadata } = await create('a', 3);
    await clock.until(async () => failures === 0);
    expect((await widgets().get('a')).metadata.resourceVersion).toBe(metadata.resourceVersion);
    await clock.until(async () => (await phaseOf('a')) === 'is 3');
  });

  it('is the delay until the next pass', async () => {
    await createHeld('a', 3);
    outside.set('a', 3);
    const at: number[] = [];
    start({
      decide(widget, facts, nowMs) {
        at.push(clock.monotonicMs());
        return { ...sample.decide(widget, facts, nowMs), requeueAfterMs: at.length < 4 ? 7_000 : 1e9 };
      },
    });
    await clock.advance(60_000);
    expect(at.slice(1).map((ms, index) => ms - (at[index] ?? 0))).toEqual([7_000, 7_000, 7_000]);
  });
});

describe('facts from a cache', () => {
  /** An operator whose cache says `cached`; `looks` are the observations. */
  const caching = (cached: Map<string, number>, looks: string[]): Partial<WidgetOperator> => ({
    triggers: [...sample.triggers, { name: 'drift', every: () => 60_000 }],
    async observe({ metadata }, pass) {
      looks.push(pass.mayUseCache ? 'cached' : 'read');
      pass.defer(() => void looks.push('closed'));
      if (!pass.mayUseCache) return { size: outside.get(metadata.name) };
      pass.usedCache();
      return { size: cached.get(metadata.name) };
    },
  });

  it('confirm that there is nothing to do', async () => {
    await createHeld('a', 3);
    const looks: string[] = [];
    start(caching(new Map([['a', 3]]), looks));
    await clock.advance(10);
    expect(looks).toEqual(['cached', 'closed']);
  });

  it('do not justify a step: what was opened is closed, and it is decided on what is read', async () => {
    await createHeld('a', 3);
    outside.set('a', 3);
    const looks: string[] = [];
    start(caching(new Map([['a', 7]]), looks));
    await clock.advance(10);
    expect(looks).toEqual(['cached', 'closed', 'read', 'closed']);
    expect(did()).toEqual([]);
    expect(await phaseOf('a')).toBe('is 3');
  });

  it('do not justify the removal of the finalizer', async () => {
    await createHeld('a', 3);
    outside.set('a', 3);
    await widgets().delete('a');
    const looks: string[] = [];
    start(caching(new Map(), looks));
    await clock.until(async () => (await names()).length === 0);
    expect(looks.slice(0, 4)).toEqual(['cached', 'closed', 'read', 'closed']);
    expect(did()).toEqual(['remove a']);
  });

  it('cannot be used when they are refused', async () => {
    await createHeld('a', 3);
    start({
      async observe(_widget, pass) {
        pass.usedCache();
        return { size: acted.length === 0 ? 7 : 3 };
      },
    });
    await clock.until(() => log.messages('error').length > 0);
    expect(log.lines.find(({ level }) => level === 'error')?.fields['error']).toContain(
      'the cache was used again for a',
    );
    expect(did()).toEqual([]);
  });
});

describe('what was opened in a pass', () => {
  const failing = (where: 'observe' | 'decide' | 'act' | 'close' | 'nowhere'): Partial<WidgetOperator> => {
    const fail = (at: typeof where) => {
      if (at === where) throw new ApiError('Rejected', { what: at, reason: 'on purpose' });
    };
    return {
      async observe(widget, pass) {
        pass.defer(() => void acted.push(['closed first one', 0]));
        pass.defer(() => {
          acted.push(['closed last one', 0]);
          fail('close');
        });
        fail('observe');
        return sample.observe(widget, pass);
      },
      decide(widget, facts, nowMs) {
        fail('decide');
        return sample.decide(widget, facts, nowMs);
      },
      async act(step, widget, facts, pass) {
        fail('act');
        return sample.act(step, widget, facts, pass);
      },
    };
  };
  const closed = ['closed last one', 'closed first one'];

  it.each(['observe', 'decide', 'act', 'close', 'nowhere'] as const)(
    'is closed, with a failure in: %s',
    async (where) => {
      const made = await create('a', 3);
      start(failing(where));
      await clock.until(() => acted.length >= 2);
      const isActed = where === 'close' || where === 'nowhere';
      expect(did().slice(0, 3)).toEqual(isActed ? ['set a to 3', ...closed] : [...closed, ...did().slice(2, 3)]);
      expect(made.metadata.name).toBe('a');
    },
  );
});

describe('memory', () => {
  /** Counts the passes over an object in its memory. */
  const counting = (counts: number[]): Partial<WidgetOperator> => ({
    async observe(widget, pass) {
      pass.memory.seen = (pass.memory.seen ?? 0) + 1;
      counts.push(pass.memory.seen);
      return sample.observe(widget, pass);
    },
  });

  it('is kept between passes, and lost with the object', async () => {
    const counts: number[] = [];
    const started = start(counting(counts));
    await create('a', 1);
    await clock.advance(10);
    await widgets().patch('a', { spec: { size: 2 } });
    await clock.advance(10);
    expect(counts).toEqual([1, 2, 3, 4]);
    expect(started.memoryOf({ name: 'a' })).toEqual({ seen: 4 });
    await widgets().delete('a');
    await clock.until(async () => (await names()).length === 0);
    await clock.advance(10);
    expect(started.memoryOf({ name: 'a' })).toBeUndefined();
  });

  it('of a former object of the same name is lost, also if the deletion was not seen', async () => {
    const counts: number[] = [];
    const first = await createHeld('a', 1);
    outside.set('a', 1);
    const started = start(counting(counts));
    await clock.advance(10);
    expect(counts).toEqual([1]);
    // In one commit, so that no pass sees the absence.
    const key = keyOf(Widget, 'default', 'a');
    const entry = await store.get(key);
    const text = new TextDecoder()
      .decode(entry?.value)
      .replaceAll(first.metadata.uid, '11111111-1111-4111-8111-111111111111');
    await store.commit([{ type: 'put', key, value: new TextEncoder().encode(text) }]);
    started.enqueue({ name: 'a' });
    await clock.until(() => counts.length >= 2);
    expect(counts.slice(0, 2)).toEqual([1, 1]);
  });

  it('is lost with the term of the leader', async () => {
    const counts: number[] = [];
    const started = start(counting(counts));
    await create('a', 1);
    await clock.advance(10);
    expect(counts).toEqual([1, 2]);
    stop.abort();
    await running;
    stop = new AbortController();
    running = started.run({ registry, signal: stop.signal });
    await clock.advance(10);
    expect(counts).toEqual([1, 2, 1]);
  });

  it('is kept for gone as long as that asks to be called again', async () => {
    const seen: unknown[] = [];
    const started = start({
      ...counting([]),
      async gone({ name, memory }) {
        seen.push(memory.seen);
        if (seen.length === 1) acted = [];
        acted.push([`looked for ${name}`, clock.monotonicMs()]);
        return seen.length < 3 ? 20_000 : undefined;
      },
    });
    await create('a', 1);
    await clock.advance(10);
    await widgets().delete('a');
    await clock.advance(60_000);
    expect(seen).toEqual([4, 4, 4]);
    expect(pauses()).toEqual([20_000, 20_000]);
    expect(started.memoryOf({ name: 'a' })).toBeUndefined();
  });

  it('of an object that is gone is not used by a former leader', async () => {
    const fenced = registry.fencedBy(await registry.raiseFence('leader'));
    let isCalled = false;
    const started = start(
      {
        async gone() {
          isCalled = true;
          return undefined;
        },
      },
      {},
      fenced,
    );
    await create('a', 1);
    await clock.until(() => outside.has('a'));
    await clock.advance(10);
    await registry.raiseFence('leader');
    started.enqueue({ name: 'b' });
    await clock.advance(10);
    stop.abort();
    await expect(running).rejects.toMatchObject({ code: 'Fenced' });
    expect(isCalled).toBe(false);
  });
});

describe('an invalid spec', () => {
  const lax = () => new EmbeddedRegistry({ store, kinds: [LaxWidget], clock }).resource(LaxWidget);
  const createInvalid = () => lax().create({ metadata: { name: 'a' }, spec: { size: 5_000 } });

  it('is an error that is not retried, until it is changed', async () => {
    let observed = 0;
    start({
      observe: async () => {
        observed++;
        return { size: undefined };
      },
      act: async ({ size }, { metadata }) => {
        outside.set(metadata.name, size ?? 0);
        return unknown('later');
      },
    });
    await createInvalid();
    await clock.advance(600_000);
    expect(observed).toBe(0);
    expect(log.messages('error')).toHaveLength(1);
    expect(log.lines[0]?.fields).toMatchObject({ outcome: 'terminal', error: expect.stringContaining('5000') });
    await widgets().patch('a', { spec: { size: 50 } });
    await clock.until(() => outside.get('a') === 50);
  });

  it('is reported in the status and as an event, and nothing is done', async () => {
    start({
      report: (_widget, happened) =>
        happened.is === 'invalid'
          ? {
              status: { phase: happened.errors.map(({ path }) => path).join() },
              events: [{ type: 'Warning', reason: 'InvalidSpec', message: 'it is invalid' }],
            }
          : undefined,
    });
    await createInvalid();
    await clock.advance(600_000);
    expect(await phaseOf('a')).toBe('spec.size');
    expect(await reasons()).toEqual(['InvalidSpec']);
    expect(await finalizersOf('a')).toEqual([]);
    expect(did()).toEqual([]);
    expect(log.messages('error')).toEqual([]);
  });

  it('is reported although another wrote at the same time', async () => {
    await createInvalid();
    let isFirst = true;
    const raced = through(store, async (property) => {
      if (property !== 'commit' || !isFirst) return;
      isFirst = false;
      // Before the status of the first report.
      await lax().updateStatus({ metadata: { name: 'a' }, status: { phase: 'other' } });
    });
    start(
      { report: ({ status }, { is }) => ({ status: { phase: `${is}, was ${status?.phase}` } }) },
      {},
      opened(raced),
    );
    await clock.until(async () => (await phaseOf('a')) === 'invalid, was other', 1_000);
  });

  it('that is not reported is no obstacle', async () => {
    start({ report: () => undefined });
    await createInvalid();
    await clock.until(() => outside.get('a') === 5_000);
  });

  it('does not prevent the clean-up of an object that is being deleted', async () => {
    await lax().create({ metadata: { name: 'a', finalizers: [finalizer] }, spec: { size: 5_000 } });
    outside.set('a', 3);
    await lax().delete('a');
    start();
    await clock.until(() => !outside.has('a'));
    expect(did()).toEqual(['remove a']);
  });
});

describe('the finalizer', () => {
  it('is removed after everything was done', async () => {
    start();
    await create('a', 3);
    await clock.until(() => outside.get('a') === 3);
    await widgets().delete('a');
    await clock.until(async () => (await names()).length === 0);
    expect(did()).toEqual(['set a to 3', 'remove a']);
  });

  it('stays while a step is refused or its outcome is unknown', async () => {
    await createHeld('a', 3);
    outside.set('a', 3);
    await widgets().delete('a');
    const results = [refused('not now'), unknown('no response')];
    start({
      // The finalizer is not needed after the steps.
      decide: (_widget, { size }) => ({
        status: { phase: 'removing' },
        hold: false,
        ...(size === undefined ? {} : { steps: [{ do: 'remove', size: undefined }] }),
      }),
      act: async (_step, { metadata }) => {
        expect(await finalizersOf('a')).toEqual([finalizer]);
        return results.shift() ?? set(undefined, metadata.name);
      },
    });
    await clock.advance(4_000);
    expect(await finalizersOf('a')).toEqual([finalizer]);
    await clock.advance(2_000);
    expect(await finalizersOf('a')).toEqual([finalizer]);
    await clock.until(async () => (await names()).length === 0);
    expect(did()).toEqual(['remove a']);
  });

  it('is removed from a living object that does not need it any more, after its status is stored', async () => {
    await createHeld('a', 3, 'running');
    const seen: (string | undefined)[] = [];
    start({
      decide: (_widget, { size }) =>
        size === 3
          ? { status: { phase: 'complete' }, hold: false }
          : { status: { phase: 'running' }, steps: [{ do: 'set', size: 3 }] },
      triggers: [{ name: 'any', changes: [] }],
      observe: async ({ metadata, status }) => {
        seen.push(`${status?.phase} ${metadata.finalizers?.length ?? 0}`);
        return { size: outside.get(metadata.name) };
      },
    });
    await clock.until(async () => (await finalizersOf('a')).length === 0);
    expect(await phaseOf('a')).toBe('complete');
    await clock.advance(1_000);
    expect(new Set(seen)).toEqual(new Set(['running 1', 'complete 0']));
    const { metadata } = await widgets().get('a');
    await clock.advance(60_000);
    expect((await widgets().get('a')).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  it('is not removed from an object that has changed since it was read', async () => {
    await createHeld('a', 3);
    await widgets().delete('a');
    let isFirst = true;
    start({
      async observe({ metadata }) {
        const size = outside.get(metadata.name);
        if (isFirst) {
          // What exists is found after a change that another process has made in between.
          outside.set('a', 3);
          await widgets().patch('a', { metadata: { annotations: { 'example.io/found': 'yes' } } });
        }
        isFirst = false;
        return { size };
      },
    });
    await clock.until(async () => (await names()).length === 0);
    expect(did()).toEqual(['remove a']);
  });

  it('of another makes no work: an object that is being deleted without ours is left alone', async () => {
    await widgets().create({ metadata: { name: 'a', finalizers: ['example.io/other'] }, spec: { size: 3 } });
    await widgets().delete('a');
    let observed = 0;
    start({
      observe: async () => {
        observed++;
        return { size: undefined };
      },
    });
    await clock.advance(10_000);
    expect([observed, did()]).toEqual([0, []]);
  });

  it('that is not found is not removed: it is looked at again', async () => {
    await createHeld('a', 3);
    await widgets().delete('a');
    const replica = forgetsOnce(keyOf(Widget, 'default', 'a'));
    let passes = 0;
    start(
      {
        async observe({ metadata }) {
          if (++passes === 1) replica.arm();
          return { size: outside.get(metadata.name) };
        },
      },
      {},
      opened(replica.store),
    );
    await clock.until(async () => (await names()).length === 0);
    expect(passes).toBe(2);
  });

  it('is not needed without one: nothing is added, and deleted objects are left alone', async () => {
    const { finalizer: _, ...free } = sample;
    running = operate(free, { log }).run({ registry, signal: stop.signal });
    await create('a', 3);
    await clock.until(async () => (await phaseOf('a')) === 'is 3');
    expect(await finalizersOf('a')).toEqual([]);
    await widgets().delete('a');
    await clock.advance(1_000);
    expect(did()).toEqual(['set a to 3']);
  });
});

describe('a report', () => {
  const refusing: Partial<WidgetOperator> = {
    act: async () => refused('too large'),
    report: ({ status }, happened) => ({
      status: { ...status, phase: `${happened.is === 'invalid' ? '' : happened.message}, was ${status?.phase}` },
      events: [{ type: 'Warning', reason: 'Refused', message: 'it was refused' }],
      requeueAfterMs: 50_000,
    }),
  };

  it('is stored after the steps, with its events and its delay', async () => {
    await createHeld('a', 3, 'to 3');
    let acts = 0;
    start({
      ...refusing,
      act: async () => {
        acts++;
        return refused('too large');
      },
    });
    await clock.advance(49_000);
    expect(await phaseOf('a')).toBe('too large, was to 3');
    expect(await reasons()).toEqual(['Refused']);
    expect(acts).toBe(1);
    await clock.advance(2_000);
    expect(acts).toBe(2);
  });

  it('knows the facts, the decision, what was done and what was not', async () => {
    await createHeld('a', 3, 'x');
    const happened: unknown[] = [];
    start({
      decide: () => ({
        status: { phase: 'x' },
        steps: [
          { do: 'one', size: 1 },
          { do: 'two', size: 2 },
        ],
      }),
      act: async ({ size }, { metadata }) => (size === 1 ? set(size, metadata.name) : refused('no')),
      report: (_widget, what) => void happened.push(what),
    });
    await clock.advance(10);
    const steps = [
      { do: 'one', size: 1 },
      { do: 'two', size: 2 },
    ];
    expect(happened).toEqual([
      {
        is: 'refused',
        message: 'no',
        facts: { size: undefined },
        decision: { status: { phase: 'x' }, steps },
        done: [steps[0]],
        step: steps[1],
      },
    ]);
  });

  it('is dropped if another has written meanwhile', async () => {
    await createHeld('a', 3, 'to 3');
    let acts = 0;
    start({
      ...refusing,
      async act() {
        if (++acts === 1) await widgets().patch('a', { metadata: { labels: { other: 'yes' } } });
        return refused('too large');
      },
    });
    await clock.advance(49_000);
    expect(await phaseOf('a')).toBe('to 3');
    await clock.advance(2_000);
    expect(await phaseOf('a')).toBe('too large, was to 3');
    expect(log.messages('error')).toEqual([]);
  });
});

describe('what a process remembers of a pass', () => {
  it('is said at its end, when everything was stored, with what has become of the steps', async () => {
    await createHeld('a', 3);
    const ends: string[] = [];
    let acts = 0;
    start({
      act: async ({ size }, { metadata }) => (++acts === 1 ? refused('too large', 7) : set(size, metadata.name)),
      report: ({ status }, happened) => (happened.is === 'refused' ? { status: { ...status, phase: 'refused' } } : {}),
      ended: ({ status, metadata }, { is, code, done }) =>
        void ends.push(`${is} ${code} ${done.length} ${status?.phase} ${metadata.finalizers?.length}`),
    });
    await clock.until(() => outside.get('a') === 3);
    await clock.advance(1_000);
    await widgets().delete('a');
    await clock.until(async () => (await names()).length === 0);
    expect(ends).toEqual([
      'refused 7 0 refused 1',
      'done undefined 1 to 3 1',
      'done undefined 0 is 3 1',
      'done undefined 1 to undefined 1',
      'done undefined 0 to undefined 1',
    ]);
  });

  it('is not said of a pass that has failed, nor of a plan', async () => {
    await createHeld('a', 3);
    let ended = 0;
    const failing = operation({ ended: () => void ended++ });
    await failing.plan(registry, { name: 'a' }, stop.signal);
    start({
      act: async () => {
        throw new Error('no');
      },
      ended: () => void ended++,
    });
    await clock.advance(10_000);
    expect(ended).toBe(0);
  });
});

describe('events', () => {
  const telling: Partial<WidgetOperator> = {
    decide(widget, facts, nowMs) {
      const { steps = [], ...decision } = sample.decide(widget, facts, nowMs);
      if (steps.length === 0) return decision;
      const event = { type: 'Normal', reason: 'Set', message: 'the size was set' } as const;
      return {
        ...decision,
        steps: steps.map((step) => ({ ...step, event })),
        events: [{ type: 'Normal', reason: 'Decided', message: 'the size will be set' }],
      };
    },
  };

  it('of a decision are recorded when it is stored, those of a step when it is done', async () => {
    await createHeld('a', 3, 'to 3');
    let acts = 0;
    start(
      { ...telling, act: async ({ size }, { metadata }) => (++acts === 1 ? unknown('no') : set(size, metadata.name)) },
      { eventSource: 'sizes' },
    );
    await clock.advance(1_000);
    expect(await reasons()).toEqual(['Decided']);
    await clock.until(async () => (await reasons()).includes('Set'));
    const events = (await registry.resource(Event).list()).items.map((event) => Event.fieldsOf(event));
    expect(events.map(({ source, involvedObject }) => [source?.component, involvedObject.name])).toEqual([
      ['sizes', 'a'],
      ['sizes', 'a'],
    ]);
  });

  it('of a decision that is not stored are not recorded', async () => {
    let conflicts = 0;
    start({
      ...telling,
      async observe(widget) {
        if (++conflicts <= 3) await widgets().patch('a', { spec: { size: 10 + conflicts } });
        // Rest is never decided before the conflicts are over.
        return { size: conflicts <= 3 ? undefined : widget.spec.size };
      },
    });
    await create('a', 3);
    await clock.until(async () => (await phaseOf('a')) === 'is 13');
    await clock.advance(1_000);
    expect(await reasons()).toEqual([]);
  });
});

describe('the next pass', () => {
  it('is the earliest of all triggers, each of which sees the written status', async () => {
    await createHeld('a', 3, 'to 3');
    const at: number[] = [];
    const seen: (string | undefined)[] = [];
    start({
      triggers: [
        ...sample.triggers,
        { name: 'busy', every: ({ status }) => (status?.phase === 'is 3' ? undefined : 1_000) },
        {
          name: 'rest',
          every({ status }) {
            seen.push(status?.phase);
            return 60_000;
          },
        },
      ],
      async observe({ metadata }) {
        at.push(clock.monotonicMs());
        return { size: outside.get(metadata.name) };
      },
      act: async ({ size }, { metadata }) => (at.length < 3 ? refused('not now') : set(size, metadata.name)),
    });
    await clock.advance(130_000);
    const times = at.map((ms) => ms - (at[0] ?? 0));
    // Done in the third pass and looked at again at once; then it rests.
    expect(times).toEqual([0, 1_000, 2_000, 2_000, 62_000, 122_000]);
    expect(seen).toEqual(['to 3', 'to 3', 'to 3', 'is 3', 'is 3', 'is 3']);
    const passes = log.lines.filter(({ message }) => message === 'reconciled').map(({ fields }) => fields['reason']);
    expect(passes).toEqual(['spec: added', 'busy', 'busy', 'requeued', 'rest', 'rest']);
  });
});

describe('triggers', () => {
  const logged = () =>
    log.lines.filter(({ message }) => message === 'reconciled').map(({ fields }) => fields['reason']);

  it('are changes of the object that their predicates select', async () => {
    outside.set('a', 3);
    start({
      triggers: [
        { name: 'spec', changes: [generationChanged] },
        { name: 'labels', changes: [({ metadata }) => metadata.labels?.['x']] },
      ],
    });
    const made = await create('a', 3);
    await clock.advance(10);
    const first = logged().length;
    await widgets().updateStatus({ metadata: made.metadata, status: { phase: 'other' } });
    await widgets().patch('a', { metadata: { annotations: { y: 'z' } } });
    await clock.advance(10);
    expect(logged().length).toBe(first);
    await widgets().patch('a', { metadata: { labels: { x: 'y' } } });
    await clock.advance(10);
    expect(logged().slice(first)).toEqual(['labels: updated']);
  });

  it('are changes of other objects', async () => {
    outside.set('a', 3);
    start({ triggers: [...sample.triggers, { name: 'crates', watches: [{ kind: Crate, map: ownedBy(Widget) }] }] });
    const { apiVersion, kind, metadata } = await create('a', 3);
    await clock.advance(10);
    const first = logged().length;
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true }];
    await registry.resource(Crate).create({ metadata: { name: 'mine', ownerReferences }, spec: {} });
    await clock.advance(10);
    expect(logged().slice(first)).toEqual(['crates: Crate mine added']);
  });

  it('are needed: one at least has changes', () => {
    expect(() => operation({ triggers: [{ name: 'drift', every: () => 1_000 }] })).toThrow(
      'no trigger of widget has changes',
    );
  });

  it('run from the start of a term until its last pass has ended', async () => {
    const history: string[] = [];
    let enqueue: Enqueue | undefined;
    const poll: Trigger<unknown, unknown> = {
      name: 'poll',
      async run(add, { signal }) {
        history.push('started');
        enqueue = add;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        history.push('ended');
      },
    };
    const started = start({
      triggers: [...sample.triggers, poll],
      act: async ({ size }, { metadata }) => {
        await sleep(clock, 3_000);
        history.push('acted');
        return set(size, metadata.name);
      },
    });
    await settled();
    expect(history).toEqual(['started']);
    await create('a', 3);
    await clock.advance(100);
    stop.abort();
    await clock.run(running ?? Promise.resolve());
    expect(history).toEqual(['started', 'acted', 'ended']);
    // Without a run it does nothing.
    enqueue?.({ name: 'a' });
    expect(started.queue).toBeUndefined();
  });

  it('enqueue objects, with their name as the reason', async () => {
    outside.set('a', 3);
    let enqueue: Enqueue | undefined;
    start({
      triggers: [
        ...sample.triggers,
        {
          name: 'poll',
          async run(add, { signal }) {
            enqueue = add;
            await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
          },
        },
      ],
    });
    await create('a', 3);
    await clock.advance(10);
    const first = logged().length;
    outside.set('a', 2);
    enqueue?.({ name: 'a' }, { afterMs: 5_000 });
    await clock.advance(4_000);
    expect(logged().length).toBe(first);
    await clock.until(() => outside.get('a') === 3);
    await clock.advance(10);
    expect(logged()[first]).toBe('poll');
  });

  it('that fail end the run after the passes in flight', async () => {
    const history: string[] = [];
    start({
      triggers: [
        ...sample.triggers,
        {
          name: 'poll',
          async run() {
            await sleep(clock, 1_000);
            throw new Error('the poller failed');
          },
        },
      ],
      act: async ({ size }, { metadata }) => {
        await sleep(clock, 3_000);
        history.push('acted');
        return set(size, metadata.name);
      },
    });
    await create('a', 3);
    const ended = running?.catch((error) => void history.push(String(error)));
    await clock.run(ended ?? Promise.resolve());
    expect(history).toEqual(['acted', 'Error: the poller failed']);
  });
});

describe('a plan', () => {
  it('is what a pass would do, without the cache, and writes nothing', async () => {
    await create('a', 3);
    const revision = await store.revision();
    const history: string[] = [];
    const planned = await operation({
      async observe(widget, pass) {
        pass.defer(() => void history.push('closed'));
        pass.record({ type: 'Normal', reason: 'Planned', message: 'it was planned' });
        history.push(`may use cache: ${pass.mayUseCache}`);
        return sample.observe(widget, pass);
      },
    }).plan(registry, { name: 'a' }, stop.signal);
    expect(planned.object.metadata.name).toBe('a');
    expect(planned.facts).toEqual({ size: undefined });
    expect(planned.decision).toEqual({ status: { phase: 'to 3' }, steps: [{ do: 'set', size: 3 }] });
    expect(history).toEqual(['may use cache: false', 'closed']);
    await clock.advance(1_000);
    expect(await store.revision()).toBe(revision);
    expect(did()).toEqual([]);
  });

  it('of an object that does not exist fails', async () => {
    await expect(operation().plan(registry, { name: 'a' }, stop.signal)).rejects.toMatchObject({ code: 'NotFound' });
  });
});

describe('reads of a pass', () => {
  it('are not older than its last write: nothing is made a second time', async () => {
    const replica = lagging(store);
    const own = opened(replica.store);
    let made = 0;
    start(
      {
        async observe(_widget, pass) {
          const { items } = await pass.registry.resource(Crate).list();
          return { size: items.length };
        },
        decide: ({ spec }, { size = 0 }) => ({
          status: undefined,
          steps: size < spec.size ? [{ do: 'make', size }] : [],
        }),
        async act(_step, _widget, _facts, pass) {
          await replica.stop();
          await pass.registry.resource(Crate).create({ metadata: { name: `crate-${made++}` }, spec: {} });
          return 'done';
        },
      },
      {},
      own,
    );
    await create('a', 1);
    await clock.advance(5_000);
    expect(made).toBe(1);
    expect(log.messages('error').length).toBeGreaterThan(0);
    replica.resume();
    await clock.advance(20_000);
    expect(made).toBe(1);
    expect((await registry.resource(Crate).list()).items).toHaveLength(1);
  });
});
