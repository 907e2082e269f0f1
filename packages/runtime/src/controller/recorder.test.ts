import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiObject } from '../api/object.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import { Registry } from '../registry/registry.ts';
import { Widget } from '../registry/widget.kit.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { Event } from './event.ts';
import { EventRecorder } from './recorder.ts';

let nowMs: number;
let registry: Registry;
let widget: ApiObject<unknown, unknown>;
const clock: Clock = { now: () => nowMs, after: systemClock.after };

beforeEach(async () => {
  nowMs = Date.UTC(2030, 0, 1, 12);
  registry = new Registry({ store: new MemoryStore(), kinds: [Widget, Event], clock });
  widget = await registry.resource(Widget).create({ metadata: { name: 'a' }, spec: {} });
});

const events = async () => (await registry.resource(Event).list()).items.map(({ spec }) => spec);

describe('events', () => {
  it('say what happened to which object, when and how often', async () => {
    const recorder = new EventRecorder({ registry, source: 'test' });
    recorder.record(widget, 'Warning', 'PullFailed', 'image x is not there');
    await recorder.flush();
    expect(await events()).toEqual([
      {
        regarding: { apiVersion: 'example.io/v1', kind: 'Widget', name: 'a', uid: widget.metadata.uid },
        type: 'Warning',
        reason: 'PullFailed',
        message: 'image x is not there',
        source: 'test',
        count: 1,
        firstTimestamp: '2030-01-01T12:00:00Z',
        lastTimestamp: '2030-01-01T12:00:00Z',
      },
    ]);
  });

  it('that are the same but for numbers are one, with a count and the newest words', async () => {
    const recorder = new EventRecorder({ registry, source: 'test' });
    for (let attempt = 1; attempt <= 5; attempt++) {
      recorder.record(widget, 'Warning', 'Retry', `attempt ${attempt} failed`);
      await recorder.flush();
      nowMs += 1000;
    }
    recorder.record(widget, 'Normal', 'Created', 'made it');
    await recorder.flush();
    const found = await events();
    expect(found).toHaveLength(2);
    expect(found.find(({ reason }) => reason === 'Retry')).toMatchObject({
      count: 5,
      message: 'attempt 5 failed',
      firstTimestamp: '2030-01-01T12:00:00Z',
      lastTimestamp: '2030-01-01T12:00:04Z',
    });
  });

  it('of two recorders at once are counted together', async () => {
    const recorders = [1, 2].map(() => new EventRecorder({ registry, source: 'test' }));
    for (let n = 0; n < 10; n++) for (const recorder of recorders) recorder.record(widget, 'Normal', 'Tick', 'tock');
    for (const recorder of recorders) await recorder.flush();
    expect((await events()).map(({ count }) => count)).toEqual([20]);
  });

  it('are bounded in number: the oldest go', async () => {
    const recorder = new EventRecorder({ registry, source: 'test', eventsMax: 20 });
    for (let n = 0; n < 151; n++) {
      recorder.record(
        widget,
        'Normal',
        'Step',
        `step ${String.fromCharCode(97 + (n % 26))}${String.fromCharCode(97 + Math.floor(n / 26))}`,
      );
      await recorder.flush();
      nowMs += 1000;
    }
    const found = await events();
    expect(found.length).toBeLessThanOrEqual(20);
    expect(found.some(({ message }) => message === 'step uf')).toBe(true);
  });

  it('are bounded in age', async () => {
    const recorder = new EventRecorder({ registry, source: 'test', ageMsMax: 60_000 });
    recorder.record(widget, 'Normal', 'Old', 'long ago');
    await recorder.flush();
    nowMs += 120_000;
    for (const letter of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ')
      recorder.record(widget, 'Normal', 'New', letter);
    await recorder.flush();
    expect((await events()).some(({ reason }) => reason === 'Old')).toBe(false);
  });

  it('never fail the one who records: a store that is down costs the event only', async () => {
    const warnings: string[] = [];
    const log = { write: (_: string, message: string) => warnings.push(message) };
    const recorder = new EventRecorder({ registry, source: 'test', log });
    await registry.close();
    recorder.record(widget, 'Normal', 'Lost', 'nobody hears this');
    await recorder.flush();
    expect(warnings).toEqual(['an event could not be written']);
    for (let n = 0; n < 600; n++) recorder.record(widget, 'Normal', 'Flood', 'x');
    expect(warnings.filter((warning) => warning.includes('dropped'))).toHaveLength(100);
    await recorder.flush();
  });
});
