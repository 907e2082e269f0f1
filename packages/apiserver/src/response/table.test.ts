import { type ApiObject, Event, timeMsOf } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { partialListOf, partialOf } from './partial.ts';
import { tableOf, tableOfObject } from './table.ts';
import { Widget, widgetNamed } from './widget.kit.ts';

const nowMs = timeMsOf('2026-01-02T03:05:00Z') ?? 0;
const options = { includeObject: 'Metadata', nowMs, columnDefinitions: true } as const;
const list = { items: [widgetNamed('a'), widgetNamed('b')], resourceVersion: '9' };

describe('tableOf', () => {
  it('has the columns of the kind between name and age, and wide ones after the age', () => {
    const { columnDefinitions } = tableOf(Widget, list, options);
    expect(columnDefinitions.map(({ name, type, format, priority }) => [name, type, format, priority])).toEqual([
      ['Name', 'string', 'name', 0],
      ['Up-To-Date', 'string', '', 0],
      ['Last Seen', 'string', '', 0],
      ['Age', 'string', '', 0],
      ['Image', 'string', '', 1],
    ]);
  });

  it('shows a sparse column without -o wide if a row has a value', () => {
    const value = ({ metadata }: ApiObject<unknown, unknown>) => (metadata.name === 'b' ? 'bus' : '');
    const kind = { ...Widget, columns: [{ name: 'WAITS-FOR', wide: true, sparse: true, value }] };
    const priorityIn = (items: typeof list.items) =>
      tableOf(kind, { ...list, items }, options).columnDefinitions.find(({ name }) => name === 'Waits-For')?.priority;
    expect(priorityIn(list.items)).toBe(0);
    expect(priorityIn(list.items.slice(0, 1))).toBe(1);
  });

  it('has a row for each object, with timestamps as ages', () => {
    const { apiVersion, kind, rows } = tableOf(Widget, list, options);
    expect([apiVersion, kind]).toEqual(['meta.k8s.io/v1', 'Table']);
    expect(rows.map(({ cells }) => cells)).toEqual([
      ['a', '1', '60s', '5m', 'web@1'],
      ['b', '1', '60s', '5m', 'web@1'],
    ]);
  });

  it('includes what the client asks for', () => {
    const included = (includeObject: 'None' | 'Metadata' | 'Object') =>
      tableOf(Widget, list, { ...options, includeObject }).rows[0]?.object;
    expect(included('None')).toBeUndefined();
    expect(included('Metadata')).toEqual(partialOf(widgetNamed('a')));
    expect(included('Object')).toEqual(widgetNamed('a'));
  });

  it('has the version and the next page of the list', () => {
    expect(tableOf(Widget, list, options).metadata).toEqual({ resourceVersion: '9' });
    const page = { ...list, continue: 'next', remainingItemCount: 3 };
    expect(tableOf(Widget, page, options).metadata).toEqual({
      resourceVersion: '9',
      continue: 'next',
      remainingItemCount: 3,
    });
  });

  it('omits the definitions after the first event of a watch', () => {
    const table = tableOfObject(Widget, widgetNamed('a'), { ...options, columnDefinitions: false });
    expect(table.columnDefinitions).toEqual([]);
    expect(table.rows).toHaveLength(1);
    expect(table.metadata).toEqual({ resourceVersion: '7' });
  });

  it('shows an unknown age for an object without a time', () => {
    const object = widgetNamed('a');
    const undated = { ...object, metadata: { ...object.metadata, creationTimestamp: '' } };
    expect(tableOfObject(Widget, undated, options).rows[0]?.cells.at(3)).toBe('<unknown>');
  });

  it('has the age where a kind has a column for it', () => {
    const columns = [
      { name: 'AGE', wide: false, value: ({ metadata }: ApiObject<unknown, unknown>) => metadata.creationTimestamp },
      { name: 'VERSION', wide: false, value: () => 'v1' },
    ];
    const { columnDefinitions, rows } = tableOf({ ...Widget, columns }, list, options);
    expect(columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Age', 'Version']);
    expect(rows[0]?.cells).toEqual(['a', '5m', 'v1']);
  });

  it('shows events by their time, and their names at the end, as Kubernetes does', () => {
    const { columnDefinitions } = tableOf(Event, { items: [], resourceVersion: '9' }, options);
    expect(columnDefinitions.filter(({ priority }) => priority === 0).map(({ name }) => name)).toEqual([
      'Last Seen',
      'Type',
      'Reason',
      'Object',
      'Message',
    ]);
    expect(columnDefinitions.at(-1)).toMatchObject({ name: 'Name', priority: 1 });
  });
});

describe('partialListOf', () => {
  it('has the metadata of each object only', () => {
    expect(partialListOf({ ...list, continue: '' })).toEqual({
      apiVersion: 'meta.k8s.io/v1',
      kind: 'PartialObjectMetadataList',
      metadata: { resourceVersion: '9' },
      items: [
        { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: widgetNamed('a').metadata },
        { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: widgetNamed('b').metadata },
      ],
    });
  });
});
