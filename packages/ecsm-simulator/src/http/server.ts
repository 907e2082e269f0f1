/**
 * The HTTP server of the simulated platform. It applies the faults of the link to the socket: a lost call leaves its
 * connection open until the caller aborts, a slow response is sent in small chunks, a truncated one closes the
 * connection.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Request } from '../api/exchange.ts';
import { type LinkContext, type ReceivedResponse, SimulatedCall } from '../link/simulated-call.ts';
import { transfer } from '../link/transfer.ts';
import { cannotListen, checkAddress, hostAndPort, type ListenAddress } from './address.ts';
import { receiveBody } from './body.ts';

export interface ServeOptions extends LinkContext, ListenAddress {
  /** A larger body is rejected with HTTP 413, and the connection is closed. Default 80 MiB. */
  readonly bodyBytesMax?: number;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Closes all connections. */
  close(): Promise<void>;
}

const serverLimits = {
  bodyBytesMax: 80 * 1024 * 1024,
  connectionsMax: 2_048,
  headerBytesMax: 64 * 1024,
  /** From the first byte of a request to its last. */
  requestMsMax: 120_000,
  keepAliveMsMax: 60_000,
} as const;

/** Throws `Forbidden` for an address that other machines can reach, `Unavailable` if the port is in use. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { host = '127.0.0.1', port = 0, allowRemote = false } = options;
  checkAddress(host, port, allowRemote);
  const simulatedCalls = new Set<SimulatedCall>();
  const server = createServer(
    {
      maxHeaderSize: serverLimits.headerBytesMax,
      headersTimeout: serverLimits.requestMsMax,
      requestTimeout: serverLimits.requestMsMax,
      keepAliveTimeout: serverLimits.keepAliveMsMax,
    },
    (request, response) => void handle(options, simulatedCalls, request, response),
  );
  server.maxConnections = serverLimits.connectionsMax;
  server.on('clientError', (_error, socket) => refuse(socket));
  await new Promise<void>((resolve, reject) => {
    // The listener stays, so that a later error of accepting a connection does not end the process.
    server.on('error', (error) => reject(cannotListen(error, host, port)));
    server.listen({ host, port, exclusive: true }, () => resolve());
  });
  const listening = portOf(server);
  return {
    url: `http://${hostAndPort(host, listening)}`,
    port: listening,
    close: () => end(server, simulatedCalls),
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function end(server: Server, simulatedCalls: ReadonlySet<SimulatedCall>): Promise<void> {
  for (const simulatedCall of simulatedCalls) simulatedCall.cancel();
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function handle(
  options: ServeOptions,
  simulatedCalls: Set<SimulatedCall>,
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
  const simulatedCall = SimulatedCall.start(options, request, {
    sent: () => {},
    receive: (received) => {
      stopSending = send(options, response, received);
    },
  });
  simulatedCalls.add(simulatedCall);
  response.on('close', () => {
    simulatedCalls.delete(simulatedCall);
    simulatedCall.abandon();
    stopSending();
  });
}

/** Returns a function that stops sending. */
function send(
  { clock }: LinkContext,
  outgoing: ServerResponse,
  { response, bodyBytes, bytesPerSecond }: ReceivedResponse,
): () => void {
  const { status, headers, body } = response;
  // HTTP 304 has the length of the response that it stands for, or none.
  outgoing.writeHead(status, status === 304 ? headers : { ...headers, 'content-length': body.byteLength });
  const isWhole = bodyBytes === body.byteLength;
  if (isWhole && bytesPerSecond === 0) {
    outgoing.end(body);
    return () => {};
  }
  outgoing.flushHeaders();
  const finish = () => {
    if (isWhole) outgoing.end();
    // Flush before closing the connection.
    else outgoing.socket?.destroySoon();
  };
  if (bytesPerSecond === 0) {
    outgoing.write(body.subarray(0, bodyBytes));
    finish();
    return () => {};
  }
  return transfer({
    clock,
    bytes: bodyBytes,
    bytesPerSecond,
    moved: (from, to) => void outgoing.write(body.subarray(from, to)),
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

/** Rejects a request that is not HTTP. */
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
