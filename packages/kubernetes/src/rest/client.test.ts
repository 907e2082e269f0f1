import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { type Clock, isApiError } from '@ecsm/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { authority, clientCertificate, clientKey } from '../config/certificates.kit.ts';
import { failure } from '../config/config.kit.ts';
import type { Credential, Credentials } from '../config/credentials.ts';
import { fixedCredentials } from '../config/credentials.ts';
import type { RestRequest } from './client.ts';
import {
  answer,
  cleanUp,
  clientOf,
  fastClock,
  httpServer,
  plainServer,
  scriptedServer,
  statusBody,
} from './server.kit.ts';

afterEach(cleanUp);

const read: RestRequest = { method: 'GET', path: '/api/v1/namespaces' };
const busy = statusBody(429, 'TooManyRequests', 'Too many requests, please try again later.');
const internal = statusBody(500, 'InternalError', 'Internal error occurred: etcdserver: leader changed');

describe('a request', () => {
  it('sends method, path, query, body and credentials', async () => {
    const { url, received } = await scriptedServer((_, response) => answer(response, 200, { ok: true }));
    const client = clientOf(url);
    const query = { fieldManager: 'a b', dryRun: undefined };
    const { body } = await client.request({
      method: 'PATCH',
      path: '/a',
      query,
      body: { x: 1 },
      contentType: 'application/merge-patch+json',
    });
    expect(body).toEqual({ ok: true });
    expect(received).toMatchObject([
      {
        method: 'PATCH',
        path: '/a',
        query: { fieldManager: 'a b' },
        body: '{"x":1}',
        headers: {
          authorization: 'Bearer secret-token',
          'content-type': 'application/merge-patch+json',
          accept: 'application/json',
          'accept-encoding': 'gzip',
        },
      },
    ]);
  });

  it('of a deletion has a length, so that its body is not ignored', async () => {
    const { url, received } = await scriptedServer((_, response) => answer(response, 200, {}));
    await clientOf(url).request({ method: 'DELETE', path: '/a', body: { gracePeriodSeconds: 0 } });
    expect(received[0]?.headers['content-length']).toBe('24');
    expect(received[0]?.headers['transfer-encoding']).toBeUndefined();
  });

  it('uses one connection after the other, and accepts compressed responses', async () => {
    const sockets = new Set<unknown>();
    const { url } = await scriptedServer((_, response) => {
      sockets.add(response.socket);
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify({ text: 'x'.repeat(1_000) })));
    });
    const client = clientOf(url);
    for (let n = 0; n < 5; n++) expect((await client.request(read)).body).toEqual({ text: 'x'.repeat(1_000) });
    expect(sockets.size).toBe(1);
  });

  it('goes to a path below the server’s', async () => {
    const { url, received } = await scriptedServer((_, response) => answer(response, 200, {}));
    await clientOf(`${url}/k8s/clusters/c-1`).request(read);
    expect(received[0]?.path).toBe('/k8s/clusters/c-1/api/v1/namespaces');
  });

  it('ends with the reason of its caller, or with Closed', async () => {
    const { url } = await scriptedServer(() => {});
    const client = clientOf(url);
    const stop = new AbortController();
    const waiting = client.request({ ...read, signal: stop.signal });
    stop.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    const closing = client.request(read);
    client.close();
    expect((await failure(closing)).code).toBe('Closed');
    expect((await failure(client.request(read))).code).toBe('Closed');
  });
});

