/** The server against callers that behave badly. What it shares with a function call: transports.suite.ts. */
import { connect } from 'node:net';
import { isApiError, systemClock } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Request } from '../api/exchange.ts';
import { Link } from '../link/link.ts';
import { type RunningServer, type ServeOptions, serve } from './server.ts';

describe('a server', () => {
  let link: Link;
  let server: RunningServer;
  let seen: Request[];

  const options = (): ServeOptions => ({
    link,
    clock: systemClock,
    bodyBytesMax: 1_000,
    handler: (request) => {
      seen.push(request);
      return { status: 200, headers: {}, body: Buffer.from('fine') };
    },
  });

  beforeEach(async () => {
    seen = [];
    link = new Link({ random: new SeededRandom(1) });
    server = await serve(options());
  });
  afterEach(() => server.close());

  /** Writes bytes and returns everything that comes back until the connection ends. */
  const raw = (bytes: string | Uint8Array) =>
    new Promise<string>((resolve) => {
      let received = '';
      const socket = connect(server.port, '127.0.0.1', () => socket.write(bytes));
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1');
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(received));
    });

  it.each([
    ['no HTTP at all', 'hello there\r\n\r\n'],
    ['an impossible header', 'GET / HTTP/1.1\r\nbad header\r\n\r\n'],
    ['bytes', Buffer.from([0, 255, 1, 254, 13, 10, 13, 10])],
    ['a head without end', `GET / HTTP/1.1\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`],
  ])('answers 400 to %s, and goes on', async (_what, bytes) => {
    expect(await raw(bytes)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(seen).toEqual([]);
    expect(await (await fetch(`${server.url}/x`)).text()).toBe('fine');
  });

  it('refuses a body over the limit, announced or not', async () => {
    const announced = `POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: 2000\r\n\r\n`;
    expect(await raw(announced)).toMatch(/^HTTP\/1\.1 413 /);
    const chunk = `7d0\r\n${'x'.repeat(2_000)}\r\n0\r\n\r\n`;
    expect(await raw(`POST /x HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${chunk}`)).toMatch(
      /^HTTP\/1\.1 413 /,
    );
    expect(seen).toEqual([]);
  });

  it('does not execute a request whose caller disconnects before its end', async () => {
    await new Promise<void>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () => {
        socket.write('POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\n\r\nhalf of it', () => socket.destroy());
      });
      socket.on('close', () => resolve());
    });
    expect(await (await fetch(`${server.url}/y`)).text()).toBe('fine');
    expect(seen.map(({ target }) => target)).toEqual(['/y']);
  });

  it('uses one connection for several requests', async () => {
    const twice = 'GET /1 HTTP/1.1\r\nhost: x\r\n\r\nGET /2 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
    expect((await raw(twice)).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
    expect(seen.map(({ target }) => target)).toEqual(['/1', '/2']);
  });

  it('closes immediately, even with waiting callers', async () => {
    link.set({ requestsToLose: 1 });
    const lost = fetch(`${server.url}/lost`).catch(() => 'ended');
    await expect.poll(() => link.settings.requestsToLose).toBe(0);
    link.set({ latencyMs: 60_000 });
    const slow = fetch(`${server.url}/slow`).catch(() => 'ended');
    await pause(50);
    link.set({ latencyMs: 0, frozen: true });
    const held = fetch(`${server.url}/held`, { method: 'POST' }).catch(() => 'ended');
    await expect.poll(() => link.held).toBe(1);
    await server.close();
    expect(await Promise.all([lost, slow, held])).toEqual(['ended', 'ended', 'ended']);
    link.heal();
    await pause(50);
    expect(seen).toEqual([]);
  });

  it('reports a port that is in use', async () => {
    const error: unknown = await serve({ ...options(), port: server.port }).catch((thrown: unknown) => thrown);
    expect(isApiError(error, 'Unavailable') && error.message).toBe(
      `the address 127.0.0.1:${server.port} is unavailable: the port is in use; choose another port, or 0 for any free one`,
    );
  });

  it('listens on this machine only, unless configured otherwise', async () => {
    const error: unknown = await serve({ ...options(), host: '0.0.0.0' }).catch((thrown: unknown) => thrown);
    expect(isApiError(error, 'Forbidden') && error.message).toContain('does not listen on 0.0.0.0');
  });

  it.each([-1, 65_536, 1.5])('refuses port %d', async (port) => {
    const error: unknown = await serve({ ...options(), port }).catch((thrown: unknown) => thrown);
    expect(isApiError(error, 'BadRequest')).toBe(true);
  });
});

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
