/**
 * An area of the terminal that is repainted: progress, `watch`, `top`. The cursor is hidden meanwhile and always
 * restored. If the output cannot be repainted, only new lines are printed.
 */

import type { OutputStream } from '../command/terminal.ts';
import { displayWidth, truncate } from '../text/width.ts';

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const clearToEndOfLine = '\u001b[K';
const clearBelow = '\u001b[J';
const up = (lines: number) => (lines > 0 ? `\u001b[${lines}A` : '');

export class Live {
  readonly #sink: OutputStream;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = () => this.close();
  /** The widths of the lines on the screen, in columns. */
  #widths: readonly number[] = [];
  #shown = '';
  #kind: string | undefined;
  #isHidden = false;
  #isClosed = false;

  /** An abort closes it, which restores the cursor. */
  constructor(sink: OutputStream, signal?: AbortSignal) {
    this.#sink = sink;
    this.#signal = signal;
    if (signal?.aborted) this.#isClosed = true;
    else signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /**
   * Replaces the shown text. If the output cannot be repainted, a text with the same `kind` as the last one is not
   * printed. Default: the text itself.
   */
  show(text: string, kind = text): void {
    if (this.#isClosed) return;
    if (this.#sink.canRepaint) this.#paint(text);
    else if (kind !== this.#kind && text !== '') this.#sink.write(`${text}\n`);
    this.#kind = kind;
  }

  /** Prints a permanent line above the painted area. */
  print(line: string): void {
    this.above(() => this.#sink.write(`${line}\n`));
  }

  /** Calls `write`, which writes whole lines above the painted area, to a stream that may be the same terminal. */
  above(write: () => void): void {
    const again = this.#shown;
    this.#erase();
    write();
    if (again !== '' && !this.#isClosed) this.#paint(again);
  }

  /** Erases the painted area. */
  clear(): void {
    this.#erase();
    this.#end();
  }

  /** Keeps the last text on the screen. */
  close(): void {
    if (this.#widths.length > 0) this.#sink.write('\n');
    this.#widths = [];
    this.#end();
  }

  #paint(text: string): void {
    const columns = this.#sink.columns ?? Number.POSITIVE_INFINITY;
    // The cursor position after the last column differs between terminals.
    const lines = fitting(text.split('\n'), this.#sink.rows).map((line) => truncate(line, columns - 1));
    const painted = lines.join('\n');
    const isSame = painted === this.#shown && this.#heightOf(columns) === lines.length;
    if (isSame) return;
    const start = this.#isHidden ? '' : hideCursor;
    this.#isHidden = true;
    const home = this.#widths.length === 0 ? '' : `\r${up(this.#heightOf(columns) - 1)}`;
    this.#sink.write(`${start}${home}${lines.map((line) => `${line}${clearToEndOfLine}`).join('\n')}${clearBelow}`);
    this.#shown = painted;
    this.#widths = lines.map(displayWidth);
  }

  #erase(): void {
    if (this.#widths.length === 0) return;
    this.#sink.write(`\r${up(this.#heightOf(this.#sink.columns ?? Number.POSITIVE_INFINITY) - 1)}${clearBelow}`);
    this.#widths = [];
    this.#shown = '';
  }

  /** A line may wrap into several after the terminal became narrower. */
  #heightOf(columns: number): number {
    return this.#widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
  }

  #end(): void {
    if (this.#isHidden) this.#sink.write(showCursor);
    this.#isHidden = false;
    this.#isClosed = true;
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

/** Lines that scroll away cannot be repainted. */
function fitting(lines: readonly string[], rows: number | undefined): readonly string[] {
  const max = Math.max(1, (rows ?? Number.POSITIVE_INFINITY) - 1);
  if (lines.length <= max) return lines;
  if (max === 1) return lines.slice(0, 1);
  const hidden = lines.length - (max - 1);
  return [...lines.slice(0, max - 1), `… ${hidden} more lines`];
}
