/**
 * The CRC of the records of a database, page by page. Records that follow each other are taken together, and those of a page
 * whose CRC is known already are not read.
 */
import type { LeafSums } from './bolt/leaf-sums.ts';
import type { Page } from './bolt/page.ts';
import { crcShift, crcStart, crcUpdate } from './crc32c.ts';

const noBytes = Buffer.alloc(0);

export class RunningCrc {
  readonly #sums: LeafSums | undefined;
  #register = crcStart;
  /** What was added and not computed yet. */
  #bytes: Buffer = noBytes;
  #start = 0;
  #end = 0;

  constructor(sums: LeafSums | undefined) {
    this.#sums = sums;
  }

  /** The register after everything that was added. */
  get register(): number {
    this.#register = crcUpdate(this.#register, this.#bytes, this.#start, this.#end);
    this.#start = this.#end;
    return this.#register;
  }

  addText(text: string): void {
    const bytes = Buffer.from(text, 'utf8');
    this.#register = crcUpdate(this.register, bytes, 0, bytes.byteLength);
  }

  /** A part of a page, which has to be valid until `endPage`. */
  add(bytes: Buffer, start: number, end: number): void {
    if (start !== this.#end || bytes !== this.#bytes) {
      this.#register = this.register;
      [this.#bytes, this.#start] = [bytes, start];
    }
    this.#end = end;
  }

  /** All parts of the page were added. */
  endPage(page: Page): void {
    const sum = this.#sums?.of(page.id);
    const { start, end } = page.region ?? { start: 0, end: 0 };
    const isWhole = start < end && this.#bytes === page.bytes && this.#start === start && this.#end === end;
    if (sum === undefined || !isWhole) this.#register = this.register;
    else this.#register = crcShift(this.#register, end - start) ^ sum;
    [this.#bytes, this.#start, this.#end] = [noBytes, 0, 0];
  }
}
