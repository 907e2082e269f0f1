/** The values that workers write. The bytes follow from the writer and the number, so a reader can check all of them. */

/** Every so often a value does not fit into one page of the database. */
const largeEvery = 13;

export function encode(writer: string, number: number): Uint8Array {
  const size = number % largeEvery === 0 ? 9_000 : (number * 31) % 700;
  return new TextEncoder().encode(JSON.stringify({ writer, number, filler: 'x'.repeat(size) }));
}

/** The number of a value, -1 if the bytes are not what was written. */
export function numberIn(value: Uint8Array): number {
  const text = new TextDecoder().decode(value);
  try {
    const { writer, number } = JSON.parse(text);
    return new TextDecoder().decode(encode(writer, number)) === text ? number : -1;
  } catch {
    return -1;
  }
}
