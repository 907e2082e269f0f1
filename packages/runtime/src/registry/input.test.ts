import { Widget } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { parseInput, withGeneratedName } from './input.ts';

const random = (...values: number[]) => ({ next: () => values.shift() ?? 0, uuid: () => '' });
const nameOf = (metadata: object, values: number[] = []) =>
  withGeneratedName<{ metadata: { name?: string } }>({ metadata }, random(...values)).metadata.name;

describe('a generated name', () => {
  it('is the prefix and five random characters that cannot be mistaken for others', () => {
    expect(nameOf({ generateName: 'job-' }, [0, 0.5, 0.999, 0, 0])).toBe('job-br9bb');
    for (let n = 0; n < 200; n++)
      expect(nameOf({ generateName: 'a' }, Array.from({ length: 5 }, Math.random))).toMatch(
        /^a[bcdfghjklmnpqrstvwxz2456789]{5}$/,
      );
  });

  it('has at most 63 characters, of which the prefix is shortened', () => {
    expect(nameOf({ generateName: 'x'.repeat(58) })).toBe(`${'x'.repeat(58)}bbbbb`);
    expect(nameOf({ generateName: 'x'.repeat(59) })).toBe(`${'x'.repeat(58)}bbbbb`);
    expect(nameOf({ generateName: 'x'.repeat(500) })).toHaveLength(63);
  });

  it('is for objects without a name only', () => {
    expect(nameOf({ generateName: 'job-', name: '' })).toBe('job-bbbbb');
    expect(nameOf({ generateName: 'job-', name: 'mine' })).toBe('mine');
    expect(nameOf({ generateName: '' })).toBeUndefined();
    expect(nameOf({ generateName: 7 })).toBeUndefined();
    for (const object of [undefined, null, 'text', {}, { metadata: null }]) {
      expect(withGeneratedName(object, random())).toBe(object);
    }
  });
});

describe('the input of a write', () => {
  it('is an object, whose kind may be omitted and whose status is ignored', () => {
    const input = { metadata: { name: 'a' }, spec: {}, status: { phase: 7 } };
    expect(parseInput(Widget, input)).toMatchObject({ apiVersion: 'example.io/v1', kind: 'Widget', spec: { size: 1 } });
    expect(parseInput(Widget, input)).not.toHaveProperty('status');
    for (const other of [null, 'text', 7, undefined]) {
      expect(() => parseInput(Widget, other)).toThrow('a Widget must be an object');
    }
    expect(() => parseInput(Widget, { ...input, kind: 'Crate' })).toThrow('kind');
  });
});
