/** A part of the terminal that is redrawn in place. */

const upAndClear = (lines) => (lines === 0 ? '' : `\u001b[${lines}A\r\u001b[0J`);

export class Screen {
  #stream;
  #drawn = '';
  #lines = 0;

  constructor(stream) {
    this.#stream = stream;
  }

  /** Does nothing if the text is unchanged, so that a mouse selection is kept. */
  draw(lines) {
    // Lines above the top of the terminal cannot be overwritten, so the view is cut at the bottom instead.
    const shown = lines.slice(0, Math.max(1, (this.#stream.rows || lines.length + 1) - 1));
    const text = `${shown.join('\n')}\n`;
    if (text === this.#drawn) return;
    this.#stream.write(upAndClear(this.#lines) + text);
    this.#drawn = text;
    this.#lines = shown.length;
  }
}
