import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isApiError } from './errors.ts';
import {
  everything,
  formatLabelSelector,
  labelSelectorOf,
  matchesLabels,
  REQUIREMENT_VALUES_MAX,
  REQUIREMENTS_MAX,
  type Requirement,
} from './selector.ts';
import { parseLabelSelector, SELECTOR_LENGTH_MAX } from './selector-parser.ts';

const reasonOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (isApiError(error, 'BadRequest')) return error.message;
    throw error;
  }
  return 'no error';
};

describe('label selectors', () => {
  it.each<[string, Record<string, string>, boolean]>([
    ['', {}, true],
    ['  ', { a: 'b' }, true],
    ['a=b', { a: 'b' }, true],
    ['a==b', { a: 'b' }, true],
    ['a=b', { a: 'c' }, false],
    ['a=b', {}, false],
    ['a=', { a: '' }, true],
    ['a=', {}, false],
    ['a!=b', { a: 'c' }, true],
    ['a!=b', { a: 'b' }, false],
    ['a!=b', {}, true],
    ['a in (x,y)', { a: 'y' }, true],
    ['a in (x,y)', { a: 'z' }, false],
    ['a in (x,y)', {}, false],
    ['a in ()', { a: '' }, true],
    ['a in (x,)', { a: '' }, true],
    ['a notin (x,y)', { a: 'z' }, true],
    ['a notin (x,y)', { a: 'x' }, false],
    ['a notin (x,y)', {}, true],
    ['a', { a: '' }, true],
    ['a', {}, false],
    ['!a', {}, true],
    ['! a', { a: '' }, false],
    ['a=b,c!=d,e in (x,y),f notin (z),g,!h', { a: 'b', e: 'x', g: '' }, true],
    ['a=b,c!=d,e in (x,y),f notin (z),g,!h', { a: 'b', e: 'x', g: '', h: '' }, false],
    [' example.com/app = x , b\tin\n( y ) ', { 'example.com/app': 'x', b: 'y' }, true],
    ['a=in,b=notin', { a: 'in', b: 'notin' }, true],
    ['in in (in)', { in: 'in' }, true],
    ['constructor', {}, false],
    ['!constructor', {}, true],
  ])('%j on %j is %s', (text, labels, expected) => {
    expect(matchesLabels(parseLabelSelector(text), labels)).toBe(expected);
  });

  it('treat an object without labels as one with none', () => {
    expect(matchesLabels(parseLabelSelector('!a'), undefined)).toBe(true);
    expect(matchesLabels(parseLabelSelector('a'), undefined)).toBe(false);
    expect(matchesLabels(everything, undefined)).toBe(true);
  });

  it.each<[string, string]>([
    ['a b', 'at character 3: found "b", expected "=", "==", "!=", "in", "notin", "," or the end'],
    ['a=b c', 'at character 5: found "c", expected "," or the end'],
    ['a=b,', 'at character 5: found the end, expected a label key'],
    [',a', 'at character 1: found ",", expected a label key'],
    ['!a=b', 'at character 3: found "=", expected "," or the end'],
    ['a>1', 'at character 2: found ">", expected "="'],
    ['a in x', 'at character 6: found "x", expected "("'],
    ['a in (x', 'at character 8: found the end, expected "," or ")"'],
    ['a in (x y)', 'at character 9: found "y", expected "," or ")"'],
    ['a==!b', 'at character 4: found "!", expected a label value'],
    ['-a=b', 'at character 1: found "-a", expected a label key: name part must consist'],
    ['a=b/c', 'at character 3: found "b/c", expected a label value: a valid label'],
    ['=b', 'at character 1: found "=", expected a label key'],
    ['!', 'at character 2: found the end, expected a label key'],
  ])('%j is refused %s', (text, expected) => {
    expect(reasonOf(() => parseLabelSelector(text))).toContain(`label selector "${text}": ${expected}`);
  });

  it('have limits', () => {
    const keys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`).join(',');
    expect(parseLabelSelector(keys(REQUIREMENTS_MAX)).requirements).toHaveLength(REQUIREMENTS_MAX);
    expect(reasonOf(() => parseLabelSelector(keys(REQUIREMENTS_MAX + 1)))).toContain('at most 256 requirements');
    expect(parseLabelSelector(`a in (${keys(REQUIREMENT_VALUES_MAX)})`).requirements).toHaveLength(1);
    expect(reasonOf(() => parseLabelSelector(`a in (${keys(REQUIREMENT_VALUES_MAX + 1)})`))).toContain(
      'at most 256 values',
    );
    expect(reasonOf(() => parseLabelSelector('a'.repeat(SELECTOR_LENGTH_MAX + 1)))).toContain('longer than');
  });

  it('are the same after formatting and parsing', () => {
    const key = fc.constantFrom('a', 'example.com/b', 'in', 'notin');
    const value = fc.constantFrom('', 'x', 'in', 'y.z');
    const values = fc.uniqueArray(value, { minLength: 1, maxLength: 3 });
    const requirement: fc.Arbitrary<Requirement> = fc.oneof(
      fc.record({ key, operator: fc.constantFrom('In' as const, 'NotIn' as const), values }),
      fc.record({ key, operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const) }),
    );
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), (requirements) => {
        expect(parseLabelSelector(formatLabelSelector({ requirements }))).toEqual({ requirements });
      }),
    );
  });
});

describe('the object form', () => {
  it('means the same as the string form', () => {
    const selector = labelSelectorOf({
      matchLabels: { a: 'b' },
      matchExpressions: [
        { key: 'c', operator: 'In', values: ['x', 'y'] },
        { key: 'd', operator: 'NotIn', values: ['z'] },
        { key: 'e', operator: 'Exists' },
        { key: 'f', operator: 'DoesNotExist', values: [] },
      ],
    });
    expect(formatLabelSelector(selector)).toBe('a=b,c in (x,y),d!=z,e,!f');
    expect(labelSelectorOf({})).toEqual(everything);
  });

  it('is refused with the field that is wrong', () => {
    const reason = reasonOf(() =>
      labelSelectorOf({
        matchLabels: { '/': '', a: '-' },
        matchExpressions: [
          { key: '', operator: 'In' },
          { key: 'e', operator: 'Exists', values: ['-'] },
        ],
      }),
    );
    for (const part of [
      'matchLabels: Invalid value: "/"',
      'matchLabels.a: Invalid value: "-"',
      'matchExpressions[0].key: Invalid value: ""',
      'matchExpressions[0].values: Required value: must be set when operator is In',
      'matchExpressions[1].values[0]: Invalid value: "-"',
      'matchExpressions[1].values: Forbidden: may not be set when operator is Exists',
    ]) {
      expect(reason).toContain(part);
    }
  });
});
