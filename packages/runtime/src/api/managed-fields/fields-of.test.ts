import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { toFieldsV1 } from './field-set.ts';
import { compare, everyField, fieldsOf } from './fields-of.ts';
import { schema } from './managed.kit.ts';

describe('fieldsOf', () => {
  it('has leaves, items with their keys, members, items of maps and empty objects', () => {
    const spec = {
      replicas: 1,
      command: ['a'],
      env: [{ name: 'A', value: '1' }],
      nodePool: ['n1', 'n2'],
      limits: { cpu: '1' },
      health: {},
      volumes: { data: { path: '/' } },
      platform: { vm: { cpus: 1, tags: [1], none: null } },
    };
    expect(toFieldsV1(fieldsOf(schema, { spec }))).toEqual({
      'f:spec': {
        'f:command': {},
        'f:env': { 'k:{"name":"A"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
        'f:health': {},
        'f:limits': { 'f:cpu': {} },
        'f:nodePool': { 'v:"n1"': {}, 'v:"n2"': {} },
        'f:platform': { 'f:vm': { '.': {}, 'f:cpus': {}, 'f:none': {}, 'f:tags': {} } },
        'f:replicas': {},
        'f:volumes': { 'f:data': { '.': {}, 'f:path': {} } },
      },
    });
  });
});

describe('everyField', () => {
  it('has the fields of each item, whichever the items before it have', () => {
    const items = [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
      { name: 'C' },
      { value: '4', name: 'D' },
      { name: 'E', value: '5' },
      { name: 'F', value: { from: 'x' } },
      { name: 'G', value: null },
    ];
    const both = { '.': {}, 'f:name': {}, 'f:value': {} };
    expect(toFieldsV1(everyField(schema, { spec: { env: items } }))).toEqual({
      '.': {},
      'f:spec': {
        '.': {},
        'f:env': {
          '.': {},
          'k:{"name":"A"}': both,
          'k:{"name":"B"}': both,
          'k:{"name":"C"}': { '.': {}, 'f:name': {} },
          'k:{"name":"D"}': both,
          'k:{"name":"E"}': both,
          'k:{"name":"F"}': { ...both, 'f:value': { '.': {}, 'f:from': {} } },
          'k:{"name":"G"}': both,
        },
      },
    });
  });
});

describe('compare', () => {
  const differences = (before: JsonObject, after: JsonObject) => {
    const { added, modified, removed } = compare(schema, { spec: before }, { spec: after });
    return [added, modified, removed].map((set) => toFieldsV1(set)['f:spec'] ?? {});
  };

  it('separates added, modified and removed fields', () => {
    const before = { replicas: 1, image: 'a', env: [{ name: 'A', value: '1' }, { name: 'B' }] };
    const after = { replicas: 2, health: { path: '/' }, env: [{ name: 'A', value: '2' }, { name: 'C' }] };
    expect(differences(before, after)).toEqual([
      { 'f:env': { 'k:{"name":"C"}': { '.': {}, 'f:name': {} } }, 'f:health': { '.': {}, 'f:path': {} } },
      { 'f:env': { 'k:{"name":"A"}': { 'f:value': {} } }, 'f:replicas': {} },
      { 'f:env': { 'k:{"name":"B"}': { '.': {}, 'f:name': {} } }, 'f:image': {} },
    ]);
  });

  it('ignores the order of keyed items and members, but not that of an atomic list', () => {
    const before = { env: [{ name: 'A' }, { name: 'B' }], nodePool: ['a', 'b'], command: ['a', 'b'] };
    const after = { env: [{ name: 'B' }, { name: 'A' }], nodePool: ['b', 'a'], command: ['b', 'a'] };
    expect(differences(before, after)).toEqual([{}, { 'f:command': {} }, {}]);
  });

  it('reports an unstructured value of another type as removed and added', () => {
    expect(differences({ platform: { a: { b: 1 } } }, { platform: { a: 'x' } })).toEqual([
      { 'f:platform': { 'f:a': {} } },
      {},
      { 'f:platform': { 'f:a': { '.': {}, 'f:b': {} } } },
    ]);
  });
});
