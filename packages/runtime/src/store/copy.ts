/** A copy that does not share memory with the original. `slice` of a Buffer would share it. */
export function copyOf(bytes: Uint8Array): Uint8Array {
  return Buffer.isBuffer(bytes) ? Buffer.from(bytes) : bytes.slice();
}
