/** The link on real sockets of loopback, where all goes well, and the options that it refuses. */
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { isApiError, shape } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { certificate, certificateKey } from './certificate.kit.ts';
import { RestClient } from './client.ts';
import { type HttpTransportOptions, httpTransport } from './http-transport.ts';
import { cleanUp, get, httpServer, listen, open, rawServer, send, settleTimeMs, wait } from './loopback.kit.ts';
import { rejection } from './scripted-transport.kit.ts';

afterEach(cleanUp);

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

describe('a request over HTTP', () => {
  it('is sent unchanged with the prefix of the URL, and returns the response', async () => {
    const seen: unknown[] = [];
    const { url } = await httpServer(async (request, response) => {
      seen.push([request.method, request.url, request.headers, await read(request)]);
      response.writeHead(207, { 'X-Name': 'a', 'Set-Cookie': ['a=1', 'b=2'] }).end('hällo');
    });
    const transport = open({ url: `${url}/ecsm/` });
    const body = new TextEncoder().encode('{"a":1}');
    const put = {
      method: 'PUT',
      target: '/api/v1/x?a=b',
      headers: { 'content-type': 'application/json' },
      body,
    } as const;
    const response = await send(transport, put).response;
    expect([response.status, new TextDecoder().decode(response.body)]).toEqual([207, 'hällo']);
    expect(response.headers).toMatchObject({ 'x-name': 'a', 'set-cookie': 'a=1, b=2' });
    await send(transport, { method: 'DELETE', target: '/x', headers: {} }).response;
    await send(transport).response;
    const host = url.slice('http://'.length);
    expect(seen).toEqual([
      [
        'PUT',
        '/ecsm/api/v1/x?a=b',
        { host, connection: 'keep-alive', 'content-type': 'application/json', 'content-length': '7' },
        '{"a":1}',
      ],
      ['DELETE', '/ecsm/x', { host, connection: 'keep-alive', 'content-length': '0' }, ''],
      ['GET', '/ecsm/api/v1/service?pageNum=1', { host, connection: 'keep-alive' }, ''],
    ]);
  });

  it('has its whole timeout when it gets a connection, however long it waits for one', async () => {
    const clock = new VirtualClock();
    const held: (() => void)[] = [];
    const { url } = await httpServer((_, response) => {
      held.push(() => response.end('{"status":200,"message":"success","data":1,"fieldErrors":null}'));
    });
    const transport = open({ url, connectionsMax: 1 });
    const client = new RestClient({ transport, clock, timeoutMs: 1_000, deadlineMs: 60_000, attemptsMax: 1 });
    const read = () => client.get().resource('x').do(shape.anything());
    const first = read();
    await expect.poll(() => held.length).toBe(1);
    const second = read();
    await wait(settleTimeMs);
    await clock.advance(900);
    held[0]?.();
    await first;
    await expect.poll(() => held.length).toBe(2);
    await clock.advance(900);
    held[1]?.();
    expect(await second).toBe(1);
  });

  it('reuses a connection, and counts the bytes of each request separately', async () => {
    const sockets = new Set<Socket>();
    const requestTexts: string[] = [];
    const answerText = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello';
    const server = createTcpServer((socket) => {
      sockets.add(socket);
      socket.on('data', (bytes) => {
        requestTexts.push(bytes.toString());
        socket.write(answerText);
      });
    });
    const transport = open({ url: `http://127.0.0.1:${await listen(server)}` });
    for (let count = 0; count < 5; count++) {
      const { response, meter } = send(transport, { ...get, target: `/${'x'.repeat(count * 10)}` });
      await response;
      expect(meter).toEqual({ bytesUp: requestTexts[count]?.length, bytesDown: answerText.length });
      await wait(1);
    }
    expect(sockets.size).toBe(1);
  });

  it('waits for a free connection', async () => {
    let underWay = 0;
    let most = 0;
    const { url, server } = await httpServer(async (_request, response) => {
      most = Math.max(most, ++underWay);
      await wait(5);
      underWay--;
      response.end('x');
    });
    let connections = 0;
    server.on('connection', () => connections++);
    const transport = open({ url, connectionsMax: 3 });
    await Promise.all(Array.from({ length: 20 }, () => send(transport).response));
    expect([most, connections]).toEqual([3, 3]);
  });

  it('reaches an IPv6 host', async () => {
    const server = createHttpServer((request, response) => response.end(request.headers.host));
    const port = await listen(server, '::1');
    const { body } = await send(open({ url: `http://[::1]:${port}` })).response;
    expect(new TextDecoder().decode(body)).toBe(`[::1]:${port}`);
  });

  it('closes idle connections, and the others after their response', async () => {
    const { url, server } = await httpServer(async (request, response) => {
      if (request.url === '/slow') await wait(settleTimeMs);
      response.end('x');
    });
    const count = () =>
      new Promise<number>((resolve) => server.getConnections((_, connections) => resolve(connections)));
    const transport = open({ url });
    const slow = send(transport, { ...get, target: '/slow' }).response;
    await send(transport).response;
    await wait(5);
    expect(await count()).toBe(2);
    transport.close();
    expect((await slow).status).toBe(200);
    await expect.poll(count).toBe(0);
  });
});

