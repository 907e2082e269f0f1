import { VirtualClock, Widget } from '@ecsm/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import type { ApiObject } from '../api/object.ts';
import { MetricRegistry } from '../manager/metrics.ts';
import { standardMetrics } from '../manager/standard-metrics.ts';
import { type Clock, sleep, systemClock } from '../ports/clock.ts';
import type { LogFields, LogLevel } from '../ports/log.ts';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { bare } from '../registry/registries.kit.ts';
import type { CommitOutcome, Store, Write } from '../store/contract.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { Event } from './event.ts';
import { BUFFERED_EVENTS_MAX, SIMILAR_GROUPS_MAX } from './event-buffer.ts';
import { EventRecorder, type RecorderOptions } from './recorder.ts';

let nowMs: number;
let registry: EmbeddedRegistry;
let widget: ApiObject<unknown, unknown>;
const clock: Clock = { now: () => nowMs, monotonicMs: () => nowMs, after: systemClock.after };

beforeEach(async () => {
  nowMs = Date.UTC(2030, 0, 1, 12);
  registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Widget, Event], clock });
  widget = await registry.resource(Widget).create({ metadata: { name: 'a' }, spec: {} });
});

const events = async () => (await registry.resource(Event).list()).items.map(Event.fieldsOf);
/** The messages and their counts, in the order in which they were last written. */
const counts = async () => {
  const { items } = await registry.resource(Event).list();
  return [...items]
    .sort((one, other) => Number(one.metadata.resourceVersion) - Number(other.metadata.resourceVersion))
    .map(Event.fieldsOf)
    .map(({ message, count }) => [message, count] as const);
};

