/**
 * Compressed responses: a transport that accepts gzip, and decompresses what it receives. If the platform does not
 * compress a large response, or sends one that is damaged, gzip is not requested for an hour: the header costs bytes too.
 */
import { gunzipSync } from 'node:zlib';
import { ApiError, type Clock, systemClock } from '@ecsm/runtime';
import { bounded } from './bounded.ts';
import { messageOf, reasonCharactersMax } from './errors.ts';
import type { SendOptions, Transport, WireRequest, WireResponse } from './transport.ts';

/** Servers do not compress small responses, so only a larger one shows that they compress none. */
const expectedBytesMin = 4_096;
/** How long gzip is not requested after it was not offered. */
export const notOfferedMs = 3_600_000;

/** The meter counts compressed bytes; `responseBytesMax` limits both sizes. */
export function compressedTransport(transport: Transport, clock: Clock = systemClock): Transport {
  let requestFromMs = Number.NEGATIVE_INFINITY;
  const forget = () => {
    requestFromMs = clock.monotonicMs() + notOfferedMs;
  };
  return {
    async send(request, options) {
      const isRequested = request.method === 'GET' && clock.monotonicMs() >= requestFromMs;
      if (!isRequested) return transport.send(request, options);
      const headers = { ...request.headers, 'accept-encoding': 'gzip' };
      const response = await transport.send({ ...request, headers }, options);
      if (response.headers['content-encoding'] !== 'gzip') {
        if (response.status === 200 && response.body.byteLength >= expectedBytesMin) forget();
        return response;
      }
      try {
        return decompressed(request, response, options);
      } catch (error) {
        forget();
        throw error;
      }
    },
    close: () => transport.close(),
  };
}

/** Throws `TooLarge` before more than the limit is decompressed, and `BadAnswer` for damaged data. */
function decompressed(request: WireRequest, response: WireResponse, { responseBytesMax }: SendOptions): WireResponse {
  const { 'content-encoding': _encoding, 'content-length': _length, ...headers } = response.headers;
  const what = `${request.method} ${request.target.split('?', 1)[0]}`;
  if (response.body.byteLength === 0) return { ...response, headers };
  try {
    // Synchronous: a response is decompressed in milliseconds, and the order of events does not depend on a thread.
    return { ...response, headers, body: gunzipSync(response.body, { maxOutputLength: responseBytesMax }) };
  } catch (error) {
    if (isOverLimit(error)) {
      const sizeBytes = responseBytesMax + 1;
      throw new ApiError('TooLarge', { what: `the response to ${what}`, sizeBytes, limitBytes: responseBytesMax });
    }
    const reason = bounded(`the compressed body is damaged: ${messageOf(error)}`, reasonCharactersMax);
    throw new ApiError('BadAnswer', { what, reason }, error);
  }
}

function isOverLimit(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}
