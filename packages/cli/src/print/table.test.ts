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
  ['网关服务', { text: '0/12', look: 'bad' }, 'registry.example/gateway@1.2.3#linux', '节点二', '10d'],
  ['👍🏽-app', '1/1', 'app@1', 'node-3', '2y100d'],
];

/** With the margin of the test's source taken away. */
const golden = (text: string) => `${text.replace(/^\n|\n *$/g, '').replace(/^ {6}/gm, '')}\n`;

describe('a table', () => {
  it('is whole in a pipe', () => {
    expect(formatTable({ columns, rows })).toBe(
      golden(`
      NAME        READY   IMAGE                                  AGE
      telemetry     3/3   telemetry@1.0.0#sylixos                3m5s
      网关服务     0/12   registry.example/gateway@1.2.3#linux   10d
      👍🏽-app        1/1   app@1                                  2y100d
      `),
    );
  });

  it('shows more when it may be wide', () => {
    expect(formatTable({ columns, rows, wide: true })).toBe(
      golden(`
      NAME        READY   IMAGE                                  NODE     AGE
      telemetry     3/3   telemetry@1.0.0#sylixos                node-1   3m5s
      网关服务     0/12   registry.example/gateway@1.2.3#linux   节点二   10d
      👍🏽-app        1/1   app@1                                  node-3   2y100d
      `),
    );
  });

  it('cuts the columns that may shrink when a terminal is narrow', () => {
    expect(formatTable({ columns, rows, columnsMax: 50 })).toBe(
      golden(`
      NAME        READY   IMAGE                   AGE
      telemetry     3/3   telemetry@1.0.0#syli…   3m5s
      网关服务     0/12   registry.example/gat…   10d
      👍🏽-app        1/1   app@1                   2y100d
      `),
    );
  });

  it('cuts those before wider ones that may not shrink', () => {
    const mixed = [{ name: 'id' }, { name: 'note', shrink: true }];
    expect(formatTable({ columns: mixed, rows: [['0123456789abcdef', 'twelve chars']], columnsMax: 28 })).toBe(
      golden(`
      ID                 NOTE
      0123456789abcdef   twelve c…
      `),
    );
  });

  it('cuts the widest of the others when that is not enough', () => {
    expect(formatTable({ columns, rows, columnsMax: 32 })).toBe(
      golden(`
      NAME     READY   IMAGE    AGE
      telem…     3/3   telem…   3m5s
      网关…     0/12   regis…   10d
      👍🏽-app     1/1   app@1    2y100d
      `),
    );
  });

  it('cuts the widest when nothing is marked', () => {
    const plain = [{ name: 'a' }, { name: 'b' }];
    expect(formatTable({ columns: plain, rows: [['short', '很长的中文名字很长的中文名字']], columnsMax: 20 })).toBe(
      golden(`
      A       B
      short   很长的中文…
      `),
    );
  });

  it('still has one line for each row in a terminal narrower than its gaps', () => {
    expect(formatTable({ columns, rows, columnsMax: 7 }).split('\n').map(displayWidth)).toEqual([7, 7, 7, 7, 0]);
  });

  it('leaves a table that fits as it is', () => {
    expect(formatTable({ columns, rows, columnsMax: 200 })).toBe(formatTable({ columns, rows }));
    expect(formatTable({ columns, rows, columnsMax: 66 })).toBe(formatTable({ columns, rows }));
  });

  it('has no blanks at the end of a line', () => {
    const text = formatTable({
      columns: [{ name: 'a' }, { name: 'b' }],
      rows: [
        ['x  ', ''],
        ['long', 'y '],
      ],
    });
    expect(text).toBe('A      B\nx\nlong   y\n');
  });

  it('takes a row that is too short, and leaves out what is too much', () => {
    expect(formatTable({ columns: [{ name: 'a' }, { name: 'b' }], rows: [['x'], ['y', 'z', 'more']] })).toBe(
      'A   B\nx\ny   z\n',
    );
  });

  it('has only a header without rows, and nothing without columns', () => {
    expect(formatTable({ columns, rows: [] })).toBe('NAME   READY   IMAGE   AGE\n');
    expect(formatTable({ columns, rows: [], headers: false })).toBe('');
    expect(formatTable({ columns: [], rows: [] })).toBe('');
  });

  it('does without headers', () => {
    expect(formatTable({ columns: [{ name: 'a long name' }, { name: 'b' }], rows: [['x', 'y']], headers: false })).toBe(
      'x   y\n',
    );
  });

  it('paints headers and cells, but no blanks', () => {
    const text = formatTable({
      columns: [{ name: 'a' }, { name: 'n', align: 'right' }],
      rows: [
        [
          { text: 'ok', look: 'good' },
          { text: '1', look: 'warn' },
        ],
        ['longer', { text: '100', look: 'dim' }],
      ],
      paint: paintOf(true),
    });
    expect(text.replaceAll('\u001b', '^')).toBe(
      '^[1mA^[22m          ^[1mN^[22m\n^[32mok^[39m         ^[33m1^[39m\nlonger   ^[2m100^[22m\n',
    );
  });

  it('lets no cell and no header steer the terminal', () => {
    const text = formatTable({ columns: [{ name: 'a\u001b[2J' }], rows: [['\u001b[31mred\nsecond line\u202e']] });
    expect(text).toBe('A\\X1B[2J\n\\x1b[31mred\\nsecond line\\u202e\n');
  });

  it('fits every terminal, whatever is in it', () => {
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

describe('a table whose rows come one by one', () => {
  it('has one header, and columns that grow', () => {
    const stream = new TableStream({ columns: [{ name: 'name' }, { name: 'status' }] });
    const texts = [[['web', 'Ready']], [], [['网关服务', 'Failed']], [['db', 'Ready']]].map((part) =>
      stream.print(part),
    );
    expect(texts).toEqual(['NAME   STATUS\nweb    Ready\n', '', '网关服务   Failed\n', 'db         Ready\n']);
  });

  it('fits the terminal as it is by then', () => {
    const stream = new TableStream({ columns: [{ name: 'name' }, { name: 'status' }], columnsMax: 40 });
    expect(stream.print([['a-name-of-some-length', 'Ready']])).toBe(
      'NAME                    STATUS\na-name-of-some-length   Ready\n',
    );
    expect(stream.print([['a-name-of-some-length', 'Ready']], 20)).toBe('a-name-of-…   Ready\n');
  });

  it('gives its header alone where no rows came', () => {
    const stream = new TableStream({ columns: [{ name: 'name' }] });
    expect([stream.header(), stream.header(), stream.print([['x']])]).toEqual(['NAME\n', '', 'x\n']);
  });
});
