/** Reads the body of a request, up to a limit. */
import type { IncomingMessage } from 'node:http';
import { HttpError, tooLarge } from '../response/http-error.ts';

/** Throws 413 beyond the limit, and 400 if the client disconnects before the end: that is no defect of the server. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bytesMax) throw tooLarge(`limit is ${bytesMax}`);
  // It emits no further event.
  if (request.destroyed) throw endedEarly();
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  // Events, not an async iterator: that costs as much as the rest of a small request.
  await new Promise<void>((resolve, reject) => {
    const settle = (error?: HttpError) => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onData = (chunk: Buffer) => {
      sizeBytes += chunk.byteLength;
      if (sizeBytes <= bytesMax) chunks.push(chunk);
      else {
        // The request is not destroyed: the connection is still needed for the response.
        request.pause();
        settle(tooLarge(`limit is ${bytesMax}`));
      }
    };
    const onEnd = () => settle();
    const onClose = () => settle(endedEarly());
    // A connection that fails is closed next. Without a listener, its error would end the process.
    request
      .on('data', onData)
      .on('end', onEnd)
      .on('close', onClose)
      .once('error', () => {});
  });
  const [only, ...others] = chunks;
  return only !== undefined && others.length === 0 ? only : Buffer.concat(chunks);
}

function endedEarly(): HttpError {
  return new HttpError(400, 'BadRequest', 'the body of the request ended early');
}
