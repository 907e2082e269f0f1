import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parsePath } from './jsonpath.ts';
import { sortBy } from './sort.ts';

const sorted = (values: readonly unknown[]) =>
  sortBy(
    parsePath('.x'),
    values.map((x) => ({ x })),
  ).map(({ x }) => x);

it.each([
  ['numbers', [10, 9, -1, 2.5], [-1, 2.5, 9, 10]],
  ['numbers in text', ['10', '9', 8], [8, '9', '10']],
  ['quantities', ['1Gi', '512Mi', '2k', '100m', '1M', '1Ki'], ['100m', '1Ki', '2k', '1M', '512Mi', '1Gi']],
  [
    'times',
    [
      '2026-01-01T00:00:00Z',
      '2025-12-31T23:59:59.5Z',
      '2026-01-01T01:00:00+02:00',
      '2025-12-31T23:59:59Z',
      '2025-02-28 12:00:00',
      '2024-02-29T12:00Z',
    ],
    [
      '2024-02-29T12:00Z',
      '2025-02-28 12:00:00',
      '2026-01-01T01:00:00+02:00',
      '2025-12-31T23:59:59Z',
      '2025-12-31T23:59:59.5Z',
      '2026-01-01T00:00:00Z',
    ],
  ],
  ['names', ['worker-10', 'worker-9', 'alpha', 'worker'], ['alpha', 'worker', 'worker-9', 'worker-10']],
  ['versions', ['a@1.10.0', 'a@1.9.0', 'a@1.9'], ['a@1.9', 'a@1.9.0', 'a@1.10.0']],
  [
    'long digits',
    ['v90071992547409931', 'v90071992547409930', 'v007'],
    ['v007', 'v90071992547409930', 'v90071992547409931'],
  ],
  ['Chinese', ['网关2', '节点', '网关10'], ['网关2', '网关10', '节点']],
  ['yes and no', [true, false], [false, true]],
  ['missing last', [undefined, 'b', null, 1, 'a'], [1, 'a', 'b', undefined, null]],
])('sorts %s', (_, values, expected) => {
  expect(sorted(values)).toEqual(expected);
});

it('is stable, and does not modify its input', () => {
  const values = [
    { x: 1, name: 'a' },
    { x: 0, name: 'b' },
    { x: '1', name: 'c' },
    { name: 'd' },
    { x: 1, name: 'e' },
    { name: 'f' },
  ];
  const before = structuredClone(values);
  expect(sortBy(parsePath('x'), values).map(({ name }) => name)).toEqual(['b', 'a', 'c', 'e', 'd', 'f']);
  expect(values).toEqual(before);
});

it('sorts times chronologically', () => {
  const moment = fc.date({
    min: new Date('1600-01-01T00:00:00Z'),
    max: new Date('2999-12-31T23:59:59Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(fc.array(moment), (moments) => {
      const texts = moments.map((one) => one.toISOString());
      expect(sorted(texts)).toEqual(texts.toSorted());
    }),
  );
});

it.each([
  ['1900-02-28T23:00:00Z', '1900-03-01T00:30:00+02:00'],
  ['2000-02-29T23:00:00Z', '2000-03-01T00:30:00+02:00'],
  ['2000-03-01T00:30:00Z', '2000-02-29T23:00:00Z'],
  ['2024-02-29T23:00:00Z', '2024-03-01T00:30:00+0200'],
  ['2026-02-28T23:00:00Z', '2026-03-01T00:30:00+02:00'],
  ['2026-01-01T01:00:00Z', '2025-12-31T22:30:00-02:00'],
])('sorts %s after %s', (later, earlier) => {
  expect(sorted([later, earlier])).toEqual([earlier, later]);
});

it('has a total order for any values', () => {
  const value = fc.oneof(
    fc.integer(),
    fc.boolean(),
    fc.string({ unit: 'grapheme' }),
    fc.stringMatching(/^[a0-9.]{0,6}$/),
    fc.constant(null),
  );
  fc.assert(
    fc.property(fc.array(value), (values) => {
      const once = sorted(values);
      expect(sorted(once)).toEqual(once);
    }),
  );
});
