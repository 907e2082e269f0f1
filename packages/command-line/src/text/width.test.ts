import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visible, visibleLines } from './visible.ts';
import { displayWidth, padEnd, truncate } from './width.ts';

const painted = (start: number, end: number) => (text: string) => `\u001b[${start}m${text}\u001b[${end}m`;
const paint = { bold: painted(1, 22), red: painted(31, 39), green: painted(32, 39) };
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^(?:[a-z服务节点 …é]|👍🏽)*$/u),
);

describe('the width of a text', () => {
  it.each([
    ['', 0],
    ['telemetry', 9],
    ['本地仓库', 8],
    ['服务 web-1', 10],
    ['ｆｕｌｌ', 8],
    ['，。', 4],
    ['한국어', 6],
    ['\u1112\u1161\u11ab', 2],
    ['ｶﾞ', 2],
    ['ﾞ', 1],
    ['e\u0301', 1],
    ['é', 1],
    ['\u0301', 0],
    ['a\u200db', 2],
    ['👍', 2],
    ['👍🏽', 2],
    ['👨‍👩‍👧', 2],
    ['❤', 1],
    ['❤️', 2],
    ['❤‍🔥', 2],
    ['🇨🇳', 2],
    ['🇨🇳🇩🇪', 4],
    ['1️⃣', 2],
    ['🏴󠁧󠁢󠁥󠁮󠁧󠁿', 2],
    ['⌚', 2],
    ['𠀀', 2],
    ['…', 1],
    ['█▏', 2],
    ['café ×2 → 节点…', 15],
    ['©️', 2],
    ['n\u0303ño', 3],
    ['\u0007\n', 0],
  ])('of %j is %i', (text, columns) => {
    expect(displayWidth(text)).toBe(columns);
  });

  it('is not changed by colours', () => {
    expect(displayWidth(paint.red('失败'))).toBe(4);
    expect(displayWidth(paint.bold(paint.green('ready')))).toBe(5);
  });
});

describe('truncate', () => {
  it.each([
    ['telemetry', 9, 'telemetry'],
    ['telemetry', 8, 'telemet…'],
    ['telemetry', 1, '…'],
    ['telemetry', 0, ''],
    ['telemetry', -3, ''],
    ['本地仓库', 8, '本地仓库'],
    ['本地仓库', 7, '本地仓…'],
    ['本地仓库', 6, '本地…'],
    ['👨‍👩‍👧👨‍👩‍👧', 3, '👨‍👩‍👧…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
  ])('%j to %i columns gives %j', (text, columns, cut) => {
    expect(truncate(text, columns)).toBe(cut);
  });

  it('resets the colour of truncated text', () => {
    expect(truncate(paint.red('telemetry'), 4)).toBe('\u001b[31mtel…\u001b[0m');
    expect(truncate(paint.red('tel'), 4)).toBe(paint.red('tel'));
  });

  it('never exceeds the width, and changes only longer texts', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 20 }), (text, columns) => {
        const cut = truncate(text, columns);
        expect(displayWidth(cut)).toBeLessThanOrEqual(columns);
        if (displayWidth(text) <= columns) expect(cut).toBe(text);
        else expect(cut === '' || cut.endsWith('…') || cut.endsWith('\u001b[0m')).toBe(true);
      }),
    );
  });
});

describe('padEnd', () => {
  it('counts columns, not characters', () => {
    expect(padEnd('节点', 6)).toBe('节点  ');
    expect(padEnd('telemetry', 4)).toBe('telemetry');
    expect(padEnd(paint.red('42'), 4)).toBe(`${paint.red('42')}  `);
  });

  it('returns the requested width', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 40 }), (text, columns) => {
        // What follows could combine with a half of something at the end.
        const shown = visible(text);
        expect(displayWidth(padEnd(shown, columns))).toBe(Math.max(columns, displayWidth(shown)));
      }),
    );
  });
});

describe('visible text', () => {
  it.each([
    ['web-1', 'web-1'],
    ['本地仓库 👨‍👩‍👧 ❤️', '本地仓库 👨‍👩‍👧 ❤️'],
    ['a\nb\tc\r', 'a\\nb\\tc\\r'],
    ['\u001b[2Jgone', '\\x1b[2Jgone'],
    ['\u001b]0;title\u0007', '\\x1b]0;title\\x07'],
    ['\u009b31m', '\\x9b31m'],
    ['\u007f', '\\x7f'],
    ['evil\u202etxt', 'evil\\u202etxt'],
    ['a\u200bb\ufeff', 'a\\u200bb\\ufeff'],
    ['\u2028', '\\u2028'],
    ['\ud800', '\\ud800'],
    ['C:\\dir', 'C:\\dir'],
  ])('of %j is %s', (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it('may be several lines', () => {
    expect(visibleLines('节点\t1\n\u001b[2J\r\n')).toBe('节点\t1\n\\x1b[2J\\r\n');
  });

  it('contains no control characters', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(visible(text)).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
        expect(visible(visible(text))).toBe(visible(text));
      }),
    );
  });
});
