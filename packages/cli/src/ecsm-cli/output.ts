/** Prints objects of the platform in every format of `-o`, with secrets hidden. */

import { type Call, UsageError, visible, visibleLines } from '@ecsm/command-line';
import { redact } from '@ecsm/runtime';
import { customCells } from '../print/custom-columns.ts';
import { formatJson, formatYaml, listOf } from '../print/documents.ts';
import { type Format, FormatError, type FormatName, parseFormat } from '../print/formats.ts';
import { PathError, parsePath, printJsonPath } from '../print/jsonpath.ts';
import { paintOf } from '../print/paint.ts';
import { sortBy } from '../print/sort.ts';
import { type Cell, type Column, formatTable } from '../print/table.ts';

export interface OutputItem {
  /** `service/telemetry`, for `-o name`. */
  readonly name: string;
  /** For YAML, JSON and paths. */
  readonly value: unknown;
  readonly cells: readonly Cell[];
}

/** Objects of one kind, which share a table. */
export interface Group {
  readonly columns: readonly Column[];
  readonly items: readonly OutputItem[];
}

/** The format of `-o`. Throws `UsageError`. */
export function formatOf({ flag }: Call, allowed?: readonly FormatName[]): Format {
  return asUsageError(() => parseFormat(flag('output'), allowed));
}

/** Whether the format needs only list rows, not whole objects. */
export function isTable({ kind }: Format): boolean {
  return kind === 'table' || kind === 'wide' || kind === 'name';
}

/** Sorted by the field of `--sort-by`. Throws `UsageError` for an invalid path. */
export function sorted<T extends Pick<OutputItem, 'value'>>({ flag }: Call, items: readonly T[]): readonly T[] {
  const path = flag('sort-by');
  if (path === undefined) return items;
  const parsed = asUsageError(() => parsePath(path));
  const values = sortBy(
    parsed,
    items.map((item) => item.value),
  );
  return values.flatMap((value) => items.filter((item) => item.value === value));
}

/** `isOne`: print a single object instead of a list. */
export async function print(
  call: Call,
  format: Format,
  groups: readonly Group[],
  { isOne = false, headers = true }: { readonly isOne?: boolean; readonly headers?: boolean } = {},
): Promise<void> {
  call.terminal.out.write(await printed(call, format, groups, isOne, headers));
}

async function printed(
  { terminal: { out } }: Call,
  format: Format,
  groups: readonly Group[],
  isOne: boolean,
  headers: boolean,
): Promise<string> {
  const items = groups.flatMap((group) => group.items);
  const values = () => items.map(({ value }) => redact(value));
  const whole = () => (isOne ? values()[0] : listOf(values()));
  const terminal = { columnsMax: out.columns, paint: paintOf(out.isColoured), headers };
  switch (format.kind) {
    case 'name':
      return items.map(({ name }) => `${visible(name)}\n`).join('');
    case 'json':
      return formatJson(whole());
    case 'yaml':
      return formatYaml(whole());
    case 'jsonpath': {
      const text = printJsonPath(format.path, whole());
      return out.isTerminal ? `${visibleLines(text)}\n` : text;
    }
    case 'custom-columns': {
      const rows = values().map((value) => customCells(format.columns, value));
      return formatTable({ ...terminal, columns: format.columns, rows });
    }
    case 'table':
    case 'wide':
      return groups
        .filter((group) => group.items.length > 0)
        .map(({ columns, items: those }) =>
          formatTable({ ...terminal, columns, rows: those.map(({ cells }) => cells), wide: format.kind === 'wide' }),
        )
        .join('\n');
  }
}

function asUsageError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof FormatError || error instanceof PathError ? new UsageError(error.message) : error;
  }
}
