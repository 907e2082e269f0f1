/** Streams for tests. */
export async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of source) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts);
}

/** In pieces of a size, whose memory is used again. */
export async function* pieces(bytes: Uint8Array, sizeBytes = 64 * 1024): AsyncGenerator<Uint8Array> {
  const piece = Buffer.alloc(Math.min(sizeBytes, bytes.byteLength));
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.byteLength; at += sizeBytes) {
    yield piece.subarray(0, all.copy(piece, 0, at, at + sizeBytes));
    piece.fill(0xee);
  }
}

export async function* failing(bytes: Uint8Array, error: Error): AsyncGenerator<Uint8Array> {
  yield bytes;
  throw error;
}
