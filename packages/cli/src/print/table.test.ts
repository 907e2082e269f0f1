import { displayWidth } from '@ecsm/command-line';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paintOf } from './paint.ts';
import { type Cell, type Column, formatTable, TableStream } from './table.ts';

const columns: readonly Column[] = [
  { name: 'name' },
  { name: 'ready', align: 'right' },
  { name: 'image', shrink: true },
  { name: 'node', wide: true },
  { name: 'age' },
];
const rows: readonly (readonly Cell[])[] = [
  ['telemetry', '3/3', 'telemetry@1.0.0#sylixos', 'node-1', '3m5s'],
  ['网关服务', { text: '0/12', style: 'bad' }, 'registry.example/gateway@1.2.3#linux', '节点二', '10d'],
  ['👍🏽-app', '1/1', 'app@1', 'node-3', '2y100d'],
];

/** With the margin of the test's source taken away. */
const golden = (text: string) => `${text.replace(/^\n|\n *$/g, '').replace(/^ {6}/gm, '')}\n`;

describe('a table', () => {
  it('is not shortened in a pipe', () => {
    expect(formatTable({ columns, rows })).toBe(
      golden(`
      NAME        READY   IMAGE                                  AGE
      telemetry     3/3   telemetry@1.0.0#sylixos                3m5s
      网关服务     0/12   registry.example/gateway@1.2.3#linux   10d
      👍🏽-app        1/1   app@1                                  2y100d
      `),
    );
  });

  it('shows wide columns', () => {
    expect(formatTable({ columns, rows, wide: true })).toBe(
      golden(`
      NAME        READY   IMAGE                                  NODE     AGE
      telemetry     3/3   telemetry@1.0.0#sylixos                node-1   3m5s
      网关服务     0/12   registry.example/gateway@1.2.3#linux   节点二   10d
      👍🏽-app        1/1   app@1                                  node-3   2y100d
      `),
    );
  });

  it('shrinks the columns that may shrink on a narrow terminal', () => {
    expect(formatTable({ columns, rows, columnsMax: 50 })).toBe(
      golden(`
      NAME        READY   IMAGE                   AGE
      telemetry     3/3   telemetry@1.0.0#syli…   3m5s
      网关服务     0/12   registry.example/gat…   10d
      👍🏽-app        1/1   app@1                   2y100d
      `),
    );
  });

  it('shrinks those before wider columns that may not shrink', () => {
    const mixed = [{ name: 'id' }, { name: 'note', shrink: true }];
    expect(formatTable({ columns: mixed, rows: [['0123456789abcdef', 'twelve chars']], columnsMax: 28 })).toBe(
      golden(`
      ID                 NOTE
      0123456789abcdef   twelve c…
      `),
    );
  });

  it('then shrinks the widest of the others', () => {
    expect(formatTable({ columns, rows, columnsMax: 32 })).toBe(
      golden(`
      NAME     READY   IMAGE    AGE
      telem…     3/3   telem…   3m5s
      网关…     0/12   regis…   10d
      👍🏽-app     1/1   app@1    2y100d
      `),
    );
  });

  it('shrinks the widest column if none is marked', () => {
    const plain = [{ name: 'a' }, { name: 'b' }];
    expect(formatTable({ columns: plain, rows: [['short', '很长的中文名字很长的中文名字']], columnsMax: 20 })).toBe(
      golden(`
      A       B
      short   很长的中文…
      `),
    );
  });

  it('prints one line per row on a terminal narrower than its gaps', () => {
    expect(formatTable({ columns, rows, columnsMax: 7 }).split('\n').map(displayWidth)).toEqual([7, 7, 7, 7, 0]);
  });

  it('does not change a table that fits', () => {
    expect(formatTable({ columns, rows, columnsMax: 200 })).toBe(formatTable({ columns, rows }));
    expect(formatTable({ columns, rows, columnsMax: 66 })).toBe(formatTable({ columns, rows }));
  });

  it('has no trailing blanks', () => {
    const text = formatTable({
      columns: [{ name: 'a' }, { name: 'b' }],
      rows: [
        ['x  ', ''],
        ['long', 'y '],
      ],
    });
    expect(text).toBe('A      B\nx\nlong   y\n');
  });

  it('accepts rows with missing or extra cells', () => {
    expect(formatTable({ columns: [{ name: 'a' }, { name: 'b' }], rows: [['x'], ['y', 'z', 'more']] })).toBe(
      'A   B\nx\ny   z\n',
    );
  });

  it('is only a header without rows, and empty without columns', () => {
    expect(formatTable({ columns, rows: [] })).toBe('NAME   READY   IMAGE   AGE\n');
    expect(formatTable({ columns, rows: [], headers: false })).toBe('');
    expect(formatTable({ columns: [], rows: [] })).toBe('');
  });

  it('omits headers', () => {
    expect(formatTable({ columns: [{ name: 'a long name' }, { name: 'b' }], rows: [['x', 'y']], headers: false })).toBe(
      'x   y\n',
    );
  });

  it('colours headers and cells, but not blanks', () => {
    const text = formatTable({
      columns: [{ name: 'a' }, { name: 'n', align: 'right' }],
      rows: [
        [
          { text: 'ok', style: 'good' },
          { text: '1', style: 'warn' },
        ],
        ['longer', { text: '100', style: 'dim' }],
      ],
      paint: paintOf(true),
    });
    expect(text.replaceAll('\u001b', '^')).toBe(
      '^[1mA^[22m          ^[1mN^[22m\n^[32mok^[39m         ^[33m1^[39m\nlonger   ^[2m100^[22m\n',
    );
  });

  it('escapes control characters of cells and headers', () => {
    const text = formatTable({ columns: [{ name: 'a\u001b[2J' }], rows: [['\u001b[31mred\nsecond line\u202e']] });
    expect(text).toBe('A\\X1B[2J\n\\x1b[31mred\\nsecond line\\u202e\n');
  });

  it('fits every width with any content', () => {
    const cell = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.stringMatching(/^(?:[a-z中文]|👍🏽){0,40}$/u),
    );
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { maxLength: 5 }), { maxLength: 5 }),
        fc.integer({ min: 1, max: 100 }),
        (cells, columnsMax) => {
          const lines = formatTable({ columns, rows: cells, columnsMax, wide: true, paint: paintOf(true) }).split('\n');
          expect(lines).toHaveLength(cells.length + 2);
          for (const line of lines) {
            expect(displayWidth(line)).toBeLessThanOrEqual(columnsMax);
            expect(line).toBe(line.trimEnd());
          }
        },
      ),
    );
  });
});

describe('TableStream', () => {
  it('has one header, and columns that grow', () => {
    const stream = new TableStream({ columns: [{ name: 'name' }, { name: 'status' }] });
    const texts = [[['web', 'Ready']], [], [['网关服务', 'Failed']], [['db', 'Ready']]].map((part) =>
      stream.print(part),
    );
    expect(texts).toEqual(['NAME   STATUS\nweb    Ready\n', '', '网关服务   Failed\n', 'db         Ready\n']);
  });

  it('fits the current width of the terminal', () => {
    const stream = new TableStream({ columns: [{ name: 'name' }, { name: 'status' }], columnsMax: 40 });
    expect(stream.print([['a-name-of-some-length', 'Ready']])).toBe(
      'NAME                    STATUS\na-name-of-some-length   Ready\n',
    );
    expect(stream.print([['a-name-of-some-length', 'Ready']], 20)).toBe('a-name-of-…   Ready\n');
  });

  it('returns its header without rows', () => {
    const stream = new TableStream({ columns: [{ name: 'name' }] });
    expect([stream.header(), stream.header(), stream.print([['x']])]).toEqual(['NAME\n', '', 'x\n']);
  });
});
