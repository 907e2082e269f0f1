/** One gRPC call on a connection of its own, over HTTP/2: a message is sent, and the bytes of the answer arrive. */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';
import type { EtcdCredentials, EtcdEndpoint } from '../contract.ts';
import { EtcdError } from '../error.ts';
import { connectionFailure, reportedFailure } from '../gateway/failure.ts';

/** A flag for compression, and the length of the message. */
export const prefixBytes = 5;

/** What a refusal of a connection that etcd has accepted means. */
const userAdvice =
  'authentication is enabled, so the common name of the certificate has to be a user of etcd with the role root';

export interface GrpcCall {
  readonly endpoint: EtcdEndpoint;
  readonly credentials: EtcdCredentials | undefined;
  /** Such as `/etcdserverpb.Maintenance/Status`. */
  readonly path: string;
  readonly message: Buffer;
  /** Whether a member without a leader refuses at once. */
  readonly isLed: boolean;
  /** How much etcd may send before it is read. */
  readonly windowBytes: number;
}

export interface GrpcEvents {
  onData(piece: Buffer): void;
  /** The answer is complete: with success, or with a refusal of etcd. */
  onEnd(refusal: EtcdError | undefined): void;
  /** Can be called more than once, and after the end: the first call tells the cause. */
  onFailure(error: EtcdError): void;
}

export class GrpcStream {
  readonly #session: ClientHttp2Session;
  readonly #stream: ClientHttp2Stream;

  constructor({ endpoint, credentials, path, message, isLed, windowBytes }: GrpcCall, events: GrpcEvents) {
    const { host, address, port } = endpoint;
    const what = describeEndpoint(endpoint);
    const dialled = address.includes(':') ? `[${address}]` : address;
    this.#session = connect(`${credentials ? 'https' : 'http'}://${dialled}:${port}`, {
      settings: { initialWindowSize: windowBytes, enablePush: false },
      ...(credentials ? { ...credentials, servername: host } : {}),
    });
    this.#session.on('connect', () => {
      if (!this.#session.destroyed) this.#session.setLocalWindowSize(windowBytes);
    });
    this.#session.on('error', (error: Error) => events.onFailure(connectionFailure(error, what)));
    this.#session.on('goaway', () => events.onFailure(unavailable(what, 'it closed the connection')));
    this.#stream = this.#session.request({
      ':method': 'POST',
      ':path': path,
      ':authority': `${host}:${port}`,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...(isLed ? { hasleader: 'true' } : {}),
    });
    let headers: IncomingHttpHeaders = {};
    this.#stream.on('response', (received) => {
      headers = received;
    });
    this.#stream.on('trailers', (trailers) => {
      headers = { ...headers, ...trailers };
    });
    // Of a stream that is canceled because its connection failed, the cause is the failure of the connection.
    this.#stream.on('error', (error: Error) => events.onFailure(connectionFailure(causeOf(error), what)));
    this.#stream.on('data', (piece: Buffer) => events.onData(piece));
    this.#stream.on('end', () => events.onEnd(refusalIn(headers, what)));
    this.#stream.on('close', () => events.onFailure(unavailable(what, 'it closed the stream early')));
    const prefix = Buffer.alloc(prefixBytes);
    prefix.writeUInt32BE(message.byteLength, 1);
    this.#stream.end(Buffer.concat([prefix, message]));
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  close(): void {
    this.#stream.destroy();
    this.#session.destroy();
  }
}

export function describeEndpoint({ host, address, port }: EtcdEndpoint): string {
  return `etcd at ${host} (${address}:${port})`;
}

function unavailable(what: string, problem: string): EtcdError {
  return new EtcdError('Unavailable', `${what}: ${problem}`);
}

function causeOf(error: Error): Error {
  return error.cause instanceof Error ? error.cause : error;
}

/** Undefined if etcd reported success. */
function refusalIn(headers: IncomingHttpHeaders, what: string): EtcdError | undefined {
  const status = headers['grpc-status'];
  if (status === '0') return undefined;
  if (typeof status !== 'string') {
    const http = headers[':status'] ?? 200;
    return unavailable(what, `the answer ended early${http === 200 ? '' : `: HTTP status ${http}`}`);
  }
  const message = headers['grpc-message'];
  const text = typeof message === 'string' ? decoded(message) : `gRPC status ${status}`;
  const failure = reportedFailure(text, Number(status));
  return failure.code === 'Denied' ? new EtcdError('Denied', `${what}: ${text}; ${userAdvice}`) : failure;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
