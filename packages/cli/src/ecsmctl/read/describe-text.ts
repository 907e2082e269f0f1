/** Layout of `describe`: name-value lists, sections and tables. */

import { displayWidth, padEnd, visible } from '@ecsm/command-line';
import { formatYaml } from '../../print/documents.ts';
import type { Paint } from '../../print/paint.ts';
import { type Cell, type Column, formatTable } from '../../print/table.ts';
import { none } from '../shared/columns.ts';

/** A name and its value; several values are printed on separate lines. */
export type Fact = readonly [name: string, value: string | readonly string[]];

/** `Name:   telemetry`. Facts with an empty value are omitted; an empty list is `<none>`. */
export function factsText(facts: readonly Fact[], paint: Paint, indent = 0): string {
  const shown = facts.filter(([, value]) => value !== '');
  const width = Math.max(0, ...shown.map(([name]) => displayWidth(name))) + 1;
  return shown
    .map(([name, value]) => {
      const values = typeof value === 'string' ? [value] : value.length === 0 ? [none] : value;
      return values
        .map((one, index) => {
          const head = padEnd(index === 0 ? `${name}:` : '', width);
          return `${' '.repeat(indent)}${paint.bold(head)}  ${visible(one)}\n`;
        })
        .join('');
    })
    .join('');
}

/** The text indented under a heading. Returns an empty string for an empty text. */
export function sectionText(heading: string, text: string, paint: Paint): string {
  if (text === '') return '';
  const lines = text.replace(/\n$/, '').split('\n');
  return `\n${paint.bold(`${heading}:`)}\n${lines.map((line) => (line === '' ? '\n' : `  ${line}\n`)).join('')}`;
}

/** Not truncated to the width of the terminal, because `describe` shows complete values. */
export function tableSection(
  heading: string,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  paint: Paint,
): string {
  return sectionText(heading, rows.length === 0 ? none : formatTable({ columns, rows, paint }), paint);
}

/** The value as YAML. The caller redacts secrets. */
export async function yamlSection(heading: string, value: unknown, paint: Paint): Promise<string> {
  const isEmpty = typeof value !== 'object' || value === null || Object.keys(value).length === 0;
  return isEmpty ? '' : sectionText(heading, await formatYaml(value), paint);
}
