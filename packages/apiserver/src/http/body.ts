/** Reads the body of a request, up to a limit. */
import type { IncomingMessage } from 'node:http';
import { HttpError, tooLarge } from '../response/http-error.ts';

/** Throws 413 beyond the limit, and 400 if the client disconnects before the end: that is no defect of the server. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bytesMax) throw tooLarge(`limit is ${bytesMax}`);
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    // The request is not destroyed: the connection is still needed for the response.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(chunk)) continue;
      sizeBytes += chunk.byteLength;
      if (sizeBytes > bytesMax) throw tooLarge(`limit is ${bytesMax}`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw new HttpError(400, 'BadRequest', 'the body of the request ended early');
  }
  const [only, ...others] = chunks;
  return only !== undefined && others.length === 0 ? only : Buffer.concat(chunks);
}
