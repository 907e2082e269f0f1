/** How wide the columns of a table may be so that a row fits on a line. */

/** As long as others have more, no column becomes narrower than its name, or than this. */
const readableColumns = 6;

export interface Room {
  /** What the longest cell needs, and the name. */
  readonly columns: number;
  readonly nameColumns: number;
  readonly shrink: boolean;
}

/**
 * Takes from the columns that may shrink, else from all; always from the widest, so that short ones stay whole. If that
 * is not enough, down to one column each.
 */
export function fit(rooms: readonly Room[], columnsMax: number): number[] {
  const widths = rooms.map(({ columns }) => Math.min(columns, columnsMax));
  let excess = sum(widths) - columnsMax;
  const shrink = (mayShrink: (room: Room) => boolean, floorOf: (room: Room) => number) => {
    while (excess > 0) {
      let widest = -1;
      for (const [index, room] of rooms.entries()) {
        const width = widths[index] ?? 0;
        if (mayShrink(room) && width > floorOf(room) && width > (widths[widest] ?? 0)) widest = index;
      }
      if (widest === -1) return;
      widths[widest] = (widths[widest] ?? 0) - 1;
      excess--;
    }
  };
  const readable = ({ nameColumns }: Room) => Math.max(readableColumns, nameColumns);
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
