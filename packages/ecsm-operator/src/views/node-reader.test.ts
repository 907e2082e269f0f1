/** Reads a simulated platform, some of whose calls are refused. */
import { Ecsm, RestClient, type WireResponse } from '@ecsm/client';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { Simulator } from '@ecsm/simulator';
import { describe, expect, it } from 'vitest';
import { basicRows, heartbeatMs, NodeReader } from './node-reader.ts';
import { Source } from './source.ts';

const refusal: WireResponse = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: new TextEncoder().encode(JSON.stringify({ status: 30_001, message: 'no', data: null, fieldErrors: null })),
};

class Bench {
  readonly clock = new VirtualClock();
  readonly simulator = new Simulator({ clock: this.clock, random: new SeededRandom(1), nodes: 2 });
  /** Prefix of the paths that the platform refuses. */
  refused: string | undefined;
  readonly reader = this.#open();

  #open(): NodeReader {
    const transport = this.simulator.transport();
    const rest = new RestClient({
      clock: this.clock,
      random: new SeededRandom(2),
      transport: {
        close: () => transport.close(),
        send: async (request, options) =>
          this.refused !== undefined && request.target.startsWith(this.refused)
            ? refusal
            : transport.send(request, options),
      },
    });
    const ecsm = new Ecsm(rest);
    return new NodeReader(ecsm, this.clock, new Source(this.clock, basicRows(ecsm)));
  }

  /** The first of the nodes. */
  async read() {
    const [facts] = await this.clock.run(this.reader.read());
    return facts ?? expect.fail('no nodes');
  }

  calls(endpoint: string): number {
    return this.simulator.journal.entries(0).filter((one) => one.endpoint === endpoint).length;
  }

  get nodeId(): string {
    return this.simulator.platform.nodeNamed('node-1')?.id ?? '';
  }
}

describe('NodeReader', () => {
  it('changes the heartbeat of a node only once in a while', async () => {
    const bench = new Bench();
    const first = await bench.read();
    await bench.clock.advance(heartbeatMs - 1);
    expect((await bench.read()).heartbeatMs).toBe(first.heartbeatMs);
    await bench.clock.advance(1);
    expect((await bench.read()).heartbeatMs).toBe(bench.clock.now());
  });

  it('follows the clock when it is set back', async () => {
    const bench = new Bench();
    await bench.read();
    bench.clock.step(-3_600_000);
    await bench.clock.advance(1_000);
    expect((await bench.read()).heartbeatMs).toBe(bench.clock.now());
  });

  it('remembers since when a node is in its state', async () => {
    const bench = new Bench();
    await bench.clock.advance(100_000);
    const online = await bench.read();
    expect(online.sinceMs).toBe(bench.clock.now() - 100_000);
    bench.simulator.platform.cutNode(bench.nodeId);
    await bench.clock.advance(30_000);
    const offline = await bench.read();
    expect([offline.sinceMs, offline.capacity]).toEqual([bench.clock.now(), online.capacity]);
    await bench.clock.advance(30_000);
    expect((await bench.read()).sinceMs).toBe(offline.sinceMs);
    expect(offline.capacity.cores).toBeGreaterThan(0);
  });

  it('reads the version of an agent once, and again when the node comes back', async () => {
    const bench = new Bench();
    expect((await bench.read()).version).toBe(bench.simulator.platform.nodeNamed('node-1')?.ecsdVersion);
    await bench.clock.advance(60_000);
    await bench.read();
    expect(bench.calls('GET /node/:id')).toBe(2);
    bench.simulator.platform.cutNode(bench.nodeId);
    await bench.clock.advance(30_000);
    await bench.read();
    expect(bench.calls('GET /node/:id')).toBe(2);
    bench.simulator.platform.restoreNode(bench.nodeId);
    await bench.clock.advance(30_000);
    await bench.read();
    expect(bench.calls('GET /node/:id')).toBe(3);
  });

  it('works without measurements and versions on a platform that refuses those calls', async () => {
    const bench = new Bench();
    bench.refused = '/api/v1/node/';
    const facts = await bench.read();
    expect(facts).toMatchObject({ row: { name: 'node-1', status: 'online' }, capacity: {} });
    expect([facts.live, facts.version, facts.sinceMs]).toEqual([undefined, undefined, undefined]);
  });

  it('fails if the platform does not list its nodes', async () => {
    const bench = new Bench();
    bench.refused = '/api/v1/node';
    await expect(bench.read()).rejects.toMatchObject({ code: 'Rejected' });
  });

  it('fails if the link is lost in between', async () => {
    const bench = new Bench();
    bench.simulator.link.set({ lossPercent: 100, match: { path: '/api/v1/node/status' } });
    await expect(bench.read()).rejects.toMatchObject({ code: 'Timeout' });
  });
});
