/** Servers on loopback, good and bad ones, and a transport to them. */
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { systemClock } from '@ecsm/runtime';
import { type HttpTransportOptions, httpTransport } from './http-transport.ts';
import type { Meter, Transport, WireRequest } from './transport.ts';

const cleanups: (() => void | Promise<void>)[] = [];

/** Ends every server and connection of the test. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  };
  server.on('connection', track);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return (server.address() as AddressInfo).port;
}

/** A server that is only bytes: it answers the first request of each connection with the given bytes. */
export async function rawServer(response: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => socket.once('data', () => response(socket)));
  return `http://127.0.0.1:${await listen(server)}`;
}

export async function httpServer(
  handle: Parameters<typeof createHttpServer>[1],
): Promise<{ url: string; server: HttpServer }> {
  const server = createHttpServer(handle);
  return { url: `http://127.0.0.1:${await listen(server)}`, server };
}

export function open(options: HttpTransportOptions): Transport {
  const transport = httpTransport(options);
  cleanups.push(() => transport.close());
  return transport;
}

export const get: WireRequest = { method: 'GET', target: '/api/v1/service?pageNum=1', headers: {} };

export function send(
  transport: Transport,
  request = get,
  signal = AbortSignal.timeout(20_000),
  responseBytesMax = 1_000_000,
) {
  const meter: Meter = { bytesUp: 0, bytesDown: 0 };
  return { response: transport.send(request, { signal, responseBytesMax, meter }), meter };
}

/** Long enough for what is under way on loopback to arrive. */
export const settleTimeMs = 50;
export const wait = (ms: number) => new Promise<void>((resolve) => systemClock.after(ms, resolve));
