import { describe, expect, it } from 'vitest';
import { Widget, widget } from '../example.kit.ts';
import { anything, list, map, object, optional, string } from './build.ts';
import { prune, UNKNOWN_FIELDS_MAX } from './prune.ts';

const schema = object({
  name: string(),
  items: optional(list(object({ name: string() }))),
  labels: optional(map(object({ value: string() }))),
  raw: optional(anything()),
});

describe('prune', () => {
  it('returns the same value if every field is known', () => {
    expect(prune(Widget.schema, widget)).toEqual({ value: widget, unknown: [] });
    expect(prune(Widget.schema, widget).value).toBe(widget);
  });

  it('removes unknown fields and returns their paths', () => {
    const value = {
      name: 'a',
      naem: 1,
      items: [{ name: 'x' }, { name: 'y', port: 1 }],
      labels: { 'a.io/b': { value: '1', colour: 'red' } },
      raw: { any: { thing: true } },
    };
    expect(prune(schema, value)).toEqual({
      value: {
        name: 'a',
        items: [{ name: 'x' }, { name: 'y' }],
        labels: { 'a.io/b': { value: '1' } },
        raw: { any: { thing: true } },
      },
      unknown: ['naem', 'items[1].port', 'labels[a.io/b].colour'],
    });
  });

  it('keeps unknown fields of open objects, and removes those of closed objects inside', () => {
    const open = object({ name: string(), inner: optional(object({ a: string() })) }, { open: true });
    const value = { name: 'a', extra: { deep: [1] }, inner: { a: 'x', b: 'y' } };
    expect(prune(open, value)).toEqual({
      value: { name: 'a', extra: { deep: [1] }, inner: { a: 'x' } },
      unknown: ['inner.b'],
    });
  });

  it('does not change its argument and shares unchanged parts', () => {
    const items = [{ name: 'x' }];
    const value = Object.freeze({ name: 'a', extra: 1, items });
    const { value: pruned } = prune(schema, value);
    expect(pruned).toEqual({ name: 'a', items });
    expect(Object(pruned).items).toBe(items);
  });

  it('leaves values of the wrong type to validation', () => {
    const value = { name: { first: 'a' }, items: 'x', labels: [1], raw: null };
    expect(prune(schema, value)).toEqual({ value, unknown: [] });
    expect(prune(schema, 'text')).toEqual({ value: 'text', unknown: [] });
  });

  it('treats inherited names and __proto__ as unknown', () => {
    const value: unknown = JSON.parse('{"name":"a","constructor":1,"toString":2,"__proto__":{"x":1}}');
    expect(prune(schema, value)).toEqual({ value: { name: 'a' }, unknown: ['constructor', 'toString', '__proto__'] });
  });

  it('keeps the key __proto__ of a map', () => {
    const value: unknown = JSON.parse('{"__proto__":{"value":"1","x":1}}');
    const { value: pruned } = prune(map(object({ value: string() })), value);
    expect(JSON.stringify(pruned)).toBe('{"__proto__":{"value":"1"}}');
  });

  it('reports a bounded number of paths, and removes all unknown fields', () => {
    const entries = Array.from({ length: UNKNOWN_FIELDS_MAX + 5 }, (_, index) => [`x${index}`, 1] as const);
    const { value, unknown } = prune(schema, { name: 'a', ...Object.fromEntries(entries) });
    expect(value).toEqual({ name: 'a' });
    expect(unknown).toHaveLength(UNKNOWN_FIELDS_MAX);
    expect(prune(schema, { ['k'.repeat(5_000)]: 1 }).unknown[0]).toHaveLength(1_000);
  });
});
