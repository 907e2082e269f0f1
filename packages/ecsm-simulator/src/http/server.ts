/**
 * The simulated platform on a socket. What the link does to a call happens for real: a lost one leaves its connection
 * open and silent until the caller gives up, a slow one trickles, one that is cut short ends in the middle.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Arrival, Journey, type Road } from '../link/journey.ts';
import type { Request } from '../link/message.ts';
import { transfer } from '../link/transfer.ts';
import { cannotListen, checkAddress, hostAndPort, type ListenAddress } from './address.ts';
import { receiveBody } from './body.ts';

export interface ServeOptions extends Road, ListenAddress {
  /** A longer body is answered with HTTP 413 and its connection closed. Default 80 MiB, room for an upload in one chunk. */
  readonly bodyBytesMax?: number;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Ends every connection, whatever it waits for. */
  close(): Promise<void>;
}

export const serverLimits = {
  bodyBytesMax: 80 * 1024 * 1024,
  connectionsMax: 2_048,
  headerBytesMax: 64 * 1024,
  /** From the first byte of a request to its last. */
  requestMsMax: 120_000,
  keepAliveMsMax: 60_000,
} as const;

/** Throws `Forbidden` for an address that others can reach, `Unavailable` if the port is taken. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { host = '127.0.0.1', port = 0, allowRemote = false } = options;
  checkAddress(host, port, allowRemote);
  const journeys = new Set<Journey>();
  const server = createServer(
    {
      maxHeaderSize: serverLimits.headerBytesMax,
      headersTimeout: serverLimits.requestMsMax,
      requestTimeout: serverLimits.requestMsMax,
      keepAliveTimeout: serverLimits.keepAliveMsMax,
    },
    (request, response) => void take(options, journeys, request, response),
  );
  server.maxConnections = serverLimits.connectionsMax;
  server.on('clientError', (_error, socket) => refuse(socket));
  await new Promise<void>((resolve, reject) => {
    // It stays: later on, a connection that could not be accepted is no reason to end the process.
    server.on('error', (error) => reject(cannotListen(error, host, port)));
    server.listen({ host, port, exclusive: true }, () => resolve());
  });
  const listening = portOf(server);
  return {
    url: `http://${hostAndPort(host, listening)}`,
    port: listening,
    close: () => end(server, journeys),
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function end(server: Server, journeys: ReadonlySet<Journey>): Promise<void> {
  for (const journey of journeys) journey.cancel();
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function take(
  options: ServeOptions,
  journeys: Set<Journey>,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { bodyBytesMax = serverLimits.bodyBytesMax } = options;
  const body = await receiveBody(incoming, bodyBytesMax);
  if (body === 'gone') return;
  if (body === 'too large') return tooLarge(response, bodyBytesMax);
  const request: Request = {
    method: incoming.method ?? 'GET',
    target: incoming.url ?? '/',
    headers: plainHeaders(incoming),
    body,
  };
  let stopSending = () => {};
  const journey = Journey.begin(options, request, {
    sent: () => {},
    receive: (arrival) => {
      stopSending = send(options, response, arrival);
    },
  });
  journeys.add(journey);
  response.on('close', () => {
    journeys.delete(journey);
    journey.abandon();
    stopSending();
  });
}

/** Returns how to stop, when there is nobody left to send to. */
function send({ clock }: Road, response: ServerResponse, { answer, bodyBytes, bytesPerSecond }: Arrival): () => void {
  const { status, headers, body } = answer;
  response.writeHead(status, { ...headers, 'content-length': body.byteLength });
  const isWhole = bodyBytes === body.byteLength;
  if (isWhole && bytesPerSecond === 0) {
    response.end(body);
    return () => {};
  }
  response.flushHeaders();
  const finish = () => {
    if (isWhole) response.end();
    // What was written goes out before the connection breaks.
    else response.socket?.destroySoon();
  };
  if (bytesPerSecond === 0) {
    response.write(body.subarray(0, bodyBytes));
    finish();
    return () => {};
  }
  return transfer({
    clock,
    bytes: bodyBytes,
    bytesPerSecond,
    moved: (from, to) => void response.write(body.subarray(from, to)),
    done: finish,
  });
}

function tooLarge(response: ServerResponse, limitBytes: number): void {
  const text = `the body is over the limit of ${limitBytes} bytes\n`;
  response.writeHead(413, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(text, () => response.destroy());
}

interface Connection {
  readonly writable: boolean;
  destroy(): unknown;
  end(text: string, done: () => void): unknown;
}

/** What came is not HTTP. */
function refuse(socket: Connection): void {
  if (!socket.writable) return void socket.destroy();
  socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n', () => socket.destroy());
}

function plainHeaders({ headers }: IncomingMessage): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return plain;
}
