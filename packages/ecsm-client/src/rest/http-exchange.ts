/** One HTTP request and its whole response. Every outcome is settled in one place, exactly once. */
import { Buffer } from 'node:buffer';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { ApiError, type Clock } from '@ecsm/runtime';
import { bounded } from './bounded.ts';
import { messageOf, reasonCharactersMax } from './errors.ts';
import type { Address } from './http-address.ts';
import { badResponse, type ConnectionInfo, connectionError } from './http-errors.ts';
import { ByteCounter } from './http-meter.ts';
import { badRequest } from './options.ts';
import type { SendOptions, WireRequest, WireResponse } from './transport.ts';

interface Exchange extends SendOptions {
  /** Creates the request without ending it. */
  readonly start: () => ClientRequest;
  readonly request: WireRequest;
  readonly address: Address;
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
}

export async function exchange(options: Exchange): Promise<WireResponse> {
  options.signal.throwIfAborted();
  let outgoing: ClientRequest;
  try {
    outgoing = options.start();
  } catch (error) {
    // Node.js throws for an invalid request, certificate or key.
    throw badRequest(bounded(`the request cannot be sent: ${messageOf(error)}`, reasonCharactersMax), error);
  }
  return sendRequest(outgoing, options);
}

function sendRequest(outgoing: ClientRequest, options: Exchange): Promise<WireResponse> {
  const { request, address, signal, responseBytesMax, meter, queued, clock, connectTimeoutMs } = options;
  return new Promise((resolve, reject) => {
    const what = () => `${request.method} ${request.target.split('?', 1)[0]}`;
    const connection = (): ConnectionInfo => ({
      name: address.name,
      what: what(),
      isReused: outgoing.reusedSocket,
    });
    const counter = new ByteCounter(meter);
    let incoming: IncomingMessage | undefined;
    let cancelTimer = () => {};
    let isSettled = false;
    const settle = (finish: () => void) => {
      if (isSettled) return;
      isSettled = true;
      cancelTimer();
      stopWaiting();
      signal.removeEventListener('abort', abort);
      counter.finish();
      finish();
    };
    const fail = (error: unknown) =>
      settle(() => {
        reject(error);
        outgoing.destroy();
      });
    const abort = () => fail(signal.reason);
    let stopWaiting = () => {};
    const broken = (error?: Error) => {
      // A request that has ended is closed, too.
      if (isSettled) return;
      if (incoming)
        fail(badResponse(connection(), `the connection was closed after ${counter.bytesDown} bytes`, error));
      else
        fail(
          connectionError(error ?? Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }), connection()),
        );
    };

    signal.addEventListener('abort', abort, { once: true });
    outgoing.on('error', broken);
    // Some requests end without an error event, such as a response that switches protocols.
    outgoing.on('close', () => broken());
    // All connections may be in use.
    void queued?.(new Promise<void>((resolve) => (stopWaiting = resolve)));
    outgoing.on('socket', (socket) => {
      if (isSettled) return;
      stopWaiting();
      counter.follow(socket, address.isSecure ? 'secureConnect' : 'connect', () => cancelTimer());
      if (!socket.connecting) return;
      cancelTimer = clock.after(connectTimeoutMs, () => {
        const reason = `no connection within ${connectTimeoutMs} ms`;
        fail(new ApiError('Unavailable', { what: address.name, reason }));
      });
    });
    outgoing.on('response', (response) => {
      incoming = response;
      collect(response, responseBytesMax, what, (result) => {
        if (result instanceof ApiError) fail(result);
        else settle(() => resolve({ status: response.statusCode ?? 0, headers: plain(response), body: result }));
      });
      // An error event without a listener would end the process.
      response.on('error', broken);
    });
    outgoing.end(request.body === undefined ? undefined : asBuffer(request.body));
  });
}

/** Calls `done` with the whole body, or with `TooLarge`. */
function collect(
  response: IncomingMessage,
  limitBytes: number,
  what: () => string,
  done: (result: Uint8Array | ApiError) => void,
): void {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const tooLarge = (size: number) =>
    done(new ApiError('TooLarge', { what: `the response to ${what()}`, sizeBytes: size, limitBytes }));
  const announced = Number(response.headers['content-length'] ?? 0);
  if (announced > limitBytes) {
    tooLarge(announced);
    return;
  }
  response.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > limitBytes) tooLarge(sizeBytes);
    else chunks.push(chunk);
  });
  response.on('end', () => done(Buffer.concat(chunks)));
}

function plain({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const plainHeaders: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    plainHeaders[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  }
  return plainHeaders;
}

function asBuffer(bytes: Uint8Array): Buffer {
  if (bytes instanceof Buffer) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
