/** Reads the body of a request, up to a limit. */
import type { IncomingMessage } from 'node:http';
import { tooLarge } from '../response/http-error.ts';

export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bytesMax) throw tooLarge(`limit is ${bytesMax}`);
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    sizeBytes += chunk.byteLength;
    if (sizeBytes > bytesMax) throw tooLarge(`limit is ${bytesMax}`);
    chunks.push(chunk);
  }
  const [only, ...others] = chunks;
  return only !== undefined && others.length === 0 ? only : Buffer.concat(chunks);
}