describe('TLS', () => {
  it('trusts a given authority, rejects an unknown one, and names the problem', async () => {
    const server = createHttpsServer({ cert: certificate, key: certificateKey }, (_request, response) =>
      response.end('safe'),
    );
    const port = await listen(server);
    const url = `https://127.0.0.1:${port}`;
    const trusting = send(open({ url, tls: { ca: certificate } }));
    expect(new TextDecoder().decode((await trusting.response).body)).toBe('safe');
    expect(trusting.meter.bytesUp).toBeGreaterThan(50);
    expect((await send(open({ url, tls: { rejectUnauthorized: false } })).response).status).toBe(200);
    const failure = async (options: HttpTransportOptions) => String(await rejection(send(open(options)).response));
    expect(await failure({ url })).toContain('the certificate is self-signed and not trusted');
    expect(await failure({ url, tls: { ca: certificate, servername: 'other' } })).toContain('is for another host');
    expect(await failure({ url: `http://127.0.0.1:${port}` })).toContain('ApiError');
    expect(await failure({ url, tls: { cert: 'nonsense', key: 'nonsense' } })).toContain('the request cannot be sent');
    const { url: plain } = await httpServer((_request, response) => response.end('x'));
    expect(await failure({ url: plain.replace('http', 'https') })).toContain('the TLS handshake failed');
  });
});

describe('invalid options and requests', () => {
  const refused: readonly [HttpTransportOptions, words: string][] = [
    [{ url: '' }, 'is not of the form'],
    [{ url: 'localhost:3001' }, 'is not of the form'],
    [{ url: 'ftp://host' }, 'is not of the form'],
    [{ url: 'http://host/?a=b' }, 'is not of the form'],
    [{ url: 'http://host/#a' }, 'is not of the form'],
    [{ url: 'http://host:99999' }, 'is not of the form'],
    [{ url: 'http://admin:hunter2@host:3001' }, 'by the client\'s option "headers"'],
    [{ url: 'http://admin:hunter2@host:99999' }, 'with an @ in it'],
    [{ url: 'http://host', connectionsMax: 0 }, 'connectionsMax'],
    [{ url: 'http://host', connectTimeoutMs: Number.NaN }, 'connectTimeoutMs'],
    [{ url: 'http://host', tls: {} }, 'TLS options require an https:// URL'],
  ];

  it.each(refused)('are rejected: %j', (options, words) => {
    let error: unknown;
    try {
      httpTransport(options);
    } catch (thrown) {
      error = thrown;
    }
    expect(isApiError(error, 'BadRequest') && error.message).toContain(words);
    expect(String(error)).not.toContain('hunter2');
  });

  it('are rejected before anything is sent', async () => {
    const transport = open({ url: await rawServer((socket) => socket.end()) });
    for (const request of [
      { ...get, target: '/ü b' },
      { ...get, headers: { x: 'a\nb' } },
    ]) {
      expect(isApiError(await rejection(send(transport, request).response), 'BadRequest')).toBe(true);
    }
  });
});

describe('a client over HTTP', () => {
  it('retries a read on a dead connection, not a write, and times out', async () => {
    let isDead = false;
    const seen: string[] = [];
    const { url } = await httpServer((request, response) => {
      seen.push(request.method ?? '');
      if (request.url === '/api/v1/never') return;
      if (isDead) {
        isDead = false;
        request.socket.destroy();
        return;
      }
      response.end('{"status":200,"data":7}');
    });
    const client = new RestClient({ transport: open({ url }), timeoutMs: 5_000 });
    await client.get().resource('x').do(shape.number());
    isDead = true;
    expect(await client.get().resource('x').do(shape.number())).toBe(7);
    isDead = true;
    expect(isApiError(await rejection(client.post().resource('x').do(shape.number())), 'Unavailable')).toBe(true);
    expect(seen).toEqual(['GET', 'GET', 'GET', 'POST']);
    const never = client.post().resource('never').timeout(settleTimeMs).do(shape.anything());
    expect(isApiError(await rejection(never), 'Timeout')).toBe(true);
  });

  it('reports the error page of a proxy', async () => {
    const { url } = await httpServer((_request, response) => {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>502 Bad Gateway</h1></html>');
    });
    const client = new RestClient({ transport: open({ url }), attemptsMax: 1 });
    const error = await rejection(client.get().resource('service').do(shape.anything()));
    expect(isApiError(error, 'Unavailable') && error.message).toContain('HTML, perhaps from a proxy');
  });
});
