/** Table columns of objects: those of the kind and the common ones. */

import { displayWidth, visible } from '@ecsm/command-line';
import { findCondition, formatAge, type Kind, redactNamed, redactText, timeMsOf } from '@ecsm/runtime';
import type { Cell, Column } from '../../print/table.ts';
import { conditionsOf } from './fields.ts';
import { shortNameOf } from './kinds.ts';
import type { Item } from './targets.ts';

export interface ColumnOptions {
  readonly nowMs: number;
  /** Adds the namespace as the first column. */
  readonly namespaces?: boolean | undefined;
  /** `ecsmservice/telemetry` instead of `telemetry`, for several kinds in one table. */
  readonly showKind?: boolean | undefined;
  readonly showLabels?: boolean | undefined;
  /** Labels with a column of their own. */
  readonly labelColumns?: readonly string[] | undefined;
  /** Only the columns of the kind, without name and age. */
  readonly bare?: boolean | undefined;
}

export const none = '<none>';

/** Wide columns follow the age, as in kubectl, so the other columns keep their position. */
export function columnsOf(
  kind: Kind,
  { namespaces, showLabels, labelColumns = [], bare }: ColumnOptions,
): readonly Column[] {
  const own = kind.columns.map(({ name, wide }) => ({ name, wide, shrink: true }));
  return [
    ...(namespaces ? [{ name: 'NAMESPACE' }] : []),
    ...(bare ? [] : [{ name: 'NAME' }]),
    ...own.filter(({ wide }) => !wide),
    ...(bare ? [] : [{ name: 'AGE' }]),
    ...own.filter(({ wide }) => wide),
    ...labelColumns.map((key) => ({ name: key.slice(key.lastIndexOf('/') + 1).toUpperCase() })),
    ...(showLabels ? [{ name: 'LABELS', shrink: true }] : []),
  ];
}

/** `deleted`: the object was deleted, and this is its last state. */
type Row = (item: Item, deleted?: boolean) => readonly Cell[];

/** Returns the row function of a kind. Call it once per table, which may have thousands of rows. */
export function rowOf(
  kind: Kind,
  { nowMs, namespaces, bare, showKind, showLabels, labelColumns = [] }: ColumnOptions,
): Row {
  const plain = kind.columns.filter(({ wide }) => !wide);
  const wide = kind.columns.filter((column) => column.wide);
  return ({ object }, deleted = false) => {
    const { name, namespace, creationTimestamp, labels } = object.metadata;
    const cells: Cell[] = [];
    if (namespaces) cells.push(namespace);
    if (!bare) cells.push(showKind ? shortNameOf(kind, name) : name);
    const whole = isHealthy(object) ? 'good' : 'warn';
    for (const column of plain) cells.push(cellOf(column.value(object), nowMs, whole));
    if (!bare) cells.push(deleted ? 'deleted' : ageOf(creationTimestamp, nowMs));
    for (const column of wide) cells.push(cellOf(column.value(object), nowMs, whole));
    for (const key of labelColumns) cells.push(redactNamed(key, labels?.[key] ?? ''));
    if (showLabels) cells.push(labelsText(labels));
    return deleted ? cells.map((cell) => ({ text: textOf(cell), style: 'dim' })) : cells;
  };
}

/** Sparse columns with a value in some row are shown without `-o wide`, too. */
export function withSparse(
  columns: readonly Column[],
  kind: Kind,
  rows: readonly (readonly Cell[])[],
): readonly Column[] {
  const sparse = new Set(kind.columns.flatMap((column) => (column.sparse ? [column.name] : [])));
  if (sparse.size === 0) return columns;
  return columns.map((column, index) => {
    const isUsed = sparse.has(column.name) && rows.some((row) => textOf(row[index] ?? none) !== none);
    return isUsed ? { ...column, wide: false } : column;
  });
}

const gapColumns = 3;
/** Narrower columns are not readable. */
const readableColumns = 6;

/** The column that names a problem: it is whole while others can be dropped. */
const statusName = 'STATUS';

/**
 * The columns that fit the terminal. Names are copied by users, so columns of the kind are dropped, the last one first,
 * before names or the status are truncated; `-o wide` shows all columns.
 */
export function columnsThatFit(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  columnsMax: number | undefined,
): readonly Column[] {
  if (columnsMax === undefined) return columns;
  const wholes = columns.map(({ name }, index) => {
    const cells = rows.map((row) => displayWidth(textOf(row[index] ?? '')));
    return cells.reduce((most, width) => Math.max(most, width), displayWidth(name));
  });
  const shrunk = ({ name }: Column, whole = 0) => Math.min(whole, Math.max(readableColumns, displayWidth(name)));
  const needs = columns.map((column, index) => {
    if (column.wide) return undefined;
    return column.shrink && column.name !== statusName ? shrunk(column, wholes[index]) : wholes[index];
  });
  const total = () =>
    needs.reduce<number>((sum, need) => sum + (need === undefined ? 0 : need + gapColumns), -gapColumns);
  while (total() > columnsMax) {
    const last = columns.findLastIndex(({ shrink }, index) => shrink && needs[index] !== undefined);
    const column = columns[last];
    if (column === undefined) break;
    const least = shrunk(column, wholes[last]);
    needs[last] = needs[last] === least ? undefined : least;
  }
  // The table omits wide columns.
  return columns.map((column, index) => {
    if (needs[index] === undefined) return { ...column, wide: true };
    const isWhole = column.name === statusName && needs[index] === wholes[index];
    return isWhole ? { ...column, shrink: false } : column;
  });
}

function textOf(cell: Cell): string {
  return visible(typeof cell === 'string' ? cell : cell.text);
}

let lastTimestamp = '';
let lastTimeMs = Number.NaN;

/** The age in the format of kubectl. */
export function ageOf(timestamp: string, nowMs: number): string {
  // Objects applied together have the same timestamp, and parsing it costs more than the rest of a row.
  if (timestamp !== lastTimestamp) {
    lastTimeMs = timeMsOf(timestamp) ?? Number.NaN;
    lastTimestamp = timestamp;
  }
  return formatAge(nowMs - lastTimeMs);
}

function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${redactNamed(key, value)}`);
  return pairs.length === 0 ? none : pairs.sort().join(',');
}

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
/** Short words and numbers hold no secret; redaction takes most of the time of a long table. */
const mayHoldSecret = /[=:\s]|.{16}/;

/** Instances that run between two crashes are ready, and what was ready before an outage may not be any more. */
function isHealthy({ status }: Item['object']): boolean {
  const conditions = conditionsOf(status);
  const isTrue = (type: string) => findCondition(conditions, type)?.status === 'True';
  return !isTrue('Degraded') && findCondition(conditions, 'PlatformReachable')?.status !== 'False';
}

/** Timestamps are shown as ages; `2/3` is coloured as partially ready, and `3/3` with the style `whole`. */
function cellOf(text: string, nowMs: number, whole: 'good' | 'warn'): Cell {
  if (text === '') return none;
  if (mayHoldSecret.test(text)) return timestamp.test(text) ? ageOf(text, nowMs) : redactText(text);
  if (text === 'Warning') return { text, style: 'warn' };
  const slash = text.indexOf('/');
  const [ready, wanted] = slash === -1 ? [] : [Number(text.slice(0, slash)), Number(text.slice(slash + 1))];
  if (ready === undefined || wanted === undefined || Number.isNaN(ready + wanted)) return text;
  return { text, style: ready >= wanted ? whole : ready === 0 ? 'bad' : 'warn' };
}
