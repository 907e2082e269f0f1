/** Tables as kubectl prints them: no borders, names in capitals, three blanks between columns, none at the end. */

import { displayWidth, truncate, visible } from '@ecsm/command-line';
import { fit, sum } from './fit.ts';
import { type Paint, paintOf } from './paint.ts';

export interface Column {
  readonly name: string;
  /** Only shown when `wide` is asked for. */
  readonly wide?: boolean;
  /** Default `left`. */
  readonly align?: 'left' | 'right';
  /** Is cut first when a row does not fit on a line. */
  readonly shrink?: boolean;
}

export type Cell = string | { readonly text: string; readonly look?: 'good' | 'bad' | 'warn' | 'dim' };

export interface TableOptions {
  /** All that there are, also those for `wide`; every row has a cell for each. */
  readonly columns: readonly Column[];
  /** Of the terminal: each row is cut to fit on a line. Absent, for a pipe: nothing is ever cut. */
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
const looks = { good: 'green', bad: 'red', warn: 'yellow', dim: 'dim' } as const;

/** Lines, each with its line end. Without rows there is only the header. */
export function formatTable(table: Table): string {
  const stream = new TableStream(table);
  return stream.print(table.rows) || stream.header();
}

/** A cell that is ready: one line, nothing in it that steers a terminal. */
interface Ready {
  readonly text: string;
  readonly columns: number;
  readonly paint: (text: string) => string;
}

/**
 * A table whose rows come one by one, for `-w`. The header is printed with the first rows. Columns become wider when a
 * row needs it, never narrower; so what comes first should be as much as is known.
 */
export class TableStream {
  readonly #columns: readonly Column[];
  readonly #indexes: readonly number[];
  readonly #paint: Paint;
  readonly #widths: number[];
  readonly #columnsMax: number | undefined;
  #isHeaderDue: boolean;

  constructor({ columns, columnsMax, paint, headers, wide }: TableOptions) {
    this.#indexes = columns.flatMap((column, index) => (column.wide && !wide ? [] : [index]));
    this.#columns = columns.filter((column) => !column.wide || wide);
    this.#paint = paint ?? paintOf(false);
    this.#isHeaderDue = headers ?? true;
    this.#columnsMax = columnsMax;
    this.#widths = this.#columns.map(({ name }) => (this.#isHeaderDue ? displayWidth(headerOf(name)) : 0));
  }

  /** The lines of these rows; `columnsMax` if the terminal has another size by now. */
  print(rows: readonly (readonly Cell[])[], columnsMax = this.#columnsMax): string {
    if (rows.length === 0) return '';
    // A table may have thousands of rows, and whoever waits for it has just started the program: plain loops are quick
    // before anything is compiled.
    const all: Ready[][] = [];
    for (const row of rows) {
      const cells: Ready[] = [];
      for (let index = 0; index < this.#indexes.length; index++) {
        const cell = this.#ready(row[this.#indexes[index] ?? 0] ?? '');
        if (cell.columns > (this.#widths[index] ?? 0)) this.#widths[index] = cell.columns;
        cells.push(cell);
      }
      all.push(cells);
    }
    const header = this.header(columnsMax);
    return header + this.#lines(all, columnsMax);
  }

  /** Its line, if it has not been printed yet. */
  header(columnsMax = this.#columnsMax): string {
    if (!this.#isHeaderDue || this.#columns.length === 0) return '';
    this.#isHeaderDue = false;
    const cells = this.#columns.map(({ name }) => ready(headerOf(name), this.#paint.bold));
    return this.#lines([cells], columnsMax);
  }

  #ready(cell: Cell): Ready {
    const text = typeof cell === 'string' ? cell : cell.text;
    const look = typeof cell === 'string' ? undefined : cell.look;
    return ready(visible(text).trimEnd(), look ? this.#paint[looks[look]] : asItIs);
  }

  #lines(rows: readonly (readonly Ready[])[], columnsMax: number | undefined): string {
    const widths = columnsMax === undefined ? this.#widths : this.#fitted(columnsMax);
    // A terminal that is narrower than the gaps.
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
    const rooms = this.#columns.map(({ name, shrink }, index) => ({
      columns: this.#widths[index] ?? 0,
      nameColumns: displayWidth(headerOf(name)),
      shrink: shrink ?? false,
    }));
    return fit(rooms, Math.max(1, columnsMax - gap.length * (rooms.length - 1)));
  }

  #line(row: readonly Ready[], widths: readonly number[]): string {
    const last = row.findLastIndex(({ text }) => text !== '');
    let line = '';
    for (let index = 0; index <= last; index++) {
      const width = widths[index] ?? 0;
      const cell = row[index] ?? ready('', asItIs);
      const { text, columns, paint } = cell.columns > width ? ready(truncate(cell.text, width), cell.paint) : cell;
      const blanks = ' '.repeat(width - columns);
      const isRight = this.#columns[index]?.align === 'right';
      if (index > 0) line += gap;
      line += isRight ? blanks + paint(text) : index === last ? paint(text) : paint(text) + blanks;
    }
    return line;
  }
}

function ready(text: string, paint: (text: string) => string): Ready {
  return { text, columns: displayWidth(text), paint };
}

function headerOf(name: string): string {
  return visible(name).trimEnd().toUpperCase();
}

function asItIs(text: string): string {
  return text;
}