describe('a failed request', () => {
  it('is repeated when the server was busy, after the time that it has named', async () => {
    const delaysMs: number[] = [];
    const clock: Clock = {
      ...fastClock,
      after(delayMs, callback) {
        delaysMs.push(delayMs);
        return fastClock.after(delayMs, callback);
      },
    };
    const { url, received } = await scriptedServer((_, response, count) =>
      count < 3 ? answer(response, 429, busy, { 'retry-after': '20' }) : answer(response, 201, { made: true }),
    );
    const { status } = await clientOf(url, { clock }).request({ method: 'POST', path: '/a', body: {} });
    expect([status, received.length]).toEqual([201, 3]);
    expect(delaysMs.filter((delayMs) => delayMs === 20_000)).toHaveLength(2);
  });

  it('is not repeated if the named time is beyond the deadline', async () => {
    const { url, received } = await scriptedServer((_, response) =>
      answer(response, 429, busy, { 'retry-after': '36000' }),
    );
    expect((await failure(clientOf(url).request(read))).code).toBe('Unavailable');
    expect(received).toHaveLength(1);
  });

  it('is repeated after an error of the server if it was a read, and never if it was a write', async () => {
    const { url, received } = await scriptedServer((_, response, count) =>
      count % 2 === 1 ? answer(response, 500, internal) : answer(response, 200, {}),
    );
    const client = clientOf(url);
    await client.request(read);
    expect(received).toHaveLength(2);
    const error = await failure(client.request({ method: 'POST', path: '/a', body: {} }));
    expect(error).toEqual({ code: 'Unavailable', message: expect.stringContaining('leader changed') });
    expect(received).toHaveLength(3);
  });

  it('is repeated a limited number of times', async () => {
    const { url, received } = await scriptedServer((_, response) => answer(response, 503, 'no endpoints'));
    expect((await failure(clientOf(url).request(read))).message).toContain('the server answered 503');
    expect(received).toHaveLength(10);
  });

  it('gets new credentials once after they were rejected', async () => {
    let tokens = 0;
    let discarded = 0;
    const credentials: Credentials = {
      current: async (): Promise<Credential> => ({ headers: { authorization: `Bearer ${++tokens}` } }),
      discard: () => ++discarded > 0,
    };
    const unauthorized = statusBody(401, 'Unauthorized', 'Unauthorized');
    const { url, received } = await scriptedServer(({ headers }, response) =>
      headers.authorization === 'Bearer 2' ? answer(response, 200, {}) : answer(response, 401, unauthorized),
    );
    const client = clientOf(url, { credentials });
    await client.request({ method: 'POST', path: '/a', body: {} });
    expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer 1', 'Bearer 2']);
    expect((await failure(client.request(read))).code).toBe('Unauthorized');
    expect([received.length, discarded]).toEqual([4, 2]);
  });

  it('shows no credential', async () => {
    const { url } = await scriptedServer((_, response) => answer(response, 401, statusBody(401, 'Unauthorized', 'no')));
    const error = await clientOf(url)
      .request(read)
      .catch((caught: unknown) => caught);
    expect(JSON.stringify([error, String(error), (error as Error).stack])).not.toContain('secret-token');
  });
});

describe('a response', () => {
  it('that never comes is a Timeout, and so is an endless one', async () => {
    const { url } = await scriptedServer(({ path }, response) => {
      if (path === '/endless') response.write('{"items":[');
    });
    const client = clientOf(url, { timeoutMs: 20_000 });
    for (const path of ['/silent', '/endless']) {
      expect(await failure(client.request({ method: 'GET', path }))).toEqual({
        code: 'Timeout',
        message: `GET ${path} did not respond within 20000 ms`,
      });
    }
  });

  it('that is too large is refused, compressed or not', async () => {
    const { url } = await scriptedServer(({ path }, response) => {
      const bytes = Buffer.from(JSON.stringify({ x: 'x'.repeat(100_001) }));
      if (path === '/plain') response.end(bytes);
      else response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(bytes));
    });
    const client = clientOf(url, { responseBytesMax: 100_000 });
    for (const path of ['/plain', '/gzip']) {
      expect((await failure(client.request({ method: 'GET', path }))).code).toBe('TooLarge');
    }
  });

  it('that is cut is Unavailable: a write may have happened', async () => {
    const { url, received } = await scriptedServer((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"kind":', () => response.socket?.destroy());
    });
    const error = await failure(clientOf(url).request({ method: 'PUT', path: '/a', body: {} }));
    expect(error.code).toBe('Unavailable');
    expect(received).toHaveLength(1);
  });

  it.each([
    ['is not JSON', 200, '<html>', 'it is not JSON'],
    ['is a redirection', 302, '{}', 'it is a redirection (302)'],
  ])('that %s is a BadAnswer', async (_, status, body, message) => {
    const { url } = await scriptedServer((_received, response) => answer(response, status, body));
    const error = await failure(clientOf(url).request(read));
    expect(error).toEqual({ code: 'BadAnswer', message: expect.stringContaining(message) });
  });

  it('that is damaged is Unavailable', async () => {
    const { url } = await scriptedServer((_, response) =>
      answer(response, 200, 'no gzip', { 'content-encoding': 'gzip' }),
    );
    const error = await failure(clientOf(url).request({ method: 'POST', path: '/a', body: {} }));
    expect(error).toEqual({ code: 'Unavailable', message: expect.stringContaining('is damaged') });
  });
});

