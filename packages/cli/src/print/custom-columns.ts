/** `-o custom-columns=NAME:.metadata.name,RSRC:.metadata.resourceVersion`: tables with user-defined columns. */

import { truncate, visible } from '@ecsm/command-line';
import { findJsonPath, type JsonPath, PathError, parsePath, textOf } from './jsonpath.ts';
import type { Column } from './table.ts';

/** A column for `formatTable`, with the path of its cells. */
export interface CustomColumn extends Column {
  readonly path: JsonPath;
}

const none = '<none>';
const shownColumnsMax = 60;

export function parseCustomColumns(text: string): readonly CustomColumn[] {
  return split(text).map((column) => {
    const colon = column.indexOf(':');
    const name = column.slice(0, Math.max(0, colon)).trim();
    const path = column.slice(colon + 1).trim();
    if (name === '' || path === '') {
      const shown = truncate(visible(column), shownColumnsMax);
      throw new PathError(`"${shown}" is not a column: write NAME:PATH, such as NAME:.metadata.name`);
    }
    return { name, path: parsePath(path) };
  });
}

/** The cells of one object. Several values are joined with commas; no value is `<none>`. */
export function customCells(columns: readonly CustomColumn[], value: unknown): string[] {
  return columns.map(({ path }) => {
    const values = findJsonPath(path, value).filter((one) => one !== null);
    return values.length === 0 ? none : values.map(textOf).join(',');
  });
}

/** Splits at commas, except those in brackets or quotes. */
function split(text: string): string[] {
  const columns: string[] = [''];
  let depth = 0;
  let quote = '';
  for (const character of text) {
    if (character === ',' && depth === 0 && quote === '') {
      columns.push('');
      continue;
    }
    columns.push(`${columns.pop() ?? ''}${character}`);
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '[') depth++;
    else if (character === ']') depth--;
  }
  return columns;
}
