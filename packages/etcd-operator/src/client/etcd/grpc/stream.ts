/** One gRPC call over HTTP/2: a message is sent, and the bytes of the answer arrive. */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';
import type { EtcdCredentials, EtcdEndpoint } from '../contract.ts';
import { EtcdError } from '../error.ts';
import { connectionFailure, reportedFailure } from '../gateway/failure.ts';

/** A flag for compression, and the length of the message. */
export const prefixBytes = 5;

/** What a refusal of a connection that etcd has accepted means. */
const userAdvice =
  'authentication is enabled, so the common name of the certificate has to be a user of etcd with the role root';

interface GrpcCall {
  readonly endpoint: EtcdEndpoint;
  readonly credentials: EtcdCredentials | undefined;
  /** Such as `/etcdserverpb.Maintenance/Status`. */
  readonly path: string;
  readonly message: Buffer;
  /** Whether a member without a leader refuses at once. */
  readonly isLed: boolean;
  /** How much etcd may send before it is read. */
  readonly windowBytes: number;
  /** It stays open after the call. Default: a connection of its own, which is closed with it. */
  readonly session?: ClientHttp2Session | undefined;
}

interface GrpcEvents {
  onData(piece: Buffer): void;
  /** The answer is complete: with success, or with a refusal of etcd. */
  onEnd(refusal: EtcdError | undefined): void;
  /** Can be called more than once, and after the end: the first call tells the cause. */
  onFailure(error: EtcdError): void;
}

/** A failure that no call in flight reports is not reported: the next call fails. */
export function openSession(
  { host, address, port }: EtcdEndpoint,
  credentials: EtcdCredentials | undefined,
  windowBytes: number,
): ClientHttp2Session {
  const dialled = address.includes(':') ? `[${address}]` : address;
  const session = connect(`${credentials ? 'https' : 'http'}://${dialled}:${port}`, {
    settings: { initialWindowSize: windowBytes, enablePush: false },
    ...(credentials ? { ...credentials, servername: host } : {}),
  });
  session.on('connect', () => {
    if (!session.destroyed) session.setLocalWindowSize(windowBytes);
  });
  session.on('error', () => {});
  return session;
}

export class GrpcStream {
  readonly #stream: ClientHttp2Stream;
  readonly #release: () => void;

  constructor(
    { endpoint, credentials, path, message, isLed, windowBytes, session: shared }: GrpcCall,
    events: GrpcEvents,
  ) {
    const { host, port } = endpoint;
    const what = describeEndpoint(endpoint);
    const session = shared ?? openSession(endpoint, credentials, windowBytes);
    const onError = (error: Error) => events.onFailure(connectionFailure(error, what));
    const onGoaway = () => events.onFailure(unavailable(what, 'it closed the connection'));
    session.on('error', onError).on('goaway', onGoaway);
    this.#release = () => {
      if (!shared) return session.destroy();
      session.off('error', onError).off('goaway', onGoaway);
    };
    this.#stream = session.request({
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
    this.#release();
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
