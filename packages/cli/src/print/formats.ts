/** What `-o` may say. */

import { truncate, visible } from '@ecsm/command-line';
import { type CustomColumn, parseCustomColumns } from './custom-columns.ts';
import { type JsonPath, parseJsonPath } from './jsonpath.ts';

export type Format =
  | { readonly kind: 'table' | 'wide' | 'yaml' | 'json' | 'name' }
  | { readonly kind: 'jsonpath'; readonly path: JsonPath }
  | { readonly kind: 'custom-columns'; readonly columns: readonly CustomColumn[] };

export type FormatName = Format['kind'];

/** In the order in which help shows them. */
export const formatNames = [
  'table',
  'wide',
  'yaml',
  'json',
  'name',
  'jsonpath',
  'custom-columns',
] as const satisfies readonly FormatName[];

/** What stands behind the `=` of those that need something, and an example of it. */
const needed: Partial<Record<FormatName, { readonly value: string; readonly example: string }>> = {
  jsonpath: { value: 'TEMPLATE', example: "'{.metadata.name}'" },
  'custom-columns': { value: 'NAME:PATH,...', example: 'NAME:.metadata.name' },
};

const shownColumnsMax = 60;

/** The message is one line for people. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}

/** Nothing said is a table. Throws FormatError, or PathError for what stands behind the `=`. */
export function parseFormat(text: string | undefined, allowed: readonly FormatName[] = formatNames): Format {
  if (text === undefined) return { kind: 'table' };
  const equals = text.indexOf('=');
  const name = equals === -1 ? text : text.slice(0, equals);
  const argument = equals === -1 ? '' : text.slice(equals + 1);
  const kind = allowed.find((one) => one === name);
  if (kind === undefined) {
    const shown = truncate(visible(name), shownColumnsMax);
    const isKnown = formatNames.some((one) => one === name);
    throw new FormatError(
      `${isKnown ? `the format "${shown}" is not supported by this command` : `there is no format "${shown}"`}. Use -o ${choices(allowed)}`,
    );
  }
  const wanted = needed[kind];
  if (wanted !== undefined && argument === '') {
    throw new FormatError(`the format ${kind} needs a value: -o ${kind}=${wanted.example}`);
  }
  if (wanted === undefined && equals !== -1) throw new FormatError(`the format ${kind} takes no value: -o ${kind}`);
  if (kind === 'jsonpath') return { kind, path: parseJsonPath(argument) };
  if (kind === 'custom-columns') return { kind, columns: parseCustomColumns(argument) };
  return { kind };
}

/** `table, yaml or jsonpath=TEMPLATE`, for complaints and help. */
export function choices(allowed: readonly FormatName[] = formatNames): string {
  const shown = allowed.map((name) => `${name}${needed[name] === undefined ? '' : `=${needed[name]?.value}`}`);
  const last = shown.pop() ?? '';
  return shown.length === 0 ? last : `${shown.join(', ')} or ${last}`;
}
