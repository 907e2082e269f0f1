import { describe, expect, it } from 'vitest';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { countOf, Event, type EventObject, firstSeenOf, lastSeenOf } from './event.ts';

const involvedObject = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web', uid: 'u' };

/** The object as stored, from JSON as other programs send it. */
async function stored(fields: object, name = 'web.17a3f0c2b1d4e5f6'): Promise<EventObject> {
  const clock = { now: () => Date.UTC(2026, 0, 2), monotonicMs: () => 0, after: () => () => {} };
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Event], clock });
  const metadata = { name, namespace: 'default', creationTimestamp: null };
  const input = JSON.parse(JSON.stringify({ apiVersion: 'v1', kind: 'Event', metadata, ...fields }));
  const object = await registry.resource(Event).create(input);
  await registry.close();
  return object;
}

const cellsOf = (object: EventObject) =>
  Object.fromEntries(Event.columns.map(({ name, value }) => [name, value(object)]));

describe('field selectors of Kubernetes on events', () => {
  const fields = { involvedObject: { ...involvedObject, resourceVersion: '7' }, reason: 'Created', type: 'Normal' };

  it.each<[string, readonly string[]]>([
    ['involvedObject.kind=Pod,involvedObject.namespace=default,involvedObject.name=web', ['a', 'b', 'c']],
    ['involvedObject.uid=u,involvedObject.apiVersion=v1,involvedObject.resourceVersion=7', ['a', 'b', 'c']],
    ['involvedObject.fieldPath=', ['a', 'b', 'c']],
    ['involvedObject.uid!=u', []],
    ['reason=Created,type=Normal,metadata.name=a', ['a']],
    ['reportingComponent=new', ['b']],
    ['source=old', ['a']],
    ['source=new', ['b']],
    ['source=', ['c']],
    ['source!=old', ['b', 'c']],
  ])('select by %s', async (fieldSelector, names) => {
    const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Event] });
    const events = registry.resource(Event);
    await events.create(Event.input({ name: 'a' }, { ...fields, source: { component: 'old' } }));
    await events.create(Event.input({ name: 'b' }, { ...fields, source: {}, reportingComponent: 'new' }));
    await events.create(Event.input({ name: 'c' }, fields));
    const { items } = await events.list({ fieldSelector });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(names);
    await registry.close();
  });
});

describe('an event of client-go', () => {
  it('of the older recorder has timestamps and a count', async () => {
    const event = await stored({
      involvedObject: { ...involvedObject, fieldPath: 'spec.containers{web}', resourceVersion: '7' },
      reason: 'BackOff',
      message: 'Back-off restarting failed container\n',
      source: { component: 'kubelet', host: 'node-1' },
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:05:00Z',
      count: 5,
      type: 'Warning',
      eventTime: null,
      reportingComponent: 'kubelet',
      reportingInstance: 'node-1',
    });
    expect(cellsOf(event)).toEqual({
      'LAST SEEN': '2026-01-01T00:05:00Z',
      TYPE: 'Warning',
      REASON: 'BackOff',
      OBJECT: 'pod/web',
      SUBOBJECT: 'spec.containers{web}',
      SOURCE: 'kubelet, node-1',
      MESSAGE: 'Back-off restarting failed container',
      'FIRST SEEN': '2026-01-01T00:00:00Z',
      COUNT: '5',
    });
  });

  it('of the newer recorder has the time of the event, and a series if it has occurred again', async () => {
    const fields = {
      involvedObject,
      reason: 'Scheduled',
      action: 'Binding',
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: '2026-01-01T00:00:00.123456Z',
      type: 'Normal',
      related: { kind: 'Node', name: 'node-1' },
      reportingComponent: 'default-scheduler',
      reportingInstance: 'default-scheduler-1',
    };
    const once = await stored(fields);
    const first = '2026-01-01T00:00:00.123456Z';
    expect([firstSeenOf(once), lastSeenOf(once), countOf(once)]).toEqual([first, first, 1]);
    expect(cellsOf(once)).toMatchObject({ SOURCE: 'default-scheduler, default-scheduler-1', MESSAGE: '' });
    const last = '2026-01-01T00:03:00.000001Z';
    const again = await stored({ ...fields, series: { count: 3, lastObservedTime: last } });
    expect([firstSeenOf(again), lastSeenOf(again), countOf(again)]).toEqual([first, last, 3]);
  });

  it('may have nothing but the object that it is about', async () => {
    const event = await stored({ involvedObject: { kind: 'Node' } });
    expect([firstSeenOf(event), lastSeenOf(event), countOf(event)]).toEqual([
      '2026-01-02T00:00:00Z',
      '2026-01-02T00:00:00Z',
      1,
    ]);
    expect(cellsOf(event)).toMatchObject({ OBJECT: 'node', TYPE: '', REASON: '', SOURCE: '' });
    await expect(stored({ reason: 'Created' })).rejects.toThrow('involvedObject: Required value');
  });
});
