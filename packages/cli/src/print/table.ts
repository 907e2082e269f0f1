/** Tables as in kubectl: no borders, upper-case names, three blanks between columns, no trailing blanks. */

import { displayWidth, truncate, visible } from '@ecsm/command-line';
import { fit, sum } from './fit.ts';
import { type Paint, paintOf } from './paint.ts';

export interface Column {
  readonly name: string;
  /** Only shown in the `wide` format. */
  readonly wide?: boolean;
  /** Default `left`. */
  readonly align?: 'left' | 'right';
  /** Shrunk first when a row does not fit on a line. */
  readonly shrink?: boolean;
}

export type Cell = string | { readonly text: string; readonly style?: 'good' | 'bad' | 'warn' | 'dim' };

interface TableOptions {
  /** All columns, including those of `wide`; every row has a cell for each. */
  readonly columns: readonly Column[];
  /** Width of the terminal, to which each row is shortened. Absent, for a pipe: rows are never shortened. */
  readonly columnsMax?: number | undefined;
  /** Default: no colours. */
  readonly paint?: Paint | undefined;
  /** Default true. */
  readonly headers?: boolean | undefined;
  /** Whether columns marked `wide` are shown. Default false. */
  readonly wide?: boolean | undefined;
}

export interface Table extends TableOptions {
  readonly rows: readonly (readonly Cell[])[];
}

const gap = '   ';
const colours = { good: 'green', bad: 'red', warn: 'yellow', dim: 'dim' } as const;

/** Lines, each with a newline. Without rows only the header. */
export function formatTable(table: Table): string {
  const stream = new TableStream(table);
  return stream.print(table.rows) || stream.header();
}

/** A cell as one line without control characters. */
interface PreparedCell {
  readonly text: string;
  readonly columns: number;
  readonly paint: (text: string) => string;
}

/**
 * A table whose rows arrive over time, for `-w`. The header is printed with the first rows. Columns only become wider, so
 * the first call should have as many rows as are known.
 */
export class TableStream {
  readonly #columns: readonly Column[];
  readonly #indexes: readonly number[];
  readonly #paint: Paint;
  readonly #widths: number[];
  readonly #columnsMax: number | undefined;
  #isHeaderPending: boolean;

  constructor({ columns, columnsMax, paint, headers, wide }: TableOptions) {
    this.#indexes = columns.flatMap((column, index) => (column.wide && !wide ? [] : [index]));
    this.#columns = columns.filter((column) => !column.wide || wide);
    this.#paint = paint ?? paintOf(false);
    this.#isHeaderPending = headers ?? true;
    this.#columnsMax = columnsMax;
    this.#widths = this.#columns.map(({ name }) => (this.#isHeaderPending ? displayWidth(headerOf(name)) : 0));
  }

  /** The lines of these rows; `columnsMax` if the size of the terminal has changed. */
  print(rows: readonly (readonly Cell[])[], columnsMax = this.#columnsMax): string {
    if (rows.length === 0) return '';
    // A table may have thousands of rows in a process that has just started. Plain loops are fast before the code is
    // optimised.
    const all: PreparedCell[][] = [];
    for (const row of rows) {
      const cells: PreparedCell[] = [];
      for (let index = 0; index < this.#indexes.length; index++) {
        const cell = this.#prepared(row[this.#indexes[index] ?? 0] ?? '');
        if (cell.columns > (this.#widths[index] ?? 0)) this.#widths[index] = cell.columns;
        cells.push(cell);
      }
      all.push(cells);
    }
    const header = this.header(columnsMax);
    return header + this.#lines(all, columnsMax);
  }

  /** The header line. Returns '' if it has been printed. */
  header(columnsMax = this.#columnsMax): string {
    if (!this.#isHeaderPending || this.#columns.length === 0) return '';
    this.#isHeaderPending = false;
    const cells = this.#columns.map(({ name }) => prepared(headerOf(name), this.#paint.bold));
    return this.#lines([cells], columnsMax);
  }

  #prepared(cell: Cell): PreparedCell {
    const text = typeof cell === 'string' ? cell : cell.text;
    const style = typeof cell === 'string' ? undefined : cell.style;
    return prepared(visible(text).trimEnd(), style ? this.#paint[colours[style]] : unchanged);
  }

  #lines(rows: readonly (readonly PreparedCell[])[], columnsMax: number | undefined): string {
    const widths = columnsMax === undefined ? this.#widths : this.#fitted(columnsMax);
    // The terminal may be narrower than the gaps.
    const needed = sum(widths) + gap.length * (widths.length - 1);
    const isCut = columnsMax !== undefined && needed > columnsMax;
    let lines = '';
    for (const row of rows) {
      const line = this.#line(row, widths);
      lines += `${isCut ? truncate(line, columnsMax) : line}\n`;
    }
    return lines;
  }

  #fitted(columnsMax: number): number[] {
    const sizes = this.#columns.map(({ name, shrink }, index) => ({
      columns: this.#widths[index] ?? 0,
      nameColumns: displayWidth(headerOf(name)),
      shrink: shrink ?? false,
    }));
    return fit(sizes, Math.max(1, columnsMax - gap.length * (sizes.length - 1)));
  }

  #line(row: readonly PreparedCell[], widths: readonly number[]): string {
    const last = row.findLastIndex(({ text }) => text !== '');
    let line = '';
    for (let index = 0; index <= last; index++) {
      const width = widths[index] ?? 0;
      const cell = row[index] ?? prepared('', unchanged);
      const { text, columns, paint } = cell.columns > width ? prepared(truncate(cell.text, width), cell.paint) : cell;
      const blanks = ' '.repeat(width - columns);
      const isRight = this.#columns[index]?.align === 'right';
      if (index > 0) line += gap;
      line += isRight ? blanks + paint(text) : index === last ? paint(text) : paint(text) + blanks;
    }
    return line;
  }
}

function prepared(text: string, paint: (text: string) => string): PreparedCell {
  return { text, columns: displayWidth(text), paint };
}

function headerOf(name: string): string {
  return visible(name).trimEnd().toUpperCase();
}

function unchanged(text: string): string {
  return text;
}
