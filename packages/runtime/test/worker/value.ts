/** The values that workers write. The bytes follow from the writer and the number, so a reader can check all of them. */

/** Every so often a value does not fit into one page of the database, or takes many of them. */
function sizeOf(number: number): number {
  if (number % 29 === 0) return 100_000;
  return number % 13 === 0 ? 9_000 : (number * 31) % 700;
}

export function encode(writer: string, number: number): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ writer, number, filler: 'x'.repeat(sizeOf(number)) }));
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
