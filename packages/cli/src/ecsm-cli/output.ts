/** Things of the platform in every format that `-o` knows. Secrets are left out of all of them. */

import { type Call, UsageError, visible, visibleLines } from '@ecsm/command-line';
import { redact } from '@ecsm/runtime';
import { customCells } from '../print/custom-columns.ts';
import { formatJson, formatYaml, listOf } from '../print/documents.ts';
import { type Format, FormatError, type FormatName, parseFormat } from '../print/formats.ts';
import { PathError, parsePath, printJsonPath } from '../print/jsonpath.ts';
import { paintOf } from '../print/paint.ts';
import { sortBy } from '../print/sort.ts';
import { type Cell, type Column, formatTable } from '../print/table.ts';

export interface Shown {
  /** `service/telemetry`, for `-o name`. */
  readonly name: string;
  /** For machines. */
  readonly value: unknown;
  readonly cells: readonly Cell[];
}

/** Things of one kind, which have one table. */
export interface Group {
  readonly columns: readonly Column[];
  readonly items: readonly Shown[];
}

/** What `-o` says. Throws `UsageError`. */
export function formatOf({ flag }: Call, allowed?: readonly FormatName[]): Format {
  return wrongIfUnreadable(() => parseFormat(flag('output'), allowed));
}

/** Whether the cells of a table are all that is needed. */
export function isTable({ kind }: Format): boolean {
  return kind === 'table' || kind === 'wide' || kind === 'name';
}

/** By the field that `--sort-by` says. */
export function sorted<T extends Pick<Shown, 'value'>>({ flag }: Call, items: readonly T[]): readonly T[] {
  const path = flag('sort-by');
  if (path === undefined) return items;
  const parsed = wrongIfUnreadable(() => parsePath(path));
  const values = sortBy(
    parsed,
    items.map((item) => item.value),
  );
  return values.flatMap((value) => items.filter((item) => item.value === value));
}

/** `isOne`: somebody named one thing, so it is no list. */
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

function wrongIfUnreadable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof FormatError || error instanceof PathError ? new UsageError(error.message) : error;
  }
}
