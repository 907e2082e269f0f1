/** The columns of a table of objects: those of the kind, and those that every table has. */

import { displayWidth, visible } from '@ecsm/command-line';
import { type Kind, redactNamed, redactText } from '@ecsm/runtime';
import { formatAge } from '../../print/age.ts';
import type { Cell, Column } from '../../print/table.ts';
import { timeMsOf } from '../../print/time.ts';
import { shortNameOf } from './kinds.ts';
import type { Item } from './targets.ts';

export interface ColumnOptions {
  readonly nowMs: number;
  /** Also the namespace, first. */
  readonly namespaces?: boolean | undefined;
  /** `ecsmservice/telemetry` instead of `telemetry`, for several kinds in one answer. */
  readonly showKind?: boolean | undefined;
  readonly showLabels?: boolean | undefined;
  /** Only the columns of the kind, without name and age. */
  readonly bare?: boolean | undefined;
}

export const none = '<none>';

/** Wide ones stand behind the age, as kubectl has it, so the others stay where they are. */
export function columnsOf(kind: Kind, { namespaces, showLabels, bare }: ColumnOptions): readonly Column[] {
  const own = kind.columns.map(({ name, wide }) => ({ name, wide, shrink: true }));
  return [
    ...(namespaces ? [{ name: 'NAMESPACE' }] : []),
    ...(bare ? [] : [{ name: 'NAME' }]),
    ...own.filter(({ wide }) => !wide),
    ...(bare ? [] : [{ name: 'AGE' }]),
    ...own.filter(({ wide }) => wide),
    ...(showLabels ? [{ name: 'LABELS', shrink: true }] : []),
  ];
}

/** `gone`: the object was deleted just now, and this is how it was. */
export type Row = (item: Item, gone?: boolean) => readonly Cell[];

/** What makes a row of an object of this kind. Made once, because a table may have thousands. */
export function rowOf(kind: Kind, { nowMs, namespaces, bare, showKind, showLabels }: ColumnOptions): Row {
  const plain = kind.columns.filter(({ wide }) => !wide);
  const wide = kind.columns.filter((column) => column.wide);
  return ({ object }, gone = false) => {
    const { name, namespace, creationTimestamp, labels } = object.metadata;
    const cells: Cell[] = [];
    if (namespaces) cells.push(namespace);
    if (!bare) cells.push(showKind ? shortNameOf(kind, name) : name);
    for (const column of plain) cells.push(cellOf(column.value(object), nowMs));
    if (!bare) cells.push(gone ? 'deleted' : ageOf(creationTimestamp, nowMs));
    for (const column of wide) cells.push(cellOf(column.value(object), nowMs));
    if (showLabels) cells.push(labelsText(labels));
    return gone ? cells.map((cell) => ({ text: textOf(cell), style: 'dim' })) : cells;
  };
}

const gapColumns = 3;
/** A column that is cut to less tells nothing. */
const readableColumns = 6;

/**
 * The columns for which a terminal has room. Names are what people copy, so before they would be cut, columns of the kind
 * are left out, the last one first; `-o wide` shows them all.
 */
export function columnsThatFit(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  columnsMax: number | undefined,
): readonly Column[] {
  if (columnsMax === undefined) return columns;
  const needs = columns.map(({ name, wide, shrink }, index) => {
    if (wide) return undefined;
    const cells = rows.map((row) => displayWidth(textOf(row[index] ?? '')));
    const whole = cells.reduce((most, width) => Math.max(most, width), displayWidth(name));
    return shrink ? Math.min(whole, Math.max(readableColumns, displayWidth(name))) : whole;
  });
  const total = () =>
    needs.reduce<number>((sum, need) => sum + (need === undefined ? 0 : need + gapColumns), -gapColumns);
  while (total() > columnsMax) {
    const last = columns.findLastIndex(({ shrink }, index) => shrink && needs[index] !== undefined);
    if (last === -1) break;
    needs[last] = undefined;
  }
  // Left out, in the words of the table.
  return columns.map((column, index) => (needs[index] === undefined ? { ...column, wide: true } : column));
}

function textOf(cell: Cell): string {
  return visible(typeof cell === 'string' ? cell : cell.text);
}

let lastTimestamp = '';
let lastTimeMs = Number.NaN;

/** How long ago, as kubectl says it. */
export function ageOf(timestamp: string, nowMs: number): string {
  // Objects that were applied together have one age, and to read a time costs more than the rest of a row.
  if (timestamp !== lastTimestamp) {
    lastTimeMs = timeMsOf(timestamp) ?? Number.NaN;
    lastTimestamp = timestamp;
  }
  return formatAge(nowMs - lastTimeMs);
}

export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${redactNamed(key, value)}`);
  return pairs.length === 0 ? none : pairs.sort().join(',');
}

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
/** Short words and numbers hold no secret; the closer look takes most of the time of a long table. */
const mayHoldSecret = /[=:\s]|.{16}/;

/** A moment is shown as how long ago it is, like every other in a table; `2/3` are not all of them. */
function cellOf(text: string, nowMs: number): Cell {
  if (text === '') return none;
  if (mayHoldSecret.test(text)) return timestamp.test(text) ? ageOf(text, nowMs) : redactText(text);
  if (text === 'Warning') return { text, style: 'warn' };
  const slash = text.indexOf('/');
  const [ready, wanted] = slash === -1 ? [] : [Number(text.slice(0, slash)), Number(text.slice(slash + 1))];
  if (ready === undefined || wanted === undefined || Number.isNaN(ready + wanted)) return text;
  return { text, style: ready >= wanted ? 'good' : ready === 0 ? 'bad' : 'warn' };
}
