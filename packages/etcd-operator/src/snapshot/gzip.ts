/** Compression of a stream with gzip, fast rather than small: the data of a cluster compresses well at any level. */
import { constants, createGunzip, createGzip, type Gunzip, type Gzip } from 'node:zlib';
import { SnapshotError } from './error.ts';

const chunkSize = 256 * 1024;

export function compress(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  return through(source, createGzip({ level: constants.Z_BEST_SPEED, memLevel: 9, chunkSize }));
}

/** Throws `SnapshotError` if it is not gzip, damaged or cut. */
export async function* decompress(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* through(source, createGunzip({ chunkSize }));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (typeof code !== 'string' || !code.startsWith('Z_')) throw error;
    const [kind, problem] =
      code === 'Z_BUF_ERROR' ? (['Truncated', 'cut'] as const) : (['Corrupt', 'damaged'] as const);
    throw new SnapshotError(kind, `the compressed snapshot is ${problem}; fetch it again, or use another backup`);
  }
}

async function* through(source: AsyncIterable<Uint8Array>, stream: Gzip | Gunzip): AsyncGenerator<Uint8Array> {
  // A chunk that is damaged ends the stream, and is never reported as taken.
  const closed = new Promise<void>((resolve) => stream.once('close', resolve));
  const feed = async () => {
    try {
      for await (const chunk of source) {
        await Promise.race([written(stream, chunk), closed]);
        if (stream.destroyed) return;
      }
      stream.end();
    } catch (error) {
      stream.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const feeding = feed();
  try {
    for await (const chunk of stream) yield chunk;
  } finally {
    stream.destroy();
    await feeding;
  }
}

/** Resolves when the stream has taken the chunk, so that no more than one waits. */
function written(stream: Gzip | Gunzip, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => stream.write(chunk, (error) => (error ? reject(error) : resolve())));
}
