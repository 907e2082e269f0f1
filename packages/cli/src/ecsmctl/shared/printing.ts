/** Prints objects in the formats of `-o`. */

import { type Call, UsageError } from '@ecsm/command-line';
import { Event, type Kind } from '@ecsm/runtime';
import { customCells } from '../../print/custom-columns.ts';
import { formatJson, formatYaml, listOf } from '../../print/documents.ts';
import { type Format, FormatError, type FormatName, parseFormat } from '../../print/formats.ts';
import { PathError, printJsonPath } from '../../print/jsonpath.ts';
import { paintOf } from '../../print/paint.ts';
import { type Cell, formatTable, TableStream } from '../../print/table.ts';
import { type ColumnOptions, columnsOf, columnsThatFit, rowOf, withSparse } from './columns.ts';
import { shortNameOf } from './kinds.ts';
import { shownObject } from './secrets.ts';
import { type Item, isOn } from './targets.ts';

interface PrintOptions {
  /** Default: the format of `-o`, or a table. */
  readonly format?: Format;
  /** Whether a single object was requested by name; it is then printed without a list around it. */
  readonly single?: boolean;
  /** `KIND/NAME` instead of `NAME`. Default: if there are several kinds. */
  readonly showKind?: boolean;
  /** A column for the namespace. Default: if `-A` is set. */
  readonly namespaces?: boolean;
  /** Only the columns of the kind, without name and age. */
  readonly bare?: boolean;
}

/** The format of `-o`. Throws `UsageError`. */
export function formatOf(call: Call, allowed?: readonly FormatName[]): Format {
  const text = call.origin('output') === undefined ? undefined : call.flag('output');
  return asUsageError(() => parseFormat(text, allowed), call.origin('output') ?? '--output');
}

/** Converts parse errors of paths and formats to `UsageError`. */
export function asUsageError<T>(parse: () => T, from: string): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof FormatError || error instanceof PathError) throw new UsageError(`${from}: ${error.message}`);
    throw error;
  }
}

/** Prints nothing for a table without rows; the command prints a message instead. */
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
      const rows = items.map(({ kind, object }) => customCells(format.columns, shownObject(kind, object)));
      const headers = !isOn(call, 'no-headers');
      out.write(formatTable({ columns: format.columns, rows, headers, ...lookOf(call) }));
      break;
    }
    default:
      out.write(await documentText(format, documentOf(items, options.single ?? false, shownBy(call, format))));
  }
  await out.drained();
}

/** A single object or a list. */
function documentOf(items: readonly Item[], single: boolean, shown: Shown): unknown {
  const [first, ...others] = items.map(shown);
  return single && first !== undefined && others.length === 0
    ? first
    : listOf(first === undefined ? [] : [first, ...others]);
}

type Shown = (item: Item) => unknown;

/** As in kubectl, YAML and JSON have the managers of fields only with `--show-managed-fields`. */
function shownBy(call: Call, { kind }: Format): Shown {
  const isWhole = kind === 'jsonpath' || isOn(call, 'show-managed-fields');
  return ({ kind: of, object }) => {
    if (isWhole) return shownObject(of, object);
    const { managedFields: _, ...metadata } = object.metadata;
    return shownObject(of, { ...object, metadata });
  };
}

async function documentText(format: Format, value: unknown): Promise<string> {
  if (format.kind === 'yaml') return formatYaml(value);
  if (format.kind === 'jsonpath') return asUsageError(() => printJsonPath(format.path, value), '--output');
  return formatJson(value);
}

function lookOf({ terminal: { out } }: Call) {
  return { columnsMax: out.columns, paint: paintOf(out.isColoured) };
}

/** As in kubectl, the name and the age of an event are not shown: they are no use, and the message needs the room. */
function isBare(kind: Kind, format: Format, { bare = false }: PrintOptions): boolean {
  return bare || (kind === Event && format.kind === 'table');
}

