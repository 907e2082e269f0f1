import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  difference,
  type FieldSet,
  fieldSet,
  fromFieldsV1,
  has,
  intersection,
  isEqual,
  pathsOf,
  toFieldsV1,
  union,
} from './field-set.ts';
import { formatElements } from './path-element.ts';

/** Field sets as real API servers store them. */
const stored = [
  // `kubectl apply --server-side` of a ConfigMap.
  '{"f:data":{"f:key":{}},"f:metadata":{"f:labels":{"f:test-label":{}}}}',
  // `kubectl create` of a Deployment.
  '{"f:spec":{"f:progressDeadlineSeconds":{},"f:replicas":{},"f:selector":{},"f:strategy":{"f:rollingUpdate":{".":{},' +
    '"f:maxSurge":{},"f:maxUnavailable":{}},"f:type":{}},"f:template":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},' +
    '"f:spec":{"f:containers":{"k:{\\"name\\":\\"nginx\\"}":{".":{},"f:image":{},"f:name":{},"f:ports":{".":{},' +
    '"k:{\\"containerPort\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:containerPort":{},"f:protocol":{}}}}}}}}}',
  // The deployment controller.
  '{"f:metadata":{"f:annotations":{"f:deployment.kubernetes.io/revision":{}}},"f:status":{"f:conditions":{".":{},' +
    '"k:{\\"type\\":\\"Available\\"}":{".":{},"f:type":{}},"k:{\\"type\\":\\"Progressing\\"}":{".":{},"f:type":{}}}}}',
  // A finalizer, and an owner.
  '{"f:metadata":{"f:finalizers":{".":{},"v:\\"example.com/cleanup\\"":{}},"f:ownerReferences":{".":{},' +
    '"k:{\\"uid\\":\\"9d\\"}":{}}}}',
];

describe('FieldsV1', () => {
  it.each(stored)('is read and written without a difference: %s', (text) => {
    const set = fromFieldsV1(JSON.parse(text));
    expect(set && JSON.stringify(toFieldsV1(set))).toBe(text);
  });

  it('has fields before keys, members and positions, each in its order', () => {
    const children = ['i:10', 'i:2', 'v:"b"', 'v:10', 'v:9', 'v:true', 'k:{"port":80}', 'k:{"port":9}', 'f:b', 'f:a'];
    const set = fieldSet(...children.map((element) => [element]), ['k:{"name":"x"}', 'f:z']);
    expect(Object.keys(toFieldsV1(set))).toEqual([
      'f:a',
      'f:b',
      'k:{"name":"x"}',
      'k:{"port":9}',
      'k:{"port":80}',
      'v:9',
      'v:10',
      'v:"b"',
      'v:true',
      'i:2',
      'i:10',
    ]);
  });

  it('is read from each node, whatever the nodes before it have', () => {
    const item = { '.': {}, 'f:name': {}, 'f:value': {} };
    const other = { 'f:name': {}, 'f:value': { 'f:from': {} } };
    const fields = { 'f:a': item, 'f:b': item, 'f:c': other, 'f:d': { 'f:name': {} }, 'f:e': item };
    const set = fromFieldsV1(fields);
    expect(set && [...pathsOf(set)].map(formatElements)).toEqual(
      ['a', 'b', 'c', 'd', 'e'].flatMap((name) => {
        if (name === 'c') return ['.c.name', '.c.value.from'];
        return name === 'd' ? ['.d.name'] : [`.${name}`, `.${name}.name`, `.${name}.value`];
      }),
    );
    expect(set && toFieldsV1(union(set, fieldSet(['f:d', 'f:value'])))).toEqual({
      ...fields,
      'f:d': { 'f:name': {}, 'f:value': {} },
    });
  });

  it('has keys in the order of their values, also if one is the beginning of another', () => {
    const keys = ['a!', 'b', 'a', 'ab', 'a b'].map((value) => `k:{"name":"${value}"}`);
    const set = fieldSet(...keys.map((element) => [element]));
    expect(Object.keys(toFieldsV1(set))).toEqual(['a', 'a b', 'a!', 'ab', 'b'].map((value) => `k:{"name":"${value}"}`));
  });

  it('is read with keys in any order and spacing', () => {
    const set = fromFieldsV1({ 'k:{"b": 1, "a": "x"}': {} });
    expect(set && toFieldsV1(set)).toEqual({ 'k:{"a":"x","b":1}': {} });
    const escaped = fromFieldsV1({ 'f:env': { 'k:{"name":"\\u0041"}': { 'f:x': {} } } });
    expect(escaped && toFieldsV1(escaped)).toEqual({ 'f:env': { 'k:{"name":"A"}': { 'f:x': {} } } });
  });

  it('has the changed and the unchanged nodes of a set that was read and then changed', () => {
    const before = { 'f:spec': { 'f:env': { 'k:{"name":"A"}': { '.': {}, 'f:value': {} } }, 'f:image': {} } };
    const read = fromFieldsV1(before) ?? fieldSet();
    const changed = difference(union(read, fieldSet(['f:spec', 'f:a'])), fieldSet(['f:spec', 'f:image']));
    expect(JSON.stringify(toFieldsV1(changed))).toBe(
      JSON.stringify({ 'f:spec': { 'f:a': {}, 'f:env': before['f:spec']['f:env'] } }),
    );
  });

  it.each([[null], ['text'], [[]], [{ x: {} }], [{ 'f:a': 1 }], [{ 'v:{': {} }], [{ 'k:1': {} }], [{ 'i:x': {} }]])(
    'is refused if it is %j',
    (value) => {
      expect(fromFieldsV1(value)).toBeUndefined();
    },
  );

  it('reads {} as the empty set', () => {
    expect(toFieldsV1(fromFieldsV1({}) ?? fieldSet(['f:x']))).toEqual({});
  });
});

