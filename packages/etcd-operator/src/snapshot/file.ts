/** A file as a stream of large chunks, read at positions: a handle can be read by several. */
import type { FileHandle } from 'node:fs/promises';

const chunkBytes = 256 * 1024;

/** Every chunk has a buffer of its own. The handle stays open. */
export async function* readFile(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafeSlow(chunkBytes), 0, chunkBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
