import { Crate, Widget } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { KindSet } from '../api/kind-set.ts';
import { addressIn, fenceKey, isFenceKey, keyOf, locate, prefixOf } from './keys.ts';

const cluster = { ...Crate, plural: 'things', kind: 'Thing', scope: 'Cluster' } as const;
const core = { ...Crate, group: '', plural: 'pods', kind: 'Pod' };
const kinds = new KindSet([Widget, cluster, core]);

describe('the key of an object', () => {
  it.each([
    [Widget, 'ns', 'one', 'example.io/v1/widgets/ns/one'],
    [core, 'ns', 'one', 'core/v1/pods/ns/one'],
    [cluster, '', 'one', 'example.io/v1/things/one'],
    [cluster, '', 'system:a', 'example.io/v1/things/system_3aa'],
    [cluster, '', 'A_b', 'example.io/v1/things/_41_5fb'],
    [cluster, '', 'tab\t', 'example.io/v1/things/tab_09'],
  ])('is made of kind, namespace and name, and found by it: %#', (kind, namespace, name, key) => {
    expect(keyOf(kind, namespace, name)).toBe(key);
    expect(addressIn(kind, key)).toEqual({ namespace, name });
    expect(locate(kinds, key)).toEqual({ kind, namespace, name });
  });

  it('starts with the prefix of its kind, and of its namespace', () => {
    expect(prefixOf(Widget)).toBe('example.io/v1/widgets/');
    expect(prefixOf(Widget, 'ns')).toBe('example.io/v1/widgets/ns/');
    expect(prefixOf(cluster, 'ns')).toBe('example.io/v1/things/');
  });

  it.each([
    '',
    'widgets',
    'example.io/v1/widgets',
    'example.io/v1/widgets/',
    'example.io/v1/widgets/one',
    'example.io/v1/widgets//one',
    'example.io/v1/widgets/ns/',
    'example.io/v1/widgets/ns/one/two',
    'example.io/v1/things/',
    'example.io/v1/things/a/b',
    'example.io/v2/widgets/ns/one',
    'other.io/v1/widgets/ns/one',
    'fences/main',
  ])('is not %j', (key) => {
    expect(locate(kinds, key)).toBeUndefined();
  });
});

describe('the key of a fence', () => {
  it('has a name of up to 200 characters', () => {
    expect(fenceKey('default.main-1')).toBe('fences/default.main-1');
    expect(fenceKey('a'.repeat(200))).toHaveLength(207);
    for (const name of ['', '-a', 'a.', 'A', 'a/b', 'a'.repeat(201)]) {
      expect(() => fenceKey(name)).toThrow('is not a valid fence name');
    }
  });

  it('is told from that of an object', () => {
    expect([isFenceKey('fences/a'), isFenceKey('example.io/v1/widgets/ns/fences/')]).toEqual([true, false]);
  });
});