describe('events', () => {
  it('describe what happened to which object, when and how often', async () => {
    const recorder = new EventRecorder({ registry, source: 'test' });
    recorder.record(widget, 'Warning', 'PullFailed', 'image x is not there');
    await recorder.flush();
    expect(await events()).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: expect.objectContaining({ namespace: 'default' }),
        involvedObject: {
          apiVersion: 'example.io/v1',
          kind: 'Widget',
          namespace: 'default',
          name: 'a',
          uid: widget.metadata.uid,
        },
        type: 'Warning',
        reason: 'PullFailed',
        message: 'image x is not there',
        source: { component: 'test' },
        reportingComponent: 'test',
        count: 1,
        firstTimestamp: '2030-01-01T12:00:00Z',
        lastTimestamp: '2030-01-01T12:00:00Z',
      },
    ]);
  });

  it('with the same message are one object with a count', async () => {
    const recorder = new EventRecorder({ registry, source: 'test' });
    for (let attempt = 1; attempt <= 20; attempt++) {
      recorder.record(widget, 'Warning', 'Retry', 'attempt failed');
      await recorder.flush();
      nowMs += 1000;
    }
    expect(await events()).toMatchObject([
      {
        count: 20,
        message: 'attempt failed',
        firstTimestamp: '2030-01-01T12:00:00Z',
        lastTimestamp: '2030-01-01T12:00:19Z',
      },
    ]);
  });

  it('that differ in numbers are different objects: one overwrote the message of the other', async () => {
    const recorder = new EventRecorder({ registry, source: 'test' });
    const messages = ['Scaled from 2 to 3', 'Scaled from 3 to 4', 'main-1 joined', 'main-2 joined'];
    for (const message of messages) recorder.record(widget, 'Normal', 'Done', message);
    await recorder.flush();
    expect((await counts()).map(([message]) => message).sort()).toEqual(messages.sort());
  });

  it('that follow one another are written with one commit', async () => {
    const recorder = new EventRecorder({ registry, source: 'test' });
    const others = [widget, await registry.resource(Widget).create({ metadata: { name: 'b' }, spec: {} })];
    const before = await registry.revision();
    for (const other of others) {
      recorder.record(other, 'Normal', 'Created', 'made it');
      // Longer than it takes to write an event by itself.
      await sleep(systemClock, 1);
    }
    await recorder.flush();
    expect(await events()).toHaveLength(2);
    expect((await registry.revision()) - before).toBe(1);
  });

  it('do not hold secrets', async () => {
    const recorder = new EventRecorder({ registry, source: 'test' });
    recorder.record(widget, 'Warning', 'Rejected', 'AWS_ACCESS_KEY_ID=hunter2 is not known');
    await recorder.flush();
    expect(await events()).toMatchObject([{ message: 'AWS_ACCESS_KEY_ID=<hidden> is not known' }]);
  });

  it('of two concurrent recorders are counted together', async () => {
    const recorders = [1, 2].map(() => new EventRecorder({ registry, source: 'test' }));
    for (let n = 0; n < 10; n++) for (const recorder of recorders) recorder.record(widget, 'Normal', 'Tick', 'tock');
    for (const recorder of recorders) await recorder.flush();
    expect((await events()).map(({ count }) => count)).toEqual([20]);
  });

  it('are limited in number: the oldest are deleted', async () => {
    const recorder = new EventRecorder({ registry, source: 'test', eventsMax: 20 });
    for (let n = 0; n < 151; n++) {
      recorder.record(object(n), 'Normal', 'Step', `step ${n}`);
      await recorder.flush();
      nowMs += 1000;
    }
    const found = await events();
    expect(found.length).toBeLessThanOrEqual(20);
    expect(found.some(({ message }) => message === 'step 150')).toBe(true);
  });

  it('are limited in age', async () => {
    const recorder = new EventRecorder({ registry, source: 'test', ageMsMax: 60_000 });
    recorder.record(widget, 'Normal', 'Old', 'long ago');
    await recorder.flush();
    nowMs += 120_000;
    for (let index = 0; index < 50; index++) recorder.record(object(index), 'Normal', 'New', 'just now');
    await recorder.flush();
    expect((await events()).some(({ reason }) => reason === 'Old')).toBe(false);
  });

  it('of other programs without a timestamp are bounded in age, too', async () => {
    const input = (name: string, eventTime: string) =>
      Event.input({ name }, { involvedObject: { kind: 'Pod', name }, eventTime });
    await registry.resource(Event).create(input('old.1', '2030-01-01T11:58:59.250000Z'));
    await registry.resource(Event).create(input('new.1', '2030-01-01T14:00:00.000000+02:00'));
    const recorder = new EventRecorder({ registry, source: 'test', ageMsMax: 60_000 });
    recorder.record(widget, 'Normal', 'Created', 'made it');
    await recorder.flush();
    expect((await events()).map(({ involvedObject }) => involvedObject.name).sort()).toEqual(['a', 'new.1']);
  });

  it('never fail their caller: a closed store loses only the events', async () => {
    const { recorder, logged, dropped } = observed();
    await registry.close();
    recorder.record(widget, 'Normal', 'Lost', 'this event is dropped');
    await recorder.flush();
    expect(logged).toEqual([
      expect.objectContaining({ dropped: 1, cause: 'the events could not be written', reason: 'Lost' }),
    ]);
    expect(dropped()).toBe(1);
  });
});

/** A recorder, and what it logs and counts. */
function observed(options: Partial<RecorderOptions> = {}) {
  const logged: LogFields[] = [];
  const log = { write: (_: LogLevel, __: string, fields: LogFields = {}) => logged.push(fields) };
  const metrics = new MetricRegistry();
  const recorder = new EventRecorder({ registry, source: 'test', log, metrics: standardMetrics(metrics), ...options });
  const dropped = () => Number(/^event_recorder_dropped_total\{source="test"\} ([0-9]+)$/m.exec(metrics.render())?.[1]);
  return { recorder, logged, dropped };
}

