/** An HTTPS server on loopback that answers as a script says, in bytes as kube-apiserver 1.34 sends them. */
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { type Clock, silentLog, systemRandom } from '@ecsm/runtime';
import { fasterClock } from '@ecsm/runtime/testing';
import { authority, serverCertificate, serverKey } from '../config/certificates.kit.ts';
import type { Connection } from '../config/connection.ts';
import { fixedCredentials } from '../config/credentials.ts';
import { RestClient, type RestOptions } from './client.ts';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Called for each request, with its number from 1. */
export type Script = (received: Received, response: ServerResponse, count: number) => void;

interface ScriptedServer {
  readonly url: string;
  readonly received: Received[];
}

const cleanups: (() => void | Promise<void>)[] = [];

export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

export async function scriptedServer(script: Script, options: ServerOptions = {}): Promise<ScriptedServer> {
  const received: Received[] = [];
  const server = createServer({ cert: serverCertificate, key: serverKey, ...options }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'https://host');
      const one = {
        method: request.method ?? '',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      received.push(one);
      script(one, response, received.length);
    });
  });
  return { url: `https://127.0.0.1:${await listen(server)}`, received };
}

/** A server without TLS that writes bytes. */
export async function plainServer(onConnection: (socket: Socket) => void): Promise<string> {
  return `https://127.0.0.1:${await listen(createTcpServer(onConnection))}`;
}

/** A server without TLS, such as kubectl proxy. */
export async function httpServer(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createHttpServer(listener))}`;
}

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return (server.address() as AddressInfo).port;
}

export interface ClientOptions extends Partial<RestOptions>, Partial<Pick<Connection, 'trust' | 'credentials'>> {}

/** A client whose delays are a hundred times shorter than they say. */
export function clientOf(url: string, options: ClientOptions = {}): RestClient {
  const { trust = { ca: authority, isInsecure: false }, ...rest } = options;
  const credentials = options.credentials ?? fixedCredentials({ headers: { authorization: 'Bearer secret-token' } });
  const client = new RestClient({
    connection: { server: url, name: 'context "test"', namespace: 'default', trust, credentials },
    clock: fastClock,
    random: systemRandom,
    log: silentLog,
    // Forty seconds, so that a busy machine causes no failure.
    timeoutMs: 4_000_000,
    ...rest,
  });
  cleanups.push(() => client.close());
  return client;
}

export const fastClock: Clock = fasterClock(100);

export function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = typeof body === 'string' ? body : `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    'audit-id': '0f8e',
    'cache-control': 'no-cache, private',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  });
  response.end(text);
}

/** A Status in the order of fields that the server has. */
export function statusBody(code: number, reason: string, message: string, details?: object): object {
  const head = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message };
  return { ...head, ...(reason === '' ? {} : { reason }), ...(details && { details }), code };
}
