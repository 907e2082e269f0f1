import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plural, wrap } from './text.ts';
import { displayWidth } from './width.ts';

describe('wrapping', () => {
  it('breaks between words', () => {
    expect(wrap('how long one call may take', 12)).toBe('how long one\ncall may\ntake');
  });

  it('counts the indent, and adds it to every line', () => {
    expect(wrap('how long one call may take', 12, 4)).toBe('    how long\n    one call\n    may take');
  });

  it('keeps paragraphs, empty lines and leading blanks', () => {
    expect(wrap('one two\n\n  three four', 9)).toBe('one two\n\n  three\nfour');
    expect(wrap('', 10, 2)).toBe('');
  });

  it('puts a long word on its own line', () => {
    expect(wrap('see http://127.0.0.1:3001/api/v1 there', 10)).toBe('see\nhttp://127.0.0.1:3001/api/v1\nthere');
  });

  it('breaks Chinese anywhere, except before closing punctuation', () => {
    expect(wrap('服务已经启动，请稍候。', 10)).toBe('服务已经启\n动，请稍\n候。');
    expect(wrap('使用ecsmctl命令查看', 10)).toBe('使用\necsmctl命\n令查看');
  });

  it('keeps all words, and fits if the words do', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$|^[中文字符]{1,12}$/u);
    fc.assert(
      fc.property(fc.array(word, { maxLength: 20 }), fc.integer({ min: 12, max: 40 }), (words, columns) => {
        const text = wrap(words.join(' '), columns, 4);
        expect(text.replace(/\s/g, '')).toBe(words.join(''));
        for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

it.each([
  [0, 'service', '0 services'],
  [1, 'service', '1 service'],
  [2, 'registry', '2 registries'],
  [2, 'day', '2 days'],
  [3, 'class', '3 classes'],
  [3, 'patch', '3 patches'],
])('%i × %s is "%s"', (count, noun, text) => {
  expect(plural(count, noun)).toBe(text);
});

it('uses an irregular plural', () => {
  expect(plural(2, 'person', 'people')).toBe('2 people');
});
