/** A part of the terminal that is redrawn in place. */
import { stripVTControlCharacters } from 'node:util';

/** Row by row: a terminal that is cleared from its first row, such as tmux, keeps a copy of what it had. */
const upAndClear = (rows) => `${'\u001b[1A\u001b[2K'.repeat(rows)}\r`;

/** Number of rows that lines occupy in a terminal, which wraps those that are longer than its width. */
export function rowsOf(lines, columns = Number.POSITIVE_INFINITY) {
  const width = columns || Number.POSITIVE_INFINITY;
  const rowsOfLine = (line) => Math.max(1, Math.ceil(stripVTControlCharacters(line).length / width));
  return lines.reduce((rows, line) => rows + rowsOfLine(line), 0);
}

export class Screen {
  #stream;
  #drawn = [];

  constructor(stream) {
    this.#stream = stream;
  }

  /** Does nothing if the text is unchanged, so that a mouse selection is kept. */
  draw(lines) {
    const { rows, columns } = this.#stream;
    const shown = [...lines];
    // Lines above the top of the terminal cannot be overwritten, so the view is cut at the bottom instead.
    while (rows && shown.length > 1 && rowsOf(shown, columns) >= rows) shown.pop();
    if (shown.join('\n') === this.#drawn.join('\n')) return;
    this.#stream.write(`${upAndClear(rowsOf(this.#drawn, columns))}${shown.join('\n')}\n`);
    this.#drawn = shown;
  }
}