describe('a TLS connection', () => {
  const ok = () => scriptedServer((_, response) => answer(response, 200, {}));
  const post: RestRequest = { method: 'POST', path: '/a', body: {} };

  it('is refused if the authority is another one, or the name does not match', async () => {
    const { url, received } = await ok();
    const unknown = await failure(clientOf(url, { trust: { isInsecure: false } }).request(post));
    expect(unknown).toEqual({
      code: 'Unavailable',
      message: expect.stringMatching(/certificate.*\(UNABLE_TO_|certificate.*SELF/),
    });
    const trust = { ca: authority, serverName: 'other.test', isInsecure: false };
    expect((await failure(clientOf(url, { trust }).request(post))).message).toContain('is for another host');
    expect(received).toHaveLength(0);
  });

  it('is accepted for the name of the certificate, or without verification if that is wanted', async () => {
    const { url } = await ok();
    await clientOf(url, { trust: { ca: authority, serverName: 'kubernetes.test', isInsecure: false } }).request(post);
    await clientOf(url, { trust: { isInsecure: true } }).request(post);
  });

  it('presents the client certificate, and a new one on new connections', async () => {
    const users: unknown[] = [];
    const options = { requestCert: true, rejectUnauthorized: true, ca: authority };
    const { url } = await scriptedServer((_, response) => {
      const socket = response.socket;
      users.push(socket && 'getPeerCertificate' in socket ? (socket as TLSSocket).getPeerCertificate().subject.CN : '');
      answer(response, 200, {});
    }, options);
    const certificate = { cert: clientCertificate, key: clientKey };
    let current: Credential = { headers: {}, certificate };
    const credentials = { current: async () => current, discard: () => false };
    const client = clientOf(url, { credentials });
    await client.request(post);
    current = { headers: {}, certificate: { ...certificate } };
    await client.request(post);
    expect(users).toEqual(['admin', 'admin']);
    current = { headers: {} };
    expect((await failure(client.request(post))).code).toBe('Unavailable');
  });

  it('needs a usable certificate and key', async () => {
    const { url } = await ok();
    const certificate = {
      cert: clientCertificate,
      key: '-----BEGIN PRIVATE KEY-----\nhidden-word\n-----END PRIVATE KEY-----',
    };
    const error = await failure(
      clientOf(url, { credentials: fixedCredentials({ headers: {}, certificate }) }).request(post),
    );
    expect(error.code).toMatch(/BadRequest|Unavailable/);
    expect(error.message).not.toContain('hidden-word');
  });

  it('to a server without TLS, or to none, is Unavailable', async () => {
    const url = await plainServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect((await failure(clientOf(url).request(post))).code).toBe('Unavailable');
    const { url: closed } = await ok();
    await cleanUp();
    const error = await clientOf(closed, { timeoutMs: 100_000 })
      .request(post)
      .catch((caught: unknown) => caught);
    expect(isApiError(error, 'Unavailable') && error.message).toContain('connection refused (ECONNREFUSED)');
  });

  it('is needed for credentials: without it none are sent', async () => {
    const seen: unknown[] = [];
    const url = await httpServer((request, response) => {
      seen.push(request.headers.authorization);
      answer(response, 200, {});
    });
    await clientOf(url).request(read);
    expect(seen).toEqual([undefined]);
  });
});
