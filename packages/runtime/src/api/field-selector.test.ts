import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Widget } from './example.kit.ts';
import { FIELD_SELECTOR_LENGTH_MAX, formatFieldSelector, matchesFields, parseFieldSelector } from './field-selector.ts';
import { anything, list, object as objectOf, optional, string } from './schema/build.ts';

const object = {
  metadata: { name: 'x', labels: { 'example.com/app': 'a,b' } },
  spec: { replicas: 3, paused: true, nodes: ['n1'] },
  status: { phase: null },
};

describe('field selectors', () => {
  it.each<[string, boolean]>([
    ['', true],
    ['metadata.name=x', true],
    ['metadata.name==x', true],
    ['metadata.name!=x', false],
    ['metadata.name=y', false],
    ['metadata.name=x,spec.replicas=3', true],
    ['metadata.name=x,spec.replicas!=3', false],
    [' spec.paused =true', true],
    ['status.phase=', true],
    ['status.phase!=Failed', true],
    ['status.nothing.here=', true],
    ['spec.nodes[0]=n1', true],
    ['spec.nodes=n1', false],
    ['spec.nodes!=n1', true],
    ['metadata.labels[example.com/app]=a\\,b', true],
  ])('%j is %s', (text, expected) => {
    expect(matchesFields(parseFieldSelector(text), object)).toBe(expected);
  });

  it.each<[string, string]>([
    ['metadata.name', 'at character 14: expected "=", "==" or "!="'],
    ['a=b,', 'at character 5: expected "="'],
    ['=x', 'at character 1: "" is not a field'],
    ['a..b=x', 'at character 1: "a..b" is not a field'],
    ['a=b=c', 'at character 4: expected "," or the end'],
    ['a=b\\', 'at character 4: expected "," or the end'],
    ['ok=1,bad', 'at character 9: expected "="'],
  ])('%j is refused: %s', (text, reason) => {
    expect(() => parseFieldSelector(text)).toThrow(reason);
  });

  it('refuse fields that the kind does not have', () => {
    expect(parseFieldSelector('spec.replicas=3,metadata.labels[a/b]=c', Widget).requirements).toHaveLength(2);
    expect(() => parseFieldSelector('spec.replica=3', Widget)).toThrow('no single value called "spec.replica"');
    expect(() => parseFieldSelector('spec.template=3', Widget)).toThrow('no single value called "spec.template"');
  });

  it('refuse fields that are hidden: a selector would tell whether a guess is right', () => {
    const like = objectOf({
      code: optional(string({ secret: true })),
      list: optional(list(string(), { secret: true })),
    });
    const kind = { ...Widget, schema: objectOf({ raw: anything({ like }) }) };
    for (const [of, field] of [
      [Widget, 'spec.template.password'],
      [Widget, 'metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]'],
      [kind, 'raw.code'],
      [kind, 'raw.list[0]'],
    ] as const) {
      expect(() => parseFieldSelector(`${field}=x`, of)).toThrow(`"${field}" is hidden`);
    }
    expect(
      parseFieldSelector('raw.other=x,raw.code.x=', { ...kind, schema: objectOf({ raw: anything() }) }),
    ).toBeDefined();
  });

  it('have a limit', () => {
    expect(() => parseFieldSelector('a'.repeat(FIELD_SELECTOR_LENGTH_MAX + 1))).toThrow('longer than');
  });

  it('are the same after formatting and parsing', () => {
    const requirement = fc.record({
      path: fc.array(fc.constantFrom<string | number>('a', 'b', 3, 'x/y'), { minLength: 1, maxLength: 3 }),
      operator: fc.constantFrom('=' as const, '!=' as const),
      value: fc.string({ unit: fc.constantFrom('a', ',', '=', '\\', '!', ' ') }),
    });
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 3 }), (requirements) => {
        expect(parseFieldSelector(formatFieldSelector({ requirements }))).toEqual({ requirements });
      }),
    );
  });
});