describe('formatElements', () => {
  it('prints paths as Kubernetes does', () => {
    expect(formatElements(['f:spec', 'f:env', 'k:{"name":"A"}', 'f:value'])).toBe('.spec.env[name="A"].value');
    expect(formatElements(['f:ports', 'k:{"containerPort":80,"protocol":"TCP"}'])).toBe(
      '.ports[containerPort=80,protocol="TCP"]',
    );
    expect(formatElements(['f:metadata', 'f:finalizers', 'v:"a/b"'])).toBe('.metadata.finalizers[="a/b"]');
    expect(formatElements(['f:args', 'i:3'])).toBe('.args[3]');
  });
});

describe('a field set', () => {
  const paths = fc.array(fc.array(fc.constantFrom('f:a', 'f:b', 'v:1'), { minLength: 1, maxLength: 3 }), {
    maxLength: 8,
  });
  const texts = (set: FieldSet) => new Set([...pathsOf(set)].map((path) => path.join('/')));
  const textsOf = (list: readonly (readonly string[])[]) => new Set(list.map((path) => path.join('/')));

  it('unites, intersects and subtracts as a set of paths', () => {
    fc.assert(
      fc.property(paths, paths, (left, right) => {
        const [a, b] = [fieldSet(...left), fieldSet(...right)];
        const [x, y] = [textsOf(left), textsOf(right)];
        expect(texts(union(a, b))).toEqual(new Set([...x, ...y]));
        expect(texts(intersection(a, b))).toEqual(new Set([...x].filter((path) => y.has(path))));
        expect(texts(difference(a, b))).toEqual(new Set([...x].filter((path) => !y.has(path))));
        expect(isEqual(a, b)).toBe(x.size === y.size && [...x].every((path) => y.has(path)));
        expect(left.every((path) => has(a, path))).toBe(true);
        expect(isEqual(fromFieldsV1(toFieldsV1(a)) ?? b, a)).toBe(true);
      }),
    );
  });
});
