import { describe, expect, it } from 'vitest';
import { customCells, parseCustomColumns } from './custom-columns.ts';
import { PathError } from './jsonpath.ts';
import { formatTable } from './table.ts';

const service = {
  metadata: { name: '网关', resourceVersion: '42', labels: { 'a,b': 'x' } },
  spec: { nodes: ['n-1', 'n-2'], template: { image: 'a@1' }, nothing: null, paused: false },
};

describe('custom columns', () => {
  it('print a table', () => {
    const columns = parseCustomColumns('NAME:.metadata.name,RSRC:.metadata.resourceVersion,WHY:.status.reason');
    expect(formatTable({ columns, rows: [customCells(columns, service)] })).toBe(
      'NAME   RSRC   WHY\n网关   42     <none>\n',
    );
  });

  it.each([
    ['A:metadata.name', '网关'],
    ['A:{.metadata.name}', '网关'],
    [' A : .metadata.name ', '网关'],
    ['A:.spec.nodes[*]', 'n-1,n-2'],
    ['A:.spec.nodes[0,1]', 'n-1,n-2'],
    ["A:.metadata.labels['a,b']", 'x'],
    ['A:.spec.nodes[?(@=="n-2")]', 'n-2'],
    ['A:.spec.template', '{"image":"a@1"}'],
    ['A:.spec.paused', 'false'],
    ['A:.spec.nothing', '<none>'],
    ['A:.spec.nodes[9]', '<none>'],
  ])('of %s show %s', (text, cell) => {
    expect(customCells(parseCustomColumns(text), service)).toEqual([cell]);
  });

  it.each([
    ['', '"" is not a column: write NAME:PATH, such as NAME:.metadata.name'],
    ['NAME', '"NAME" is not a column: write NAME:PATH, such as NAME:.metadata.name'],
    ['NAME:', '"NAME:" is not a column: write NAME:PATH, such as NAME:.metadata.name'],
    [':.a', '":.a" is not a column: write NAME:PATH, such as NAME:.metadata.name'],
    ['A:.a,', '"" is not a column: write NAME:PATH, such as NAME:.metadata.name'],
    [
      'A:.a[',
      'the path ".a[" is invalid at character 4: expected a number, a name in quotes, * or ?(...), but found the end',
    ],
  ])('rejects %j', (text, message) => {
    expect(() => parseCustomColumns(text)).toThrow(new PathError(message));
  });
});
