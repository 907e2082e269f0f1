/**
 * Goal: whatever comes back from the other side, a call ends, and ends in a value of the shape that was asked for or in
 * an error of the catalogue, never in a crash, a hang or a leaked secret.
 *
 * Method: answers that are right are broken in every way we could think of, by a seed, more than ten thousand of them
 * through a scripted transport on a clock that runs as fast as it can, and some hundreds as bytes on a real socket. A
 * failing case names its seed; `new SeededRandom(seed)` makes it again.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { isApiError, shape } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { RestClient } from './client.ts';
import { reasonCharactersMax } from './errors.ts';
import { damagedBody, pageShape, randomBytes, secret, validEnvelope } from './fuzz.kit.ts';
import { httpTransport } from './http-transport.ts';
import { ScriptedTransport, type Step, silence } from './scripted-transport.kit.ts';

const cases = 10_500;
const socketCases = 400;

type End = { readonly value: unknown } | { readonly error: unknown };

/** Why the end of a call is not one that a caller can live with. */
function problemOf(end: End): string | undefined {
  if ('value' in end) return shape.complaint(pageShape, end.value, 'data');
  if (!isApiError(end.error)) return `it threw ${String(end.error)}`;
  if (end.error.code === 'Internal') return end.error.message;
  return end.error.message.length > reasonCharactersMax + 100 ? 'its message is too long' : undefined;
}

const ended = (call: Promise<unknown>): Promise<End> =>
  call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

/** What one seed sends: a response, or none. */
function step(random: SeededRandom): Step {
  if (random.chance(0.01)) return silence;
  const status = random.chance(0.7) ? 200 : random.integer(100, 999);
  const headers = Object.fromEntries(
    [
      ['retry-after', random.pick(['1', '-1', 'x', '9'.repeat(20), ''])],
      ['content-length', random.pick(['0', '-5', '99999999999', 'x'])],
      ['content-type', random.pick(['text/html', 'application/json', '\u0000'])],
      ['content-encoding', random.pick(['gzip', 'identity', ''])],
      ['location', random.pick(['/login', `/?token=${secret}`, ''])],
    ].filter(() => random.chance(0.1)),
  );
  return { status, headers, body: damagedBody(random) };
}

describe('a call with a random response', () => {
  it('returns a valid value or an ApiError', async () => {
    const codes = new Map<string, number>();
    const wrong: string[] = [];
    for (let seed = 1; seed <= cases; seed++) {
      const random = new SeededRandom(seed);
      const clock = new VirtualClock();
      const transport = new ScriptedTransport(step(random), step(random));
      const client = new RestClient({ transport, clock, random, attemptsMax: random.integer(1, 2) });
      const end = await clock.run(ended(client.get().resource('service').do(pageShape)));
      const problem = problemOf(end) ?? (clock.timers > 0 ? 'it left a timer' : undefined);
      if (problem !== undefined) wrong.push(`seed ${seed}: ${problem}`);
      const code = 'error' in end && isApiError(end.error) ? end.error.code : 'ok';
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    expect(wrong).toEqual([]);
    // The cases are worth something only as long as they reach every way to end.
    for (const code of ['ok', 'BadAnswer', 'Rejected', 'Unavailable', 'AlreadyExists', 'NotFound', 'Timeout'])
      expect([code, codes.get(code) ?? 0]).toEqual([code, expect.toSatisfy((count: number) => count >= 20)]);
  });

  it('leaks no secret, wherever the response is truncated', async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const whole = new TextEncoder().encode(JSON.stringify(validEnvelope(new SeededRandom(seed))));
      for (let length = 0; length < whole.length; length++) {
        const transport = new ScriptedTransport({ status: 200, headers: {}, body: whole.subarray(0, length) });
        const client = new RestClient({ transport, attemptsMax: 1 });
        const end = await ended(client.get().resource('service').do(pageShape));
        expect('error' in end && isApiError(end.error, 'BadAnswer')).toBe(true);
        expect('error' in end && String(end.error)).not.toContain(secret.slice(0, 4));
      }
    }
  });
});

/** Bytes in place of an HTTP response, most of them nearly one. */
function wire(random: SeededRandom): readonly Uint8Array[] {
  if (random.chance(0.1)) {
    const whole = new TextEncoder().encode(JSON.stringify(validEnvelope(random)));
    return [new TextEncoder().encode(`HTTP/1.1 200 OK\r\ncontent-length: ${whole.length}\r\n\r\n`), whole];
  }
  const body = damagedBody(random);
  const length = random.pick([
    body.length,
    body.length,
    body.length + 7,
    Math.max(0, body.length - 7),
    -1,
    'x',
    1e15,
    '',
  ]);
  const framing = random.pick([
    `content-length: ${length}`,
    `content-length: ${length}\r\ncontent-length: 3`,
    'transfer-encoding: chunked',
    `transfer-encoding: chunked\r\ncontent-length: ${length}`,
    'connection: close',
    'x: y',
  ]);
  const start = random.pick([
    'HTTP/1.1 200 OK',
    'HTTP/1.1 503',
    'HTTP/9.9 200',
    'HTTP/1.1 99999',
    'http',
    'HTTP/1.1 204 x',
    '',
  ]);
  const head = new TextEncoder().encode(`${random.chance(0.6) ? 'HTTP/1.1 200 OK' : start}\r\n${framing}\r\n\r\n`);
  return random.chance(0.2) ? [randomBytes(random, random.integer(0, 300))] : [head, body];
}

describe('a call with random bytes on a socket', () => {
  it('returns a valid value or an ApiError', async () => {
    const sockets = new Set<Socket>();
    let answered = 0;
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
      socket.on('data', () => {
        const random = new SeededRandom(++answered);
        for (const bytes of wire(random)) socket.write(bytes);
        if (!random.chance(0.05)) socket.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const transport = httpTransport({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    const client = new RestClient({ transport, attemptsMax: 1, timeoutMs: 2_000 });
    const ends: End[] = [];
    const work = async () => {
      while (ends.length < socketCases) ends.push(await ended(client.get().resource('service').do(pageShape)));
    };
    await Promise.all(Array.from({ length: 8 }, work));
    transport.close();
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    expect(ends.map(problemOf).filter((problem) => problem !== undefined)).toEqual([]);
    expect(ends.filter((end) => 'value' in end).length).toBeGreaterThan(5);
  });
});