/** The store with commits that take their time, one after another, and can be made to fail. */
function slow(commitMs: number) {
  const { store } = registry;
  const state = { commits: 0, failures: 0 };
  let turn: Promise<unknown> = Promise.resolve();
  const commit: Store['commit'] = (writes) => {
    const outcome = turn.then(async () => {
      state.commits++;
      await sleep(systemClock, commitMs);
      if (state.failures-- > 0) throw new ApiError('Unavailable', { what: 'the store', reason: 'no answer' });
      return store.commit(writes);
    });
    turn = outcome.catch(() => {});
    return outcome;
  };
  registry = new EmbeddedRegistry({
    store: new Proxy(store, {
      get(target, property) {
        if (property === 'commit') return commit;
        const value = Reflect.get(target, property);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }),
    kinds: [Widget, Event],
    clock,
  });
  return state;
}

/** An object that needs not be in the registry. */
const object = (index: number) => ({
  ...widget,
  metadata: { ...widget.metadata, name: `w${index}`, uid: `uid-${index}` },
});

describe('similar events', () => {
  const step = (recorder: EventRecorder, number: number) => recorder.record(widget, 'Normal', 'Step', `step ${number}`);
  const combined = (number: number) => `(combined from similar events): step ${number}`;

  it('are combined from the tenth message on; the others keep their objects', async () => {
    const recorder = new EventRecorder({ registry, source: 'test' });
    for (let number = 1; number <= 9; number++) step(recorder, number);
    await recorder.flush();
    const own = Array.from({ length: 9 }, (_, index) => [`step ${index + 1}`, 1]);
    expect(await counts()).toEqual(own);
    for (const number of [10, 11, 12, 1]) {
      step(recorder, number);
      await recorder.flush();
    }
    expect(await counts()).toEqual([...own.slice(1), [combined(12), 3], ['step 1', 2]]);
  });

  it('are those of one object, type, reason and source', async () => {
    const recorder = new EventRecorder({ registry, source: 'test' });
    for (let number = 1; number <= 9; number++) step(recorder, number);
    recorder.record(object(1), 'Normal', 'Step', 'step 1');
    recorder.record(widget, 'Warning', 'Step', 'step 1');
    recorder.record(widget, 'Normal', 'Stop', 'step 1');
    const other = new EventRecorder({ registry, source: 'other' });
    other.record(widget, 'Normal', 'Step', 'step 1');
    for (const one of [recorder, other]) await one.flush();
    expect((await counts()).filter(([message]) => message === 'step 1')).toEqual(Array(5).fill(['step 1', 1]));
    expect(await events()).toHaveLength(13);
  });

  it('are combined until none has occurred for ten minutes', async () => {
    const recorder = new EventRecorder({ registry, source: 'test' });
    for (let number = 1; number <= 10; number++) step(recorder, number);
    await recorder.flush();
    const last = async () => (await counts()).at(-1);
    for (let number = 11; number <= 20; number++) {
      nowMs += 600_000;
      step(recorder, number);
      await recorder.flush();
      expect(await last()).toEqual([combined(number), number - 9]);
    }
    nowMs += 600_001;
    step(recorder, 21);
    await recorder.flush();
    expect(await last()).toEqual(['step 21', 1]);
  });

  it('continue the counts of a recorder that ran before', async () => {
    for (const _ of [1, 2]) {
      const recorder = new EventRecorder({ registry, source: 'test' });
      for (let number = 1; number <= 10; number++) step(recorder, number);
      await recorder.flush();
    }
    const own = Array.from({ length: 9 }, (_, index) => [`step ${index + 1}`, 2]);
    expect(await counts()).toEqual([...own, [combined(10), 2]]);
  });

  it('of 4,096 groups are remembered: the group that has not occurred for the longest is forgotten', async () => {
    const recorder = new EventRecorder({ registry, source: 'test', eventsMax: 10_000 });
    const recordOthers = async (count: number) => {
      for (let index = 1; index <= count; index++) {
        recorder.record(object(index), 'Normal', 'Step', 'x');
        if (index % 1_000 === 0 || index === count) await recorder.flush();
      }
    };
    for (let number = 1; number <= 10; number++) step(recorder, number);
    await recordOthers(SIMILAR_GROUPS_MAX - 1);
    step(recorder, 11);
    await recorder.flush();
    expect((await counts()).at(-1)).toEqual([combined(11), 2]);
    await recordOthers(SIMILAR_GROUPS_MAX);
    step(recorder, 12);
    await recorder.flush();
    expect((await counts()).at(-1)).toEqual(['step 12', 1]);
  });

  it('with a changing number every 5 s for hours cost ten objects, and a commit each', async () => {
    const virtual = new VirtualClock(nowMs);
    registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Widget, Event], clock: virtual });
    const recorder = new EventRecorder({ registry, source: 'test' });
    const total = 3 * 720;
    for (let number = 1; number <= total; number++) {
      step(recorder, number);
      await virtual.advance(5_000);
    }
    const found = await counts();
    expect([found.length, found.at(-1), await registry.revision()]).toEqual([10, [combined(total), total - 9], total]);
  });
});

