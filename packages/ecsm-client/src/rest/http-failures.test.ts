/** What servers and networks do to a client on real sockets of loopback, and what it makes of that. */
import { createServer as createTcpServer, type Socket } from 'node:net';
import { ApiError, isApiError } from '@ecsm/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { cleanUp, get, httpServer, listen, open, rawServer, send, settleTimeMs, wait } from './loopback.kit.ts';
import { rejection } from './scripted-transport.kit.ts';

afterEach(cleanUp);

describe('a failing connection', () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n';
  const cases: readonly [what: string, response: (socket: Socket) => void, code: string, words: string][] = [
    [
      'closed without a response',
      (socket) => socket.end(),
      'Unavailable',
      'the connection was closed before a response',
    ],
    ['reset', (socket) => socket.resetAndDestroy(), 'Unavailable', 'closed before a response (ECONNRESET)'],
    ['cut in the head', (socket) => socket.end('HTTP/1.1 200 OK\r\nconte'), 'Unavailable', 'closed before a response'],
    ['cut in the body', (socket) => socket.end(`${head}only this`), 'BadAnswer', 'the connection was closed after'],
    [
      'cut in a chunk',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab'),
      'BadAnswer',
      'the connection was closed after',
    ],
    [
      'no HTTP',
      (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
      'BadAnswer',
      'it is not HTTP (HPE_INVALID_CONSTANT)',
    ],
    [
      'a bad length',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n'),
      'BadAnswer',
      'it is not HTTP',
    ],
    [
      'two lengths',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
      'BadAnswer',
      'it is not HTTP',
    ],
    [
      'endless headers',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(10_000)}\r\n`),
      'BadAnswer',
      'it is not HTTP',
    ],
    [
      'a bad chunk',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'),
      'BadAnswer',
      '',
    ],
    [
      'another protocol',
      (socket) => socket.end('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      'Unavailable',
      'closed',
    ],
    [
      'too long, and says so',
      (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000001\r\n\r\n'),
      'TooLarge',
      'is 1000001 bytes, over the limit of 1000000',
    ],
    [
      'too long, chunk by chunk',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(1_000_001)}`),
      'TooLarge',
      'over the limit of 1000000',
    ],
  ];

  it.each(cases)('(%s) is described in the error', async (_, response, code, words) => {
    const url = await rawServer(response);
    const error = await rejection(send(open({ url })).response);
    expect(isApiError(error) && [error.code, error.message]).toEqual([code, expect.stringContaining(words)]);
    expect(String(error)).toContain(code === 'Unavailable' ? url : 'GET /api/v1/service');
  });

  it('counts the transferred bytes', async () => {
    const { response, meter } = send(open({ url: await rawServer((socket) => socket.end(`${head}only this`)) }));
    await rejection(response);
    expect(meter.bytesUp).toBeGreaterThan(50);
    expect(meter.bytesDown).toBe(head.length + 'only this'.length);
  });

  it('is Unavailable if the connection is refused, and counts no bytes', async () => {
    const { url, server } = await httpServer(() => {});
    server.close();
    const refused = send(open({ url }));
    const error = await rejection(refused.response);
    expect(isApiError(error, 'Unavailable') && error.message).toBe(
      `${url} is unavailable: connection refused (ECONNREFUSED)`,
    );
    expect(refused.meter).toEqual({ bytesUp: 0, bytesDown: 0 });
  });

  it('names a reused connection, and does not repeat the request', async () => {
    let requests = 0;
    const server = createTcpServer((socket) => {
      socket.on('data', () => {
        if (++requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
        else socket.destroy();
      });
    });
    const transport = open({ url: `http://127.0.0.1:${await listen(server)}` });
    await send(transport).response;
    await wait(1);
    const error = await rejection(send(transport, { method: 'POST', target: '/x', headers: {} }).response);
    expect(isApiError(error, 'Unavailable') && error.message).toContain('on a reused connection');
    await wait(settleTimeMs);
    expect(requests).toBe(2);
  });

  it('times out if no connection is established', async () => {
    const connects: (() => void)[] = [];
    const clock = {
      now: () => 0,
      monotonicMs: () => 0,
      after: (_: number, callback: () => void) => {
        connects.push(callback);
        return () => {};
      },
    };
    const transport = open({ url: await rawServer(() => {}), connectTimeoutMs: 7, clock });
    const { response, meter } = send(transport);
    const failed = rejection(response);
    // The timer is set as soon as the request has its socket, before that can have connected.
    await new Promise<void>((resolve) => process.nextTick(() => process.nextTick(resolve)));
    for (const ring of connects) ring();
    const error = await failed;
    expect(isApiError(error, 'Unavailable') && error.message).toContain('no connection within 7 ms');
    expect(meter).toEqual({ bytesUp: 0, bytesDown: 0 });
  });
});

describe('an abort', () => {
  it.each([
    ['before a response', ''],
    ['in the middle of one', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nslow'],
  ])('%s rejects with its reason and ends the connection', async (_, text) => {
    let closed: Promise<void> | undefined;
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const url = await rawServer((socket) => {
      closed = new Promise((resolve) => socket.once('close', () => resolve()));
      socket.write(text, () => asked());
    });
    const controller = new AbortController();
    const { response, meter } = send(open({ url }), get, controller.signal);
    const failed = rejection(response);
    await isAsked;
    await wait(settleTimeMs);
    const reason = new ApiError('Timeout', { what: 'x', timeoutMs: 1 });
    controller.abort(reason);
    // A layer above reads the meter as soon as the signal aborts.
    expect(meter.bytesDown).toBe(text.length);
    expect(meter.bytesUp).toBeGreaterThan(50);
    expect(await failed).toBe(reason);
    await closed;
  });

  it('before the request sends nothing, and while waiting for a connection frees its place', async () => {
    let requests = 0;
    const { url } = await httpServer(async (_request, response) => {
      requests++;
      await wait(settleTimeMs);
      response.end('x');
    });
    const transport = open({ url, connectionsMax: 1 });
    expect(await rejection(send(transport, get, AbortSignal.abort('why')).response)).toBe('why');
    const first = send(transport).response;
    const controller = new AbortController();
    const second = rejection(send(transport, get, controller.signal).response);
    const third = send(transport).response;
    controller.abort('later');
    expect(await second).toBe('later');
    expect([(await first).status, (await third).status, requests]).toEqual([200, 200, 2]);
  });
});
