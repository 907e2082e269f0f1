import { describe, expect, it } from 'vitest';
import { list, object, optional, string } from '../schema/build.ts';
import { fieldSet } from './field-set.ts';
import { schema } from './managed.kit.ts';
import { merge, remove } from './merge.ts';

describe('merge', () => {
  const set = list(string(), { uniqueItems: true });
  const ordered = (live: string, wanted: string) => merge(set, [...live], [...wanted]);

  it.each([
    ['abc', 'cx', 'abcx'],
    ['a', 'xa', 'xa'],
    ['abc', 'cb', 'acb'],
    ['abcd', 'dxa', 'bcdxa'],
    ['', 'ba', 'ba'],
    ['ab', '', 'ab'],
    ['ab', 'xaybz', 'xaybz'],
    ['axb', 'ba', 'xba'],
  ])('orders the items of %s and %s as %s', (live, wanted, merged) => {
    expect(ordered(live, wanted)).toEqual([...merged]);
  });

  it('merges the fields of items with the same key', () => {
    const keyed = list(object({ name: string(), value: optional(string()), secret: optional(string()) }), {
      uniqueBy: 'name',
    });
    const live = [{ name: 'A', value: '1' }, { name: 'B' }];
    expect(merge(keyed, live, [{ name: 'A', secret: 's' }])).toEqual([
      { name: 'A', value: '1', secret: 's' },
      { name: 'B' },
    ]);
  });

  it('keeps a field called __proto__ as data', () => {
    const live = JSON.parse('{"spec":{"limits":{"__proto__":"1"}}}');
    const merged = merge(schema, live, { spec: { limits: { cpu: '2' } } });
    expect(JSON.stringify(merged)).toBe('{"spec":{"limits":{"__proto__":"1","cpu":"2"}}}');
  });
});

describe('remove', () => {
  it('removes fields, items, members, and what became empty', () => {
    const value = {
      spec: {
        env: [{ name: 'A', value: '1' }, { name: 'B' }],
        nodePool: ['a'],
        limits: { cpu: '1', disk: '2' },
        command: ['a'],
        health: {},
      },
    };
    const removed = fieldSet(
      ['f:spec', 'f:env', 'k:{"name":"B"}'],
      ['f:spec', 'f:env', 'k:{"name":"A"}', 'f:value'],
      ['f:spec', 'f:nodePool', 'v:"a"'],
      ['f:spec', 'f:limits', 'f:cpu'],
      ['f:spec', 'f:health', 'f:path'],
    );
    expect(remove(schema, value, removed)).toEqual({
      spec: { env: [{ name: 'A' }], limits: { disk: '2' }, command: ['a'], health: {} },
    });
  });

  it('does not remove a part of an atomic list', () => {
    const value = { spec: { command: ['a', 'b'] } };
    expect(remove(schema, value, fieldSet(['f:spec', 'f:command', 'i:0']))).toEqual(value);
  });
});