describe('many concurrent events', () => {
  it('of 1,000 objects with 2 each are all written on a store with slow commits, in few of them', async () => {
    const state = slow(5);
    const { recorder, logged, dropped } = observed();
    for (let index = 0; index < 1000; index++) {
      recorder.record(object(index), 'Normal', 'Created', 'made it');
      recorder.record(object(index), 'Normal', 'Ready', '3 of 3 instances are ready');
    }
    await recorder.flush();
    const found = await events();
    const per = new Map<string, unknown[]>();
    for (const { involvedObject, reason } of found) {
      const { uid = '' } = involvedObject;
      per.set(uid, [...(per.get(uid) ?? []), reason]);
    }
    expect(per.size).toBe(1000);
    expect([...per.values()].every((reasons) => [...reasons].sort().join() === 'Created,Ready')).toBe(true);
    expect([logged, dropped()]).toEqual([[], 0]);
    expect(state.commits).toBeLessThanOrEqual(20);
  });

  it('of one object are written in their order', async () => {
    const recorder = new EventRecorder({ registry, source: 'test' });
    const reasons = ['Created', 'Started', 'Probed', 'Ready', 'Scaled'];
    for (const reason of reasons) recorder.record(widget, 'Normal', reason, 'of one second');
    await recorder.flush();
    const { items } = await registry.resource(Event).list();
    const inOrder = [...items].sort(
      (one, other) => Number(one.metadata.resourceVersion) - Number(other.metadata.resourceVersion),
    );
    expect(inOrder.map((event) => Event.fieldsOf(event).reason)).toEqual(reasons);
    expect(new Set(items.map(({ metadata }) => metadata.resourceVersion)).size).toBe(reasons.length);
  });

  it('that repeat while they wait are merged, and take one place in the buffer', async () => {
    const { recorder, dropped } = observed();
    for (let attempt = 1; attempt <= 3 * BUFFERED_EVENTS_MAX; attempt++) {
      recorder.record(widget, 'Warning', 'Retry', 'attempt failed');
    }
    await recorder.flush();
    expect(await counts()).toEqual([['attempt failed', 12_000]]);
    expect(dropped()).toBe(0);
  });

  it('beyond the buffer are dropped and counted, and logged once in ten seconds', async () => {
    const { recorder, logged, dropped } = observed();
    for (let index = 0; index < BUFFERED_EVENTS_MAX; index++) recorder.record(object(index), 'Normal', 'Step', 'x');
    expect([logged, dropped()]).toEqual([[], 0]);
    for (let index = 0; index < 300; index++) recorder.record(object(-index - 1), 'Normal', 'Lost', 'x');
    expect(logged).toEqual([{ source: 'test', dropped: 1, cause: 'the buffer is full', reason: 'Lost', message: 'x' }]);
    nowMs += 10_000;
    recorder.record(object(-1), 'Normal', 'Lost', 'x');
    expect(logged.map((fields) => fields['dropped'])).toEqual([1, 300]);
    expect(dropped()).toBe(301);
    await recorder.flush();
    const found = await events();
    expect([found.length, found.some(({ reason }) => reason === 'Lost')]).toEqual([BUFFERED_EVENTS_MAX, false]);
  });

  it('are kept while the store is briefly unavailable', async () => {
    const state = slow(0);
    state.failures = 2;
    const { recorder, logged } = observed();
    for (let index = 0; index < 10; index++) recorder.record(object(index), 'Normal', 'Step', 'x');
    await recorder.flush();
    expect([(await events()).length, logged]).toEqual([10, []]);
  });

  it('are not affected by one that cannot be written', async () => {
    const { recorder, logged, dropped } = observed();
    recorder.record(object(1), 'Normal', 'Good', 'x');
    recorder.record(object(2), 'Normal', '', 'an event needs a reason');
    recorder.record(object(3), 'Normal', 'Good', 'x');
    await recorder.flush();
    expect((await events()).map(({ reason }) => reason)).toEqual(['Good', 'Good']);
    expect([logged.length, dropped()]).toEqual([1, 1]);
  });
});

