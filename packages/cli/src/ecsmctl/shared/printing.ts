/** Objects on the output, in every format of `-o`. Secrets are hidden in all of them. */

import { type Call, UsageError } from '@ecsm/command-line';
import type { Kind } from '@ecsm/runtime';
import { customCells } from '../../print/custom-columns.ts';
import { formatJson, formatYaml, listOf } from '../../print/documents.ts';
import { type Format, FormatError, type FormatName, parseFormat } from '../../print/formats.ts';
import { PathError, printJsonPath } from '../../print/jsonpath.ts';
import { paintOf } from '../../print/paint.ts';
import { type Cell, formatTable, TableStream } from '../../print/table.ts';
import { type ColumnOptions, columnsOf, columnsThatFit, rowOf } from './columns.ts';
import { shortNameOf } from './kinds.ts';
import { redactObject } from './secrets.ts';
import { type Item, isOn } from './targets.ts';

export interface PrintOptions {
  /** Default: what `-o` says, else a table. */
  readonly format?: Format;
  /** Whether one object was asked for by name; then it is printed as itself, and not as a list of one. */
  readonly single?: boolean;
  /** `KIND/NAME` instead of `NAME`. Default: if there are several kinds. */
  readonly showKind?: boolean;
  /** A column for the namespace. Default: if `-A` was said. */
  readonly namespaces?: boolean;
  /** Only the columns of the kind, without name and age. */
  readonly bare?: boolean;
}

/** What `-o` says. Throws `UsageError`. */
export function formatOf(call: Call, allowed?: readonly FormatName[]): Format {
  const text = call.origin('output') === undefined ? undefined : call.flag('output');
  return sayingWrong(() => parseFormat(text, allowed), call.origin('output') ?? '--output');
}

/** Paths and formats that do not parse are slips of the command line. */
export function sayingWrong<T>(parse: () => T, from: string): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof FormatError || error instanceof PathError) throw new UsageError(`${from}: ${error.message}`);
    throw error;
  }
}

/** Nothing at all for a table without rows: what to say instead, the command knows. */
export async function printObjects(call: Call, items: readonly Item[], options: PrintOptions = {}): Promise<void> {
  const { out } = call.terminal;
  const format = options.format ?? formatOf(call);
  switch (format.kind) {
    case 'table':
    case 'wide':
      out.write(tablesOf(call, items, format, options));
      break;
    case 'name':
      out.write(items.map(({ kind, object }) => `${shortNameOf(kind, object.metadata.name)}\n`).join(''));
      break;
    case 'custom-columns': {
      const rows = items.map(({ object }) => customCells(format.columns, redactObject(object)));
      const headers = !isOn(call, 'no-headers');
      out.write(formatTable({ columns: format.columns, rows, headers, ...lookOf(call) }));
      break;
    }
    default:
      out.write(await documentText(format, documentOf(items, options.single ?? false)));
  }
  await out.drained();
}

/** One object, or a list. Without secrets. */
function documentOf(items: readonly Item[], single: boolean): unknown {
  const [first, ...others] = items.map(({ object }) => redactObject(object));
  return single && first !== undefined && others.length === 0
    ? first
    : listOf(first === undefined ? [] : [first, ...others]);
}

/** `value` is printed as it is: whoever calls it has hidden the secrets. */
export async function documentText(format: Format, value: unknown): Promise<string> {
  if (format.kind === 'yaml') return formatYaml(value);
  if (format.kind === 'jsonpath') return sayingWrong(() => printJsonPath(format.path, value), '--output');
  return formatJson(value);
}

function lookOf({ terminal: { out } }: Call) {
  return { columnsMax: out.columns, paint: paintOf(out.isColoured) };
}

/** One table a kind, with an empty line between two. */
function tablesOf(call: Call, items: readonly Item[], format: Format, options: PrintOptions): string {
  const kinds = [...new Set(items.map(({ kind }) => kind))];
  const columnOptions = columnOptionsOf(call, { showKind: kinds.length > 1, ...options });
  return kinds
    .map((kind) => {
      const row = rowOf(kind, columnOptions);
      const rows = items.filter((item) => item.kind === kind).map((item) => row(item));
      return tableOf(call, kind, rows, format, columnOptions).print(rows);
    })
    .join('\n');
}

/**
 * `rows` are those it begins with. Who asks for more with `-o wide`, or for events, whose messages are sentences, wants
 * to read all of it: then nothing is cut, and the terminal breaks the lines.
 */
function tableOf(
  call: Call,
  kind: Kind,
  rows: readonly (readonly Cell[])[],
  format: Format,
  options: ColumnOptions,
): TableStream {
  const { columnsMax, paint } = lookOf(call);
  const wide = format.kind === 'wide';
  const isWhole = wide || options.bare;
  const columns = columnsOf(kind, options);
  return new TableStream({
    columns: isWhole ? columns : columnsThatFit(columns, rows, columnsMax),
    columnsMax: isWhole ? undefined : columnsMax,
    headers: !isOn(call, 'no-headers'),
    wide,
    paint,
  });
}

function columnOptionsOf(call: Call, { namespaces, showKind, bare }: PrintOptions): ColumnOptions {
  return {
    nowMs: call.terminal.clock.now(),
    namespaces: namespaces ?? isOn(call, 'all-namespaces'),
    showKind,
    bare,
    showLabels: isOn(call, 'show-labels'),
  };
}

export interface Printer {
  /** Objects that came, changed, or (`gone`) were deleted just now. */
  print(items: readonly Item[], gone?: boolean): Promise<void>;
}

/** For `-w`: objects are printed as they come, tables with one header, documents one behind the other. */
export function printerOf(call: Call, kind: Kind, options: PrintOptions = {}): Printer {
  const { out } = call.terminal;
  const format = options.format ?? formatOf(call);
  const textOf = textsOf(call, kind, format, options);
  return {
    async print(items, gone = false) {
      if (items.length > 0) out.write(await textOf(items, gone));
      await out.drained();
    },
  };
}

type Texts = (items: readonly Item[], gone: boolean) => string | Promise<string>;

function textsOf(call: Call, kind: Kind, format: Format, options: PrintOptions): Texts {
  if (format.kind === 'table' || format.kind === 'wide') {
    let table: TableStream | undefined;
    return (items, gone) => {
      const columnOptions = columnOptionsOf(call, options);
      const row = rowOf(kind, columnOptions);
      const rows = items.map((item) => row(item, gone));
      table ??= tableOf(call, kind, rows, format, columnOptions);
      return table.print(rows);
    };
  }
  if (format.kind === 'custom-columns') {
    const { columns } = format;
    const table = new TableStream({ columns, headers: !isOn(call, 'no-headers'), ...lookOf(call) });
    return (items) => table.print(items.map(({ object }) => customCells(columns, redactObject(object))));
  }
  if (format.kind === 'name') {
    return (items) => items.map(({ object }) => `${shortNameOf(kind, object.metadata.name)}\n`).join('');
  }
  let isFirst = true;
  return async (items) => {
    const texts = await Promise.all(items.map(({ object }) => documentText(format, redactObject(object))));
    const separator = isFirst || format.kind !== 'yaml' ? '' : '---\n';
    isFirst = false;
    // What a template prints may end anywhere; the next object begins on a line of its own.
    const lines = texts.map((text) => (text.endsWith('\n') ? text : `${text}\n`));
    return `${separator}${lines.join(format.kind === 'yaml' ? '---\n' : '')}`;
  };
}
