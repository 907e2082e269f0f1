/** The layout of `describe`: fields in two columns, and sections with a title. */

import { displayWidth, type OutputStream, padEnd, visible } from '@ecsm/command-line';
import { redact, redactText, type SecretMarks } from '@ecsm/runtime';
import { formatYaml } from '../print/documents.ts';
import { formatTable, type Table } from '../print/table.ts';
import { none } from './cells.ts';

type Field = readonly [name: string, value: string];

/** `Name:      telemetry`, one per line, with secrets hidden: a reason for a failure may contain one. */
export function fieldLines(fields: readonly Field[]): string {
  const width = Math.max(0, ...fields.map(([name]) => displayWidth(name))) + 1;
  return fields.map(([name, value]) => `${padEnd(`${name}:`, width)}  ${visible(redactText(value))}\n`).join('');
}

/** A title with an indented body below it, or `<none>` after the title if the body is empty. */
export function part(title: string, body: string): string {
  return body === '' ? `${title}:  ${none}\n` : `${title}:\n${indented(body)}`;
}

/** An indented table that fits the terminal, or `<none>` without rows. */
export function tablePart(title: string, table: Pick<Table, 'columns' | 'rows'>, out: OutputStream): string {
  if (table.rows.length === 0) return part(title, '');
  const columnsMax = out.columns === undefined ? undefined : Math.max(1, out.columns - 2);
  return part(title, formatTable({ ...table, columnsMax }));
}

/** Removes a column, because its value is the same in every row. */
export function without(
  name: string,
  { columns, rows }: Pick<Table, 'columns' | 'rows'>,
): Pick<Table, 'columns' | 'rows'> {
  const at = columns.findIndex((column) => column.name === name);
  const left = <T>(all: readonly T[]) => all.filter((_, index) => index !== at);
  return { columns: left(columns), rows: rows.map(left) };
}

const secret = { secret: true } as const;
const config: SecretMarks = {
  properties: { env: secret, cmd: secret, entrypoint: secret, process: { properties: { env: secret, args: secret } } },
};

/** Where text hides values of the platform, whatever their names are: in a service, a record, and the parts of both. */
export const platformSecrets: SecretMarks = {
  properties: { ...config.properties, config, command: secret, image: { properties: { config } } },
};

/** An object as YAML, with secrets hidden. */
export async function objectPart(title: string, value: unknown): Promise<string> {
  const isEmpty =
    value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  return part(title, isEmpty ? '' : await formatYaml(redact(value, platformSecrets)));
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}
