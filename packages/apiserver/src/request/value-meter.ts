/**
 * Counts the values of a JSON text while it arrives; other formats have limits of their own. Decoding, validation and the ownership of fields take time for each
 * of them, on the thread that answers all requests: a text with too many is refused before any of that.
 */

/**
 * Values in one body. An object of the largest size that can be stored, 1 MiB, has 21 bytes for each of them, which is less
 * than the name and value of a usual field.
 */
export const bodyValuesMax = 50_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;

export class ValueMeter {
  #values = 0;
  /** Undefined until the first character. */
  #isJson: boolean | undefined;
  #isInString = false;
  #isEscaped = false;

  /** The next part of the text. Returns false if there are too many values. */
  add(chunk: Uint8Array): boolean {
    this.#isJson ??= startsJson(chunk);
    if (this.#isJson === false) return true;
    for (const byte of chunk) {
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isInString = false;
      } else if (byte === QUOTE) this.#isInString = true;
      else if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) this.#values++;
    }
    return this.#values <= bodyValuesMax;
  }
}

/** Returns undefined if there is nothing but white space. */
function startsJson(chunk: Uint8Array): boolean | undefined {
  const first = chunk.find((byte) => byte > 0x20);
  return first === undefined ? undefined : first === OPEN_LIST || first === OPEN_OBJECT;
}
