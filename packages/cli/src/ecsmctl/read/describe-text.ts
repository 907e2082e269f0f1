/** How a description is set: a column of names with values behind, headings, and tables below them. */

import { displayWidth, padEnd, visible } from '@ecsm/command-line';
import { formatYaml } from '../../print/documents.ts';
import type { Paint } from '../../print/paint.ts';
import { type Cell, type Column, formatTable } from '../../print/table.ts';
import { none } from '../shared/columns.ts';

/** A name and what stands behind it; several values stand below each other. */
export type Fact = readonly [name: string, value: string | readonly string[]];

/** `Name:   telemetry`. Facts without a value are left out; an empty list is `<none>`. */
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

/** Under a heading, indented; nothing at all where there is nothing. */
export function sectionText(heading: string, text: string, paint: Paint): string {
  if (text === '') return '';
  const lines = text.replace(/\n$/, '').split('\n');
  return `\n${paint.bold(`${heading}:`)}\n${lines.map((line) => (line === '' ? '\n' : `  ${line}\n`)).join('')}`;
}

/** Not cut to the terminal: who asks for everything about an object wants to read all of it. */
export function tableSection(
  heading: string,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  paint: Paint,
): string {
  return sectionText(heading, rows.length === 0 ? none : formatTable({ columns, rows, paint }), paint);
}

/** As it would be written in a manifest. `value` is printed as it is: the caller has hidden the secrets. */
export async function yamlSection(heading: string, value: unknown, paint: Paint): Promise<string> {
  const isEmpty = typeof value !== 'object' || value === null || Object.keys(value).length === 0;
  return isEmpty ? '' : sectionText(heading, await formatYaml(value), paint);
}