/** One table per kind, separated by empty lines. */
function tablesOf(call: Call, items: readonly Item[], format: Format, options: PrintOptions): string {
  const kinds = [...new Set(items.map(({ kind }) => kind))];
  const columnOptions = columnOptionsOf(call, { showKind: kinds.length > 1, ...options });
  return kinds
    .map((kind) => {
      const ownOptions = { ...columnOptions, bare: isBare(kind, format, options) };
      const row = rowOf(kind, ownOptions);
      const rows = items.filter((item) => item.kind === kind).map((item) => row(item));
      return tableOf(call, kind, rows, format, ownOptions).print(rows);
    })
    .join('\n');
}

/**
 * `rows` are the first rows. Tables of `-o wide` and of events, whose messages are sentences, are not truncated; the
 * terminal wraps the lines.
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
  const columns = withSparse(columnsOf(kind, options), kind, rows);
  return new TableStream({
    columns: isWhole ? columns : columnsThatFit(columns, rows, columnsMax),
    columnsMax: isWhole ? undefined : columnsMax,
    headers: !isOn(call, 'no-headers'),
    wide,
    paint,
  });
}

/** `-L app,tier -L zone` */
function labelColumnsOf(call: Call): readonly string[] {
  if (call.origin('label-columns') === undefined) return [];
  const keys = call.flags('label-columns').flatMap((keys) => keys.split(','));
  return keys.map((key) => key.trim()).filter((key) => key !== '');
}

function columnOptionsOf(call: Call, { namespaces, showKind, bare }: PrintOptions): ColumnOptions {
  return {
    nowMs: call.terminal.clock.now(),
    namespaces: namespaces ?? isOn(call, 'all-namespaces'),
    showKind,
    bare,
    showLabels: isOn(call, 'show-labels'),
    labelColumns: labelColumnsOf(call),
  };
}

interface Printer {
  /** Objects that were added, changed or (`deleted`) deleted. */
  print(items: readonly Item[], deleted?: boolean): Promise<void>;
}

/** For `-w`: prints objects as they arrive, tables with a single header. */
export function printerOf(call: Call, kind: Kind, options: PrintOptions = {}): Printer {
  const { out } = call.terminal;
  const format = options.format ?? formatOf(call);
  const textOf = textsOf(call, kind, format, options);
  return {
    async print(items, deleted = false) {
      if (items.length > 0) out.write(await textOf(items, deleted));
      await out.drained();
    },
  };
}

type Texts = (items: readonly Item[], deleted: boolean) => string | Promise<string>;

function textsOf(call: Call, kind: Kind, format: Format, options: PrintOptions): Texts {
  if (format.kind === 'table' || format.kind === 'wide') {
    let table: TableStream | undefined;
    return (items, deleted) => {
      const columnOptions = columnOptionsOf(call, { ...options, bare: isBare(kind, format, options) });
      const row = rowOf(kind, columnOptions);
      const rows = items.map((item) => row(item, deleted));
      table ??= tableOf(call, kind, rows, format, columnOptions);
      return table.print(rows);
    };
  }
  if (format.kind === 'custom-columns') {
    const { columns } = format;
    const table = new TableStream({ columns, headers: !isOn(call, 'no-headers'), ...lookOf(call) });
    return (items) => table.print(items.map(({ object }) => customCells(columns, shownObject(kind, object))));
  }
  if (format.kind === 'name') {
    return (items) => items.map(({ object }) => `${shortNameOf(kind, object.metadata.name)}\n`).join('');
  }
  let isFirst = true;
  const shown = shownBy(call, format);
  return async (items) => {
    const texts = await Promise.all(items.map((item) => documentText(format, shown(item))));
    const separator = isFirst || format.kind !== 'yaml' ? '' : '---\n';
    isFirst = false;
    // The output of a template may lack a line end; the next object starts on a new line.
    const lines = texts.map((text) => (text.endsWith('\n') ? text : `${text}\n`));
    return `${separator}${lines.join(format.kind === 'yaml' ? '---\n' : '')}`;
  };
}
