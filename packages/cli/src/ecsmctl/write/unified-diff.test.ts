import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

const text = (...lines: string[]) => lines.map((line) => `${line}\n`).join('');

/** Does what `patch` does: the new text from the old one and a diff. */
function patched(before: string, diff: readonly string[]): string {
  const old = before === '' ? [] : before.replace(/\n$/, '').split('\n');
  const made: string[] = [];
  let done = 0;
  for (const line of diff) {
    const range = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@$/.exec(line);
    if (range) {
      const start = range[2] === '0' ? Number(range[1]) : Number(range[1]) - 1;
      made.push(...old.slice(done, start));
      done = start;
      expect(made.length).toBe(range[4] === '0' ? Number(range[3]) : Number(range[3]) - 1);
    } else if (line.startsWith('+')) made.push(line.slice(1));
    else {
      expect(old[done]).toBe(line.slice(1));
      if (line.startsWith(' ')) made.push(line.slice(1));
      done++;
    }
  }
  return text(...made, ...old.slice(done));
}

describe('a diff', () => {
  it('is empty without differences', () => {
    expect(unifiedDiff('a\nb\n', 'a\nb\n')).toEqual([]);
    expect(unifiedDiff('', '')).toEqual([]);
  });

  it('shows three lines around a change', () => {
    const before = text('1', '2', '3', '4', '5', '6', '7', '8', '9');
    expect(unifiedDiff(before, before.replace('5', 'five'))).toEqual([
      '@@ -2,7 +2,7 @@',
      ' 2',
      ' 3',
      ' 4',
      '-5',
      '+five',
      ' 6',
      ' 7',
      ' 8',
    ]);
  });

  it('combines changes that are close, and separates others', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    const changed = lines.map((line, index) => ([3, 9, 25].includes(index) ? `${line}!` : line));
    expect(unifiedDiff(text(...lines), text(...changed)).filter((line) => line.startsWith('@@'))).toEqual([
      '@@ -1,13 +1,13 @@',
      '@@ -23,7 +23,7 @@',
    ]);
  });

  it('has an empty old side for a new text', () => {
    expect(unifiedDiff('', 'a\nb\n')).toEqual(['@@ -0,0 +1,2 @@', '+a', '+b']);
    expect(unifiedDiff('a\n', '')).toEqual(['@@ -1 +0,0 @@', '-a']);
  });

  it('is minimal', () => {
    const diff = unifiedDiff(text(...'abcabba'), text(...'cbabac'));
    expect(diff.filter((line) => /^[+-]/.test(line))).toHaveLength(5);
  });

  it('turns the old text into the new one', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', 'd: e'), { maxLength: 60 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const [old, fresh] = [text(...before), text(...after)];
        expect(patched(old, unifiedDiff(old, fresh))).toBe(fresh);
      }),
      { numRuns: 500 },
    );
  });

  it('of two long texts without common lines contains both, and takes little time', () => {
    const many = (word: string) => text(...Array.from({ length: 20_000 }, (_, index) => `${word} ${index}`));
    const diff = unifiedDiff(many('old'), many('new'));
    expect(diff).toHaveLength(40_001);
    expect(diff[0]).toBe('@@ -1,20000 +1,20000 @@');
  });
});