describe('events of objects of other scopes', () => {
  const cases = [
    ['system:node', 'system-node'],
    ['a.example.com', 'a-example-com'],
    [':Reader', 'reader'],
    [`${'a'.repeat(39)}.b`, `${'a'.repeat(39)}-`],
  ] as const;

  it.each(cases)('are in the default namespace, with a valid name: %s', async (name, prefix) => {
    const { apiVersion, kind } = widget;
    const recorder = new EventRecorder({ registry, source: 'test' });
    recorder.record({ apiVersion, kind, metadata: { name, uid: 'u' } }, 'Normal', 'Seen', 'it is there');
    await recorder.flush();
    const [event] = (await registry.resource(Event).list()).items;
    expect(event?.metadata).toMatchObject({
      namespace: 'default',
      name: expect.stringMatching(`^${prefix}-[a-z0-9]{14}$`),
    });
    expect(event && Event.fieldsOf(event).involvedObject).toEqual({ apiVersion, kind, name, uid: 'u' });
  });
});

describe('events on a registry that writes one object at a time', () => {
  it('are left to the server that expires them', async () => {
    const old = { involvedObject: { kind: 'Pod', name: 'other' }, lastTimestamp: '2029-01-01T00:00:00Z' };
    await registry.resource(Event).create(Event.input({ name: 'other.1' }, old));
    const recorder = new EventRecorder({ registry: bare(registry), source: 'test', eventsMax: 1 });
    recorder.record(widget, 'Normal', 'Seen', 'it is there');
    await recorder.flush();
    expect(await events()).toHaveLength(2);
  });

  it('are all written, and merged with existing ones, also beside another recorder', async () => {
    const others = await Promise.all(
      ['b', 'c'].map((name) => registry.resource(Widget).create({ metadata: { name }, spec: {} })),
    );
    const recorders = [1, 2].map(() => new EventRecorder({ registry: bare(registry), source: 'test' }));
    for (const recorder of recorders) {
      for (const regarding of [widget, ...others]) recorder.record(regarding, 'Normal', 'Seen', 'it is there');
    }
    await Promise.all(recorders.map((recorder) => recorder.flush()));
    expect((await events()).map(({ involvedObject, count }) => [involvedObject.name, count])).toEqual([
      ['a', 2],
      ['b', 2],
      ['c', 2],
    ]);
  });

  it('that could not be written are not counted twice when they are repeated', async () => {
    const other = { ...widget, metadata: { ...widget.metadata, name: 'b', uid: 'uid-of-b' } };
    let failures = 1;
    class Failing extends MemoryStore {
      override async commit(writes: readonly Write[]): Promise<CommitOutcome> {
        const isOther = writes.some(({ key }) => key.includes('/events/default/b-'));
        if (isOther && failures-- > 0) throw new ApiError('Unavailable', { what: 'the store', reason: 'a test' });
        return super.commit(writes);
      }
    }
    const hasty: Clock = { ...systemClock, now: () => nowMs, after: (_, call) => systemClock.after(0, call) };
    registry = new EmbeddedRegistry({ store: new Failing(), kinds: [Widget, Event], clock: hasty });
    const recorder = new EventRecorder({ registry: bare(registry), source: 'test' });
    recorder.record(widget, 'Normal', 'Seen', 'it is there');
    recorder.record(other, 'Normal', 'Seen', 'it is there');
    await recorder.flush();
    expect((await events()).map(({ involvedObject, count }) => [involvedObject.name, count])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
  });
});
