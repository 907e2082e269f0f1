/** A part of the terminal that is drawn anew in place. */

const upAndClear = (lines) => (lines === 0 ? '' : `\u001b[${lines}A\r\u001b[0J`);

export class Screen {
  #stream;
  #drawn = '';
  #lines = 0;

  constructor(stream) {
    this.#stream = stream;
  }

  /** Does nothing if the same is there already, so that a selection made with the mouse stays. */
  draw(lines) {
    // What is above the top of the terminal cannot be reached again, so the view is cut at the bottom instead.
    const shown = lines.slice(0, Math.max(1, (this.#stream.rows || lines.length + 1) - 1));
    const text = `${shown.join('\n')}\n`;
    if (text === this.#drawn) return;
    this.#stream.write(upAndClear(this.#lines) + text);
    this.#drawn = text;
    this.#lines = shown.length;
  }
}
