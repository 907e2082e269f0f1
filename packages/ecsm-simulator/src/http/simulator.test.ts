/** The whole simulator, called with the real client, in process and over a socket. */
import { httpTransport, platformResponse, RestClient, type Transport } from '@ecsm/client';
import { type Clock, isApiError, shape, systemClock } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { Simulator, type SimulatorOptions } from './simulator.ts';

/** Time stands still, timers do not: two runs show the same times, whatever they take. */
const frozenTime: Clock = { ...systemClock, now: () => 1_767_225_600_000, monotonicMs: () => 0 };
const service = (name: string) => ({
  name,
  image: { ref: 'telemetry@1.0.0#sylixos', action: 'run', config: {}, vsoa: { password: 'hunter2' } },
  node: { names: ['node-1', 'node-2'] },
  factor: 2,
  policy: 'dynamic',
});

interface Way {
  readonly simulator: Simulator;
  readonly transport: Transport;
}

const ways: Record<string, (options?: Partial<SimulatorOptions>) => Promise<Way>> = {
  async 'in process'(options) {
    const simulator = new Simulator({ clock: frozenTime, random: new SeededRandom(1), nodes: 3, ...options });
    return { simulator, transport: simulator.transport() };
  },
  async 'over a socket'(options) {
    const simulator = new Simulator({ clock: frozenTime, random: new SeededRandom(1), nodes: 3, ...options });
    const { url } = await simulator.listen();
    return { simulator, transport: httpTransport({ url }) };
  },
};

const open: Way[] = [];
afterEach(async () => {
  for (const { simulator, transport } of open.splice(0)) {
    transport.close();
    await simulator.close();
  }
});

async function opened(name: string): Promise<Way & { readonly client: RestClient }> {
  const way = await (ways[name] ?? expect.fail())();
  open.push(way);
  return { ...way, client: new RestClient({ transport: way.transport, timeoutMs: 2_000, deadlineMs: 30_000 }) };
}

const anything = shape.anything();
const create = (client: RestClient, name: string) =>
  client.post().resource('service').body(service(name)).kind('service', name).do(anything);
const services = (client: RestClient) =>
  client.get().resource('service').param('pageNum', 1).param('pageSize', 10).do(anything);

describe.each(Object.keys(ways))('a simulator called %s', (name) => {
  it('responds like the platform', async () => {
    const { client, simulator } = await opened(name);
    await create(client, 'telemetry');
    expect(await services(client)).toMatchObject({ total: 1, list: [{ name: 'telemetry', status: 'deploying' }] });
    expect(simulator.platform.serviceNamed('telemetry')?.factor).toBe(2);
    const refused: unknown = await create(client, 'telemetry').catch((error: unknown) => error);
    expect(isApiError(refused, 'AlreadyExists')).toBe(true);
    expect(platformResponse(refused)?.code).toBe(31006);
  });

  it('has created a service whose response was lost, and reports it as existing', async () => {
    const { client, simulator } = await opened(name);
    simulator.link.set({ answersToLose: 1 });
    const lost: unknown = await create(client, 'telemetry').catch((error: unknown) => error);
    expect(isApiError(lost, 'Timeout')).toBe(true);
    expect(simulator.platform.services()).toHaveLength(1);
    const again: unknown = await create(client, 'telemetry').catch((error: unknown) => error);
    expect(isApiError(again, 'AlreadyExists')).toBe(true);
    expect(simulator.platform.services()).toHaveLength(1);
  });

  it("answers a read that is repeated after a lost request, a proxy's page and a cut answer", async () => {
    const { client, simulator } = await opened(name);
    simulator.link.set({ requestsToLose: 1, errorsLeft: 1 });
    expect(await services(client)).toMatchObject({ total: 0 });
    simulator.link.set({ truncatePercent: 100 });
    const cut: unknown = await services(client).catch((error: unknown) => error);
    expect(isApiError(cut, 'BadAnswer')).toBe(true);
    expect(simulator.journal.entries().map(({ fate }) => fate)).toEqual([
      'request lost',
      'error page',
      'answered',
      'answer cut',
      'answer cut',
      'answer cut',
    ]);
  });

  it('serves the control API over a link that loses everything else', async () => {
    const { transport, simulator } = await opened(name);
    simulator.link.set({ lossPercent: 100, frozen: true });
    const options = {
      signal: AbortSignal.timeout(10_000),
      responseBytesMax: 100_000,
      meter: { bytesUp: 0, bytesDown: 0 },
    };
    const answer = await transport.send({ method: 'DELETE', target: '/sim/link', headers: {} }, options);
    expect(answer.status).toBe(200);
    expect(simulator.link.settings.lossPercent).toBe(0);
    expect(simulator.journal.last).toBe(0);
  });

  it('counts calls by endpoint', async () => {
    const { client, simulator } = await opened(name);
    await create(client, 'a');
    await create(client, 'b');
    const id = simulator.platform.serviceNamed('a')?.id ?? '';
    await client.get().resource('service').name(id).do(anything);
    await client
      .get()
      .resource('nothing')
      .do(anything)
      .catch(() => {});
    const counts = simulator.journal.byEndpoint().map(({ endpoint, calls, failures }) => [endpoint, calls, failures]);
    expect(counts).toEqual([
      ['GET /service/:id', 1, 0],
      ['POST /service', 2, 0],
      ['unknown', 1, 1],
    ]);
    expect(simulator.journal.entries()[0]?.request).not.toContain('hunter2');
  });
});

