/** Compressed responses: used if the platform offers them, bounded, and forgotten for a while if it does not. */
import { gzipSync } from 'node:zlib';
import { isApiError } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { RestClient } from './client.ts';
import { compressedTransport, notOfferedMs } from './compression.ts';
import { cleanUp, httpServer, open } from './loopback.kit.ts';
import { rejection, ScriptedTransport, type Step } from './scripted-transport.kit.ts';
import type { WireResponse } from './transport.ts';

afterEach(cleanUp);

const text = (bytes: number) => JSON.stringify({ status: 200, message: 'success', data: 'x'.repeat(bytes) });
const plain = (bytes: number): WireResponse => ({ status: 200, headers: {}, body: Buffer.from(text(bytes)) });
const gzip = { 'content-encoding': 'gzip' };
const zipped = (bytes: number): WireResponse => ({ status: 200, headers: gzip, body: gzipSync(text(bytes)) });

function bench(...script: readonly Step[]) {
  const clock = new VirtualClock();
  const scripted = new ScriptedTransport(...script);
  const transport = compressedTransport(scripted, clock);
  const meter = { bytesUp: 0, bytesDown: 0 };
  const send = (responseBytesMax = 1_000_000, method: 'GET' | 'POST' = 'GET') =>
    transport.send(
      { method, target: '/api/v1/x?y=1', headers: {} },
      { signal: AbortSignal.any([]), responseBytesMax, meter },
    );
  const requested = () => scripted.requests.map(({ headers }) => headers['accept-encoding']);
  return { clock, send, requested, meter };
}

describe('a compressed response', () => {
  it('is decompressed, and counted as it was transferred', async () => {
    const { send, meter } = bench(zipped(50_000));
    const { body, headers } = await send();
    expect(Buffer.from(body).toString()).toBe(text(50_000));
    expect(headers).toEqual({});
    expect(meter.bytesDown).toBe(zipped(50_000).body.byteLength);
  });

  it('is received over a socket', async () => {
    const { url } = await httpServer((request, response) => {
      if (request.headers['accept-encoding'] !== 'gzip') return response.writeHead(400).end();
      const body = gzipSync(text(10_000));
      return response.writeHead(200, { ...gzip, 'content-length': body.length }).end(body);
    });
    const client = new RestClient({ transport: compressedTransport(open({ url })), attemptsMax: 1 });
    expect((await client.get().resource('x').doRaw()).body.byteLength).toBe(text(10_000).length);
  });

  it('that would be larger than the limit is rejected before it is decompressed', async () => {
    const bomb = { status: 200, headers: gzip, body: gzipSync(Buffer.alloc(64 * 1024 * 1024)) };
    const error = await rejection(bench(bomb).send(100_000));
    expect(isApiError(error, 'TooLarge') && error.details).toMatchObject({ limitBytes: 100_000 });
  });

  it.each([
    ['is not gzip', Buffer.from('{"status":200}')],
    ['is cut', gzipSync(text(5_000)).subarray(0, 30)],
    ['is changed', Buffer.concat([gzipSync(text(5_000)).subarray(0, 20), Buffer.alloc(20, 7)])],
  ])('that %s is a bad answer, and the next request is for a plain one', async (_, body) => {
    const { send, requested } = bench({ status: 200, headers: gzip, body }, plain(10));
    const error = await rejection(send());
    expect(isApiError(error, 'BadAnswer') && error.message).toContain('the compressed body is damaged');
    await send();
    expect(requested()).toEqual(['gzip', undefined]);
  });

  it('that has no body stays empty', async () => {
    const { send } = bench({ status: 304, headers: gzip, body: new Uint8Array() });
    expect(await send()).toEqual({ status: 304, headers: {}, body: new Uint8Array() });
  });
});

describe('gzip is requested', () => {
  it('again an hour after a large response was not compressed', async () => {
    const { send, requested, clock } = bench(plain(100_000));
    await send();
    await send();
    await clock.advance(notOfferedMs);
    await send();
    expect(requested()).toEqual(['gzip', undefined, 'gzip']);
  });

  it('although small responses and failures are not compressed', async () => {
    const page = { status: 503, headers: {}, body: Buffer.alloc(10_000, 'a') };
    const { send, requested } = bench(plain(100), page, plain(100));
    for (let call = 0; call < 3; call++) await send();
    expect(requested()).toEqual(['gzip', 'gzip', 'gzip']);
  });

  it('not for a write', async () => {
    const { send, requested } = bench(plain(100));
    await send(1_000_000, 'POST');
    expect(requested()).toEqual([undefined]);
  });
});
