/** A minimal terminal emulator: lines, cursor up, clearing, colours, wrapping at the last column. */

/** A control sequence, or a character. */
const partPattern = new RegExp(`${'\u001b'}\\[\\??[\\d;]*[A-Za-z]|.`, 'gsu');

export class Screen {
  readonly columns: number;
  readonly lines: string[] = [''];
  isCursorShown = true;
  /** Whether anything was ever painted over or taken away again. */
  isRepainted = false;
  isColoured = false;
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    this.columns = columns;
  }

  feed(text: string): this {
    for (const [part] of text.matchAll(partPattern)) this.#take(part);
    return this;
  }

  /** What is there now, with what has scrolled away. */
  get text(): string {
    return this.lines.map((line) => line.trimEnd()).join('\n');
  }

  #take(part: string): void {
    const line = this.lines[this.#row] ?? '';
    if (part === '\n') this.#goDown();
    else if (part === '\r') this.#column = 0;
    else if (part === '\u0007') return;
    else if (part === '\u001b[?25l') this.isCursorShown = false;
    else if (part === '\u001b[?25h') this.isCursorShown = true;
    else if (part === '\u001b[K') this.lines[this.#row] = line.slice(0, this.#column);
    else if (part === '\u001b[J') {
      this.isRepainted = true;
      this.lines[this.#row] = line.slice(0, this.#column);
      this.lines.length = this.#row + 1;
    } else if (/\[\d+A$/.test(part)) this.#row -= Number(part.slice(2, -1));
    else if (part.endsWith('m') && part.startsWith('\u001b')) this.isColoured = true;
    else if (part.startsWith('\u001b')) throw new Error(`this terminal does not know ${JSON.stringify(part)}`);
    else this.#put(part);
  }

  #put(character: string): void {
    if (this.#column === this.columns) {
      this.#goDown();
      this.#column = 0;
    }
    const line = this.lines[this.#row] ?? '';
    this.lines[this.#row] = line.slice(0, this.#column).padEnd(this.#column) + character + line.slice(this.#column + 1);
    this.#column++;
  }

  /** The system puts a carriage return before each, so the column stays. */
  #goDown(): void {
    this.#row++;
    while (this.lines.length <= this.#row) this.lines.push('');
  }
}
