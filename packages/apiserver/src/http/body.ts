/** Reads the body of a request, up to a limit. */
import type { IncomingMessage } from 'node:http';
import { bodyValuesMax, ValueMeter } from '../request/value-meter.ts';
import { HttpError, tooLarge } from '../response/http-error.ts';

/** A body up to this size is not metered: it has fewer values than are allowed. */
const unmeteredBytesMax = bodyValuesMax;

/** Throws 413 beyond the limits of bytes and values, and 400 if the client disconnects before the end: that is no defect of the server. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bytesMax) throw tooLarge(`limit is ${bytesMax}`);
  // It emits no further event.
  if (request.destroyed) throw endedEarly();
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const meter = new ValueMeter();
  let metered = 0;
  // Events, not an async iterator: that costs as much as the rest of a small request.
  await new Promise<void>((resolve, reject) => {
    const settle = (error?: HttpError) => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      if (error === undefined) resolve();
      else reject(error);
    };
    const refuse = (limit: string) => {
      // The request is not destroyed: the connection is still needed for the response.
      request.pause();
      settle(tooLarge(`limit is ${limit}`));
    };
    const onData = (chunk: Buffer) => {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > bytesMax) return refuse(`${bytesMax}`);
      chunks.push(chunk);
      if (sizeBytes <= unmeteredBytesMax) return;
      for (; metered < chunks.length; metered++) {
        if (!meter.add(chunks[metered] ?? chunk)) return refuse(`${bodyValuesMax} values`);
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
