/** Computes the column widths with which a table row fits on a line. */

/** No column becomes narrower than its name or this width while others are wider. */
const readableColumns = 6;

interface ColumnSize {
  /** Width of the longest cell or of the name. */
  readonly columns: number;
  readonly nameColumns: number;
  readonly shrink: boolean;
}

/**
 * Shrinks the columns that may shrink, then all columns; always the widest first, so that narrow ones stay whole. If that
 * is not enough, each shrinks down to one character.
 */
export function fit(sizes: readonly ColumnSize[], columnsMax: number): number[] {
  const widths = sizes.map(({ columns }) => Math.min(columns, columnsMax));
  let excess = sum(widths) - columnsMax;
  const shrink = (mayShrink: (size: ColumnSize) => boolean, floorOf: (size: ColumnSize) => number) => {
    while (excess > 0) {
      let widest = -1;
      for (const [index, size] of sizes.entries()) {
        const width = widths[index] ?? 0;
        if (mayShrink(size) && width > floorOf(size) && width > (widths[widest] ?? 0)) widest = index;
      }
      if (widest === -1) return;
      widths[widest] = (widths[widest] ?? 0) - 1;
      excess--;
    }
  };
  const readable = ({ nameColumns }: ColumnSize) => Math.max(readableColumns, nameColumns);
  shrink(({ shrink }) => shrink, readable);
  shrink(() => true, readable);
  shrink(
    () => true,
    () => 1,
  );
  return widths;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
