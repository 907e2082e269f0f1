/**
 * One HTTP request up to the headers of its response, and the readers of the body. Ends with a response, an `ApiError` or
 * the reason of the signal.
 */
import type { ClientRequest, Agent as HttpAgent, IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ApiError, isApiError } from '@ecsm/runtime';
import { connectionError } from './connection-errors.ts';

interface Outgoing {
  /** `https://host:6443`, with an optional path prefix. */
  readonly server: string;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer | undefined;
  readonly agent: HttpAgent;
  readonly signal: AbortSignal;
}

export function exchange(outgoing: Outgoing): Promise<IncomingMessage> {
  const { server, signal, body } = outgoing;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = start(outgoing);
    const abort = () => {
      reject(signal.reason);
      request.destroy();
    };
    signal.addEventListener('abort', abort, { once: true });
    // Errors after the response are reported by its body.
    request.on('error', (error) => reject(signal.aborted ? signal.reason : connectionError(error, server)));
    request.on('close', () => {
      signal.removeEventListener('abort', abort);
      reject(connectionError(Object.assign(new Error('closed'), { code: 'ECONNRESET' }), server));
    });
    request.on('response', resolve);
    request.end(body);
  });
}

function start({ server, method, target, headers, body, agent }: Outgoing): ClientRequest {
  const url = new URL(server);
  const options = {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    ...(url.port === '' ? {} : { port: Number(url.port) }),
    path: `${url.pathname.replace(/\/$/, '')}${target}`,
    method,
    // Node.js would send the body of a DELETE without a length, and the server would ignore it.
    headers: { ...headers, ...(body || method !== 'GET' ? { 'content-length': String(body?.byteLength ?? 0) } : {}) },
    agent,
  };
  try {
    return url.protocol === 'https:' ? httpsRequest(options) : httpRequest(options);
  } catch (error) {
    // Its message can contain a header.
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new ApiError('BadRequest', {
      reason: `no request to ${server} is possible, check certificates and keys (${code})`,
    });
  }
}

interface BodyLimits {
  readonly what: string;
  readonly server: string;
  readonly limitBytes: number;
  readonly signal: AbortSignal;
}

/** The whole body, decompressed. Throws `TooLarge` beyond the limit, and `Unavailable` if it is incomplete. */
export async function readBody(response: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  const { limitBytes, server, what } = limits;
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of chunksOf(response, limits)) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > limitBytes) throw tooLarge(what, sizeBytes, limitBytes);
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (response.headers['content-encoding'] !== 'gzip') return body;
  try {
    return await promisify(gunzip)(body, { maxOutputLength: limitBytes });
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    if (isTooLarge) throw tooLarge(what, limitBytes + 1, limitBytes);
    throw new ApiError('Unavailable', { what: server, reason: 'the compressed response is damaged' }, error);
  }
}

const lineFeed = 0x0a;

/** The lines of an endless body. An incomplete line at the end is dropped. Throws like `readBody`. */
export async function* readLines(response: IncomingMessage, limits: BodyLimits): AsyncGenerator<string, void> {
  const { limitBytes, what } = limits;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunksOf(response, limits)) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      const line = Buffer.concat([...pending, chunk.subarray(start, end)]);
      if (line.byteLength > limitBytes) throw tooLarge(what, line.byteLength, limitBytes);
      pending = [];
      pendingBytes = 0;
      start = end + 1;
      if (line.byteLength > 0) yield line.toString();
    }
    const rest = chunk.subarray(start);
    pendingBytes += rest.byteLength;
    if (pendingBytes > limitBytes) throw tooLarge(what, pendingBytes, limitBytes);
    if (rest.byteLength > 0) pending.push(rest);
  }
}

/** Destroys the connection when the signal aborts or the consumer stops early. */
async function* chunksOf(response: IncomingMessage, { server, signal }: BodyLimits): AsyncGenerator<Buffer, void> {
  const abort = () => response.destroy();
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    for await (const chunk of response) yield chunk;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (isApiError(error) || !(error instanceof Error)) throw error;
    throw connectionError(error, server);
  } finally {
    signal.removeEventListener('abort', abort);
  }
  // A destroyed stream can end without an error.
  if (signal.aborted) throw signal.reason;
}

function tooLarge(what: string, sizeBytes: number, limitBytes: number): ApiError {
  return new ApiError('TooLarge', { what: `the response to ${what}`, sizeBytes, limitBytes });
}
