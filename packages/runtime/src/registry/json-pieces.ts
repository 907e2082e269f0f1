/** Copies the JSON of many objects into a few large buffers, with commas between them. */
import type { EncodedObject } from './codec.ts';

const pieceBytes = 256 * 1024;
/** Most lists are short. */
const firstPieceBytes = 16 * 1024;
/** Of a character of a string. */
const bytesPerCharacterMax = 3;

export class JsonPieces {
  readonly #full: Uint8Array[] = [];
  #piece = Buffer.allocUnsafe(firstPieceBytes);
  #usedBytes = 0;
  #isFirst = true;

  add({ head, rest }: EncodedObject): void {
    const sizeBytes = 1 + head.length * bytesPerCharacterMax + rest.byteLength;
    if (sizeBytes > this.#piece.byteLength - this.#usedBytes) this.#next(sizeBytes);
    if (!this.#isFirst) this.#piece[this.#usedBytes++] = comma;
    this.#isFirst = false;
    this.#usedBytes += this.#piece.write(head, this.#usedBytes);
    this.#piece.set(rest, this.#usedBytes);
    this.#usedBytes += rest.byteLength;
  }

  finish(): readonly Uint8Array[] {
    return this.#usedBytes > 0 ? [...this.#full, this.#piece.subarray(0, this.#usedBytes)] : this.#full;
  }

  #next(sizeBytes: number): void {
    if (this.#usedBytes > 0) this.#full.push(this.#piece.subarray(0, this.#usedBytes));
    this.#piece = Buffer.allocUnsafe(Math.max(pieceBytes, sizeBytes));
    this.#usedBytes = 0;
  }
}

const comma = 0x2c;
