/** The cases follow those of strategicpatch in k8s.io/apimachinery. */
import { isApiError, type JsonObject, mergePatch, schema } from '@ecsm/runtime';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { strategicMergePatch, supportsStrategicMerge } from './strategic.ts';

const { anything, integer, list, map, object, optional, string } = schema;

const port = object({
  name: string(),
  port: optional(integer()),
  labels: optional(map(string())),
  tags: optional(list(string(), { uniqueItems: true })),
});
const kind = object({
  data: optional(map(string())),
  ports: optional(list(port, { uniqueBy: 'name' })),
  finalizers: optional(list(string(), { uniqueItems: true })),
  command: optional(list(string())),
  strategy: optional(object({ type: optional(string()), rolling: optional(object({ max: optional(integer()) })) })),
  raw: optional(anything()),
});

const merge = (original: JsonObject, patch: unknown) => strategicMergePatch(kind, original, patch);
const names = (...items: string[]) => items.map((name) => ({ name }));

describe('strategicMergePatch', () => {
  it('merges maps and removes null fields', () => {
    expect(merge({ data: { a: '1', b: '2' } }, { data: { b: null, c: '3', d: null } })).toEqual({
      data: { a: '1', c: '3' },
    });
  });

  it('adds what is new without nulls and directives', () => {
    const patch = { strategy: { type: null, rolling: { max: 1, $retainKeys: ['max'] } }, raw: [[1], null] };
    expect(merge({}, patch)).toEqual({ strategy: { rolling: { max: 1 } }, raw: [[1], null] });
  });

  it('merges a list by its key', () => {
    const original = {
      ports: [
        { name: 'a', port: 1, labels: { x: '1' } },
        { name: 'b', port: 2 },
      ],
    };
    const patch = { ports: [{ name: 'a', port: 5, labels: { y: '2' } }] };
    expect(merge(original, patch)).toEqual({
      ports: [
        { name: 'a', port: 5, labels: { x: '1', y: '2' } },
        { name: 'b', port: 2 },
      ],
    });
  });

  it('appends new items after the existing ones', () => {
    expect(merge({ ports: names('a', 'b') }, { ports: names('c') })).toEqual({ ports: names('c', 'a', 'b') });
    expect(merge({ ports: names('a') }, { ports: names('a', 'b') })).toEqual({ ports: names('a', 'b') });
  });

  it('deletes an item', () => {
    const patch = {
      ports: [
        { name: 'a', $patch: 'delete' },
        { name: 'x', $patch: 'delete' },
      ],
    };
    expect(merge({ ports: names('a', 'b') }, patch)).toEqual({ ports: names('b') });
    expect(merge({}, patch)).toEqual({ ports: [] });
  });

  it('replaces a list or an object', () => {
    expect(merge({ ports: names('a', 'b') }, { ports: [{ name: 'c' }, { $patch: 'replace' }] })).toEqual({
      ports: names('c'),
    });
    const strategy = { type: 'Rolling', rolling: { max: 1 } };
    expect(merge({ strategy }, { strategy: { $patch: 'replace', type: 'Recreate' } })).toEqual({
      strategy: { type: 'Recreate' },
    });
    expect(merge({ strategy }, { strategy: { $patch: 'delete' } })).toEqual({ strategy: {} });
  });

  it('orders the items that the client knows, and keeps the others in place', () => {
    const original = { ports: names('a', 'server', 'b', 'c') };
    const order = names('c', 'b', 'a');
    expect(merge(original, { '$setElementOrder/ports': order })).toEqual({ ports: names('server', 'c', 'b', 'a') });
    const patch = { '$setElementOrder/ports': names('a', 'new', 'b'), ports: names('new') };
    expect(merge({ ports: names('a', 'server', 'b') }, patch)).toEqual({ ports: names('a', 'new', 'server', 'b') });
  });

  it('has the same result if the directive follows the list', () => {
    const before = { '$setElementOrder/ports': names('b', 'a'), ports: [{ name: 'b', port: 1 }] };
    const after = { ports: before.ports, '$setElementOrder/ports': before['$setElementOrder/ports'] };
    const original = { ports: names('a', 'b') };
    expect(merge(original, after)).toEqual(merge(original, before));
    expect(merge(original, after)).toEqual({ ports: [{ name: 'b', port: 1 }, { name: 'a' }] });
  });

  it('merges scalars as a set, and deletes from it', () => {
    const original = { finalizers: ['a', 'b'] };
    expect(merge(original, { finalizers: ['c', 'a'] })).toEqual({ finalizers: ['c', 'a', 'b'] });
    const patch = { '$deleteFromPrimitiveList/finalizers': ['a', 'x'], '$setElementOrder/finalizers': ['c', 'b'] };
    expect(merge(original, { ...patch, finalizers: ['c'] })).toEqual({ finalizers: ['c', 'b'] });
    expect(merge({}, patch)).toEqual({});
  });

  it('replaces other lists', () => {
    expect(merge({ command: ['a', 'b'] }, { command: ['c'] })).toEqual({ command: ['c'] });
    expect(merge({ raw: [{ name: 'a' }] }, { raw: [{ name: 'b' }] })).toEqual({ raw: [{ name: 'b' }] });
    expect(merge({ command: ['a', 'b'] }, { '$deleteFromPrimitiveList/command': ['a'] })).toEqual({ command: ['b'] });
  });

  it('keeps only the retained fields', () => {
    const original = { strategy: { type: 'Rolling', rolling: { max: 1 } } };
    expect(merge(original, { strategy: { $retainKeys: ['type'], type: 'Recreate' } })).toEqual({
      strategy: { type: 'Recreate' },
    });
  });

  it.each([
    ['a patch that is not an object', []],
    ['an unknown directive', { strategy: { $patch: 'explode' } }],
    ['the directive merge in a list', { ports: [{ name: 'a', $patch: 'merge' }] }],
    ['an item without its key', { ports: [{ port: 1 }] }],
    ['an item that is not an object', { ports: ['a'] }],
    ['a field that is not retained', { strategy: { $retainKeys: ['type'], rolling: {} } }],
    ['an order that is not a list', { '$setElementOrder/ports': 'a' }],
    ['a deletion that is not a list', { '$deleteFromPrimitiveList/finalizers': 'a' }],
  ])('answers 400 to %s', (_, patch) => {
    const original = { ports: names('a'), finalizers: ['a'], strategy: { type: 'x' } };
    expect(() => merge(original, patch)).toThrowError(expect.objectContaining({ code: 'BadRequest' }));
  });

  it('does not change its arguments', () => {
    const original = { ports: names('a'), data: { a: '1' } };
    const patch = { ports: [{ name: 'a', port: 1 }], data: { a: null }, '$setElementOrder/ports': names('a') };
    const copies = structuredClone([original, patch]);
    merge(original, patch);
    expect([original, patch]).toEqual(copies);
  });

  it('treats __proto__ as an ordinary key', () => {
    const patch: unknown = JSON.parse('{"data":{"__proto__":"1","constructor":"2"}}');
    expect(JSON.stringify(merge({ data: { a: '1' } }, patch))).toBe(
      '{"data":{"a":"1","__proto__":"1","constructor":"2"}}',
    );
  });

  it('is a JSON merge patch where there are no lists with rules', () => {
    const content = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(null, 1, 'x'),
        fc.array(fc.constantFrom(1, 'y'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')),
      ),
    })).value;
    const document = fc.dictionary(fc.constantFrom('a', 'b', 'c'), content);
    fc.assert(
      fc.property(document, document, (original, patch) => {
        const plain: JsonObject = JSON.parse(JSON.stringify({ raw: original }));
        const change: JsonObject = JSON.parse(JSON.stringify({ raw: patch }));
        expect(merge(plain, change)).toEqual(mergePatch(plain, change));
      }),
    );
  });

  it('merges a patch that was applied before without a change', () => {
    const item = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), port: fc.nat(3) });
    const items = fc.uniqueArray(item, { selector: ({ name }) => name });
    fc.assert(
      fc.property(items, items, (ports, changes) => {
        const order = changes.map(({ name }) => ({ name }));
        const patch = { ports: changes, '$setElementOrder/ports': order };
        const once = merge({ ports }, patch);
        expect(isObject(once) && merge(once, patch)).toEqual(once);
      }),
    );
  });
});

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !isApiError(value);
}

describe('supportsStrategicMerge', () => {
  it('is for the groups of Kubernetes', () => {
    expect(['', 'coordination.k8s.io', 'ecsm.sh', 'xk8s.io'].map(supportsStrategicMerge)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
