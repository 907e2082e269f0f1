/** What a caller receives from a platform that compresses, tags its responses, or closes connections. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import {
  compressedTransport,
  Ecsm,
  httpTransport,
  ListMemory,
  Recorder,
  RestClient,
  type Transport,
} from '@ecsm/client';
import { systemClock } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { afterEach, describe, expect, it } from 'vitest';
import type { Behaviour } from '../platform/behaviour.ts';
import { Simulator } from './simulator.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function started(behaviour: Partial<Behaviour>) {
  const random = new SeededRandom(1);
  const simulator = new Simulator({ clock: systemClock, random, behaviour, nodes: 30 });
  cleanups.push(() => simulator.close());
  const { url } = await simulator.listen();
  return { simulator, url };
}

const target = '/api/v1/node?pageNum=1&pageSize=100&basicInfo=true';

function get(url: string, headers: Record<string, string>) {
  return new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    const request = httpRequest(`${url}${target}`, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    request.on('error', reject).end();
  });
}

describe('a platform', () => {
  it('that compresses does so if the caller accepts it', async () => {
    const { url, simulator } = await started({ compression: 'gzip' });
    const [plain, zipped] = [await get(url, {}), await get(url, { 'accept-encoding': 'br, gzip;q=0.8' })];
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(gunzipSync(zipped.body)).toEqual(plain.body);
    const [first, second] = simulator.journal.entries();
    expect(second?.bytesDown).toBeLessThan((first?.bytesDown ?? 0) / 4);
    expect(second).toMatchObject({ status: 200, code: 200 });
    expect(second?.answer).toBe(first?.answer);
  });

  it('with tags returns no body to a caller that has it', async () => {
    const { url, simulator } = await started({ entityTag: 'weak' });
    const { headers } = await get(url, {});
    const known = { 'if-none-match': headers.etag ?? '' };
    expect(await get(url, known)).toMatchObject({ status: 304, body: Buffer.alloc(0) });
    simulator.platform.cutNode(simulator.platform.nodeNamed('node-1')?.id ?? '');
    expect(await get(url, known)).toMatchObject({ status: 200 });
    expect(simulator.journal.entries().map(({ status, code }) => [status, code])).toEqual([
      [200, 200],
      [304, 200],
      [200, 200],
    ]);
    expect(simulator.journal.totals.failures).toBe(0);
  });

  it('without them does neither, and leaves the control API alone', async () => {
    const { url } = await started({});
    expect(Object.keys((await get(url, { 'accept-encoding': 'gzip' })).headers)).not.toContain('content-encoding');
    expect(Object.keys((await get(url, {})).headers)).not.toContain('etag');
  });

  it.each([
    ['keep', 'keep-alive'],
    ['close', 'close'],
  ] as const)(
    'with connection=%s announces "%s", and serves one call after the other',
    async (connection, announced) => {
      const { url } = await started({ connection });
      const transport = httpTransport({ url });
      cleanups.push(() => transport.close());
      const client = new RestClient({ transport, attemptsMax: 1 });
      for (let call = 0; call < 3; call++) {
        const { headers } = await client.get().resource('service', 'summary').doRaw();
        expect(headers['connection']).toBe(announced);
      }
    },
  );

  it.each([
    [{ compression: 'gzip' } as const, 1],
    [{ entityTag: 'weak' } as const, 0.2],
    [{ compression: 'gzip', entityTag: 'weak' } as const, 0.2],
    [{}, 1],
  ])('with %j counts the bytes that a socket carries, for a repeated list', async (behaviour, part) => {
    const { url, simulator } = await started(behaviour);
    const body = {
      image: { ref: 'telemetry@1.0.0#sylixos', action: 'run' as const, config: {} },
      node: { names: ['node-1'] },
    };
    const use = async (transport: Transport) => {
      const recorder = new Recorder();
      const rest = new RestClient({ transport: compressedTransport(transport), recorder, attemptsMax: 1 });
      const ecsm = new Ecsm(rest);
      if (simulator.platform.services().length === 0)
        for (let number = 0; number < 20; number++) await ecsm.services().create({ ...body, name: `s-${number}` });
      const memory = new ListMemory(systemClock);
      const lists = [];
      for (let time = 0; time < 2; time++) {
        recorder.reset();
        for await (const _ of ecsm.services().changes(memory, () => false));
        lists.push(recorder.totals());
      }
      return lists;
    };
    const socket = httpTransport({ url });
    cleanups.push(() => socket.close());
    const [first, again] = await use(socket);
    expect(again?.bytesDown).toBeLessThanOrEqual((first?.bytesDown ?? 0) * part);
    // The name of the host has another length, so only the bytes of responses are the same.
    const inProcess = await use(simulator.transport());
    expect(inProcess.map(({ bytesDown }) => bytesDown)).toEqual([first?.bytesDown, again?.bytesDown]);
    expect(
      simulator.journal
        .entries()
        .slice(-2)
        .map(({ bytesDown }) => bytesDown),
    ).toEqual([first?.bytesDown, again?.bytesDown]);
  });
});
