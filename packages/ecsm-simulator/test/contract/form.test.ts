/** The check behind the whole contract: it has to see every departure, or no other test here means anything. */
import { describe, expect, it } from 'vitest';
import { departures, either, exactly, list, listOrNone, object, orNull, words } from './form.kit.ts';

describe('a form', () => {
  const row = object({ id: 'uuid', status: words('online', 'offline'), at: orNull('plainTime') });
  const id = '03f33b95-04bc-4ef0-9deb-4c642b584e03';
  const fitting = { id, status: 'online', at: '2024-06-03 23:28:20' };

  it('accepts exactly what it describes', () => {
    expect(departures(row, fitting)).toEqual([]);
    expect(departures(row, { ...fitting, at: null })).toEqual([]);
  });

  it('names missing, undocumented and wrong fields together', () => {
    expect(departures(row, { id: 7, at: '2024-06-03T23:28:20Z', extra: 1 })).toEqual([
      'data.extra is not documented',
      'data.id is not uuid: 7',
      'data.status is missing',
      'data.at is not null: "2024-06-03T23:28:20Z"',
      'data.at is not plainTime: "2024-06-03T23:28:20Z"',
    ]);
    expect(departures(row, { ...fitting, status: 'asleep' })).toEqual([
      'data.status is not online or offline: "asleep"',
    ]);
    expect(departures(row, [fitting])).toHaveLength(1);
  });

  it('checks every item of a list, and requires one unless it may be empty', () => {
    expect(departures(list('count'), [1, -1, 'x'])).toEqual(['data[1] is not count: -1', 'data[2] is not count: "x"']);
    expect(departures(list('count'), [])).toEqual(['data is empty']);
    expect(departures(listOrNone('count'), [])).toEqual([]);
    expect(departures(listOrNone('count'), null)).toEqual(['data is not a list: null']);
  });

  it('compares exact values completely', () => {
    expect(departures(exactly({ a: [1] }), { a: [1] })).toEqual([]);
    expect(departures(exactly({ a: [1] }), { a: [1], b: 2 })).toHaveLength(1);
    expect(departures(either(exactly('success'), 'count'), 'success')).toEqual([]);
    expect(departures(either(exactly('success'), 'count'), 'done')).toHaveLength(2);
  });
});
