/** Streams for tests. */
export async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of source) parts.push(chunk);
  return Buffer.concat(parts);
}

/** In pieces of a size. */
export async function* pieces(bytes: Uint8Array, sizeBytes = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += sizeBytes) yield bytes.subarray(at, at + sizeBytes);
}

export async function* failing(bytes: Uint8Array, error: Error): AsyncGenerator<Uint8Array> {
  yield bytes;
  throw error;
}
