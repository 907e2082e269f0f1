/** The formats of `-o`. */

import { truncate, visible } from '@ecsm/command-line';
import { type CustomColumn, parseCustomColumns } from './custom-columns.ts';
import { type JsonPath, parseJsonPath } from './jsonpath.ts';

export type Format =
  | { readonly kind: 'table' | 'wide' | 'yaml' | 'json' | 'name' }
  | { readonly kind: 'jsonpath'; readonly path: JsonPath }
  | { readonly kind: 'custom-columns'; readonly columns: readonly CustomColumn[] };

export type FormatName = Format['kind'];

/** In the order of the help. */
const formatNames = [
  'table',
  'wide',
  'yaml',
  'json',
  'name',
  'jsonpath',
  'custom-columns',
] as const satisfies readonly FormatName[];

/** Formats that need a value after `=`, with an example. */
const valueOfFormat: Partial<Record<FormatName, { readonly value: string; readonly example: string }>> = {
  jsonpath: { value: 'TEMPLATE', example: "'{.metadata.name}'" },
  'custom-columns': { value: 'NAME:PATH,...', example: 'NAME:.metadata.name' },
};

const goTemplateText =
  'templates of Go are not supported. Use -o jsonpath=\'{range .items[*]}{.metadata.name}{"\\n"}{end}\', or -o custom-columns=NAME:.metadata.name';

const shownColumnsMax = 60;

/** The message is one line for the user. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}

/** Without a text: a table. Throws `FormatError`, or `PathError` for an invalid value after `=`. */
export function parseFormat(text: string | undefined, allowed: readonly FormatName[] = formatNames): Format {
  if (text === undefined) return { kind: 'table' };
  const equals = text.indexOf('=');
  const name = equals === -1 ? text : text.slice(0, equals);
  const argument = equals === -1 ? '' : text.slice(equals + 1);
  const kind = allowed.find((one) => one === name);
  if (kind === undefined) {
    if (name.startsWith('go-template')) throw new FormatError(goTemplateText);
    const shown = truncate(visible(name), shownColumnsMax);
    const isKnown = formatNames.some((one) => one === name);
    throw new FormatError(
      `${isKnown ? `the format "${shown}" is not supported by this command` : `there is no format "${shown}"`}. Use -o ${choices(allowed)}`,
    );
  }
  const wanted = valueOfFormat[kind];
  if (wanted !== undefined && argument === '') {
    throw new FormatError(`the format ${kind} needs a value: -o ${kind}=${wanted.example}`);
  }
  if (wanted === undefined && equals !== -1) throw new FormatError(`the format ${kind} takes no value: -o ${kind}`);
  if (kind === 'jsonpath') return { kind, path: parseJsonPath(argument) };
  if (kind === 'custom-columns') return { kind, columns: parseCustomColumns(argument) };
  return { kind };
}

/** `table, yaml or jsonpath=TEMPLATE`, for errors and help. */
export function choices(allowed: readonly FormatName[] = formatNames): string {
  const shown = allowed.map(
    (name) => `${name}${valueOfFormat[name] === undefined ? '' : `=${valueOfFormat[name]?.value}`}`,
  );
  const last = shown.pop() ?? '';
  return shown.length === 0 ? last : `${shown.join(', ')} or ${last}`;
}
