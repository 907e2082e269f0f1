import { Widget } from '@ecsm/runtime/testing';
import { expect, it } from 'vitest';
import { decode, encode, revisionOf } from './codec.ts';
import { keyOf } from './keys.ts';

const widget = {
  apiVersion: Widget.apiVersion,
  kind: Widget.kind,
  metadata: { name: 'a', namespace: 'default', uid: 'u', generation: 1, creationTimestamp: '2030-01-01T00:00:00Z' },
  spec: { size: 1 },
};

it('a record is read under its own key only, as the kind that it is', () => {
  expect(decode(Widget, keyOf(Widget, 'default', 'a'), encode(widget))).toEqual(widget);
  for (const [key, record] of [
    [keyOf(Widget, 'default', 'b'), widget],
    [keyOf(Widget, 'other', 'a'), widget],
    [keyOf(Widget, 'default', 'a'), { ...widget, kind: 'Crate' }],
  ] as const) {
    expect(() => decode(Widget, key, encode(record))).toThrow(expect.objectContaining({ code: 'Corrupt' }));
  }
});

it.each(['', ' 5', '5.0', '1e3', '0x10', '-1', '12345678901234567'])('%j is not a resource version', (text) => {
  expect(() => revisionOf(text)).toThrow(expect.objectContaining({ code: 'BadRequest' }));
});

it.each(['0', '007', '9007199254740991'])('%j is a resource version', (text) => {
  expect(revisionOf(text)).toBe(Number(text));
});