it('returns the same bytes in process and over a socket', async () => {
  const answers = await Promise.all(
    Object.keys(ways).map(async (name) => {
      const { client } = await opened(name);
      const created = await create(client, 'telemetry');
      const refused: unknown = await create(client, 'telemetry').catch((error: unknown) => String(error));
      const raw = await client.get().resource('node').param('pageNum', 1).param('pageSize', 10).doRaw();
      return [created, refused, await services(client), raw.status, Buffer.from(raw.body).toString()];
    }),
  );
  expect(answers[0]).toEqual(answers[1]);
});

describe('a run', () => {
  async function run(seed: number) {
    const clock = new VirtualClock();
    const simulator = new Simulator({ clock, random: new SeededRandom(seed), nodes: 4 });
    const transport = simulator.transport();
    simulator.link.set({
      latencyMs: 40,
      latencyJitterMs: 100,
      lossPercent: 10,
      answerLossPercent: 10,
      errorPercent: 5,
    });
    const calls = Array.from({ length: 60 }, (_, number) => {
      const controller = new AbortController();
      clock.after(number * 200 + 1_000, () => controller.abort('enough'));
      return new Promise<void>((resolve) => {
        clock.after(number * 200, () => {
          const isCreate = number % 3 === 0;
          transport
            .send(
              {
                method: isCreate ? 'POST' : 'GET',
                target: isCreate ? '/api/v1/service' : '/api/v1/service?pageNum=1&pageSize=5',
                headers: {},
                ...(isCreate ? { body: Buffer.from(JSON.stringify(service(`s-${number}`))) } : {}),
              },
              { signal: controller.signal, responseBytesMax: 1e6, meter: { bytesUp: 0, bytesDown: 0 } },
            )
            .then(
              () => resolve(),
              () => resolve(),
            );
        });
      });
    });
    const all = Promise.all(calls);
    await clock.advance(60_000);
    await all;
    return { entries: simulator.journal.entries(), state: simulator.platform.snapshot() };
  }

  it('is the same with the same seed: journal and state', async () => {
    const one = await run(5);
    const again = await run(5);
    expect(again.entries).toEqual(one.entries);
    expect(again.state).toEqual(one.state);
    expect(one.entries).toHaveLength(60);
    expect(new Set(one.entries.map(({ fate }) => fate)).size).toBeGreaterThan(2);
    expect((await run(6)).entries).not.toEqual(one.entries);
  });

  it('has the same platform state independent of the link', async () => {
    const seed = (simulator: Simulator) => simulator.platform.snapshot().seed;
    const options = { clock: new VirtualClock(), nodes: 2 };
    const one = new Simulator({ ...options, random: new SeededRandom(9) });
    const other = new Simulator({ ...options, random: new SeededRandom(9) });
    for (let draw = 0; draw < 50; draw++) one.link.route({ method: 'GET', target: '/' });
    one.reset();
    other.reset();
    expect(seed(one)).toBe(seed(other));
  });
});
