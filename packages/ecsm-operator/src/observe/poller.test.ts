/** Which owners the poller enqueues, and the number of calls that this costs. */
import { CircuitBreaker, Ecsm, Recorder, RestClient } from '@ecsm/client';
import { ApiError, silentLog } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { Simulator } from '@ecsm/simulator';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ServiceManager } from '../resource/manager.ts';
import { NodeCache } from './node-cache.ts';
import { Observer } from './observer.ts';
import type { Poller } from './poller.ts';

const observeMs = 15_000;
const pollMs = 2_000;

class Bench {
  readonly clock = new VirtualClock();
  readonly simulator = new Simulator({
    clock: this.clock,
    random: new SeededRandom(1),
    nodes: 3,
    behaviour: 'instant',
  });
  readonly breaker = new CircuitBreaker({
    transport: this.simulator.transport(),
    clock: this.clock,
    random: new SeededRandom(2),
  });
  readonly recorder = new Recorder();
  readonly ecsm = new Ecsm(
    new RestClient({
      transport: this.breaker.transport,
      clock: this.clock,
      timeoutMs: 1_000,
      recorder: this.recorder,
    }),
    { pageSize: 1_000 },
  );
  readonly manager = new ServiceManager(this.ecsm);
  readonly enqueued: string[] = [];
  readonly observer: Observer;
  readonly poller: Poller;
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(everyMs = observeMs) {
    this.observer = new Observer({
      ecsm: this.ecsm,
      manager: this.manager,
      breaker: this.breaker,
      clock: this.clock,
      random: new SeededRandom(3),
      log: silentLog,
      recorder: this.recorder,
      observeMs: everyMs,
      linkBudgetBytesPerSecond: 8_000,
      pollMs,
      enqueue: (owners) => this.enqueued.push(...owners.map(({ namespace, name }) => `${namespace}/${name}`)),
    });
    this.poller = this.observer.poller;
  }

  get platform() {
    return this.simulator.platform;
  }

  make(name: string): string {
    const image = { ref: 'telemetry@1.0.0#sylixos', action: 'run', config: {} };
    const body = { name, image, node: { names: ['node-1', 'node-2'] }, factor: 2, policy: 'dynamic' };
    const answer = this.simulator.handler({
      method: 'POST',
      target: '/api/v1/service',
      headers: {},
      body: new TextEncoder().encode(JSON.stringify(body)),
    });
    expect(new TextDecoder().decode(answer.body)).toContain('"status":200');
    return this.platform.serviceNamed(name)?.id ?? expect.fail();
  }

  async start(): Promise<void> {
    // What was just made comes up first.
    await this.clock.advance(1_000);
    this.#running = Promise.all([this.poller.run(this.#stop.signal), this.breaker.run(this.#stop.signal)]);
    await this.clock.advance(1);
  }

  /** Waits for one poll, and returns the owners that it enqueued. */
  async look(): Promise<string[]> {
    await this.clock.advance(1_000);
    this.enqueued.length = 0;
    this.poller.pollNow();
    await this.clock.advance(10);
    return [...this.enqueued].sort();
  }

  calls(after = 0): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { endpoint } of this.simulator.journal.entries(after)) counts[endpoint] = (counts[endpoint] ?? 0) + 1;
    return counts;
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.clock.advance(2_000);
    await this.#running;
    expect(this.clock.timers).toBe(0);
  }
}

let bench: Bench;
afterEach(() => bench.end());

async function started(...names: string[]): Promise<readonly string[]> {
  bench = new Bench();
  const ids = names.map((name) => bench.make(name));
  await bench.start();
  return ids;
}

describe('at rest', () => {
  it('a poll costs the pages of services and of nodes, for any number of services', async () => {
    bench = new Bench();
    for (let number = 1; number <= 1_200; number++) bench.make(`s-${number}`);
    await bench.start();
    expect(bench.calls()).toEqual({ 'GET /node': 1, 'GET /service': 2 });
    expect(bench.observer.services.listedCount).toBe(1_200);
    const before = bench.simulator.journal.last;
    await bench.clock.advance(8 * observeMs);
    const { 'GET /node': nodes = 0, 'GET /service': services = 0, ...others } = bench.calls(before);
    expect(nodes).toBeGreaterThanOrEqual(7);
    expect(nodes).toBeLessThanOrEqual(9);
    expect(services).toBe(nodes * 2);
    expect(others).toEqual({ 'GET /service/summary': expect.any(Number) });
    expect(bench.enqueued).toEqual([]);
  });

  it('polls are frequent after a change, rarer the longer nothing changes, and never later than the limit', async () => {
    await started('web');
    const times = (after: number) =>
      bench.simulator.journal
        .entries(after)
        .flatMap(({ endpoint, timeMs }) => (endpoint === 'GET /service' ? [timeMs] : []));
    const gaps = (all: readonly number[]) =>
      all.slice(1).map((timeMs, index) => Math.round((timeMs - (all[index] ?? 0)) / (observeMs / 4)));
    await bench.clock.advance(10 * observeMs);
    expect(gaps(times(0)).slice(0, 5)).toEqual([1, 2, 4, 4, 4]);
    const before = bench.simulator.journal.last;
    bench.make('new');
    await bench.clock.advance(10 * observeMs);
    const after = times(before);
    expect(gaps(after).slice(0, 5)).toEqual([1, 2, 4, 4, 4]);
    expect(Math.max(...after.slice(1).map((timeMs, index) => timeMs - (after[index] ?? 0)))).toBeLessThanOrEqual(
      observeMs,
    );
  });

  it('polls are not more frequent than the budget allows, but never later than the limit', async () => {
    bench = new Bench();
    // A poll needs as many bytes as the budget allows in the longest interval.
    for (let number = 1; number <= 250; number++) bench.make(`s-${number}`);
    await bench.start();
    await bench.clock.advance(10 * observeMs);
    expect(bench.calls()['GET /service']).toBeLessThanOrEqual(11);
    expect(bench.calls()['GET /service']).toBeGreaterThanOrEqual(10);
    expect(bench.poller.detail).toMatch(
      /^changes on the platform are noticed within 15 s; an observation needs 1\d{5} bytes$/,
    );
  });

  it('a summary that differs causes a poll before the next one is due, but not twice in a row', async () => {
    bench = new Bench();
    const ids = Array.from({ length: 250 }, (_, number) => bench.make(`s-${number + 1}`));
    await bench.start();
    await bench.clock.advance(4 * observeMs);
    bench.enqueued.length = 0;
    bench.platform.deleteService(ids[0] ?? '');
    await bench.clock.advance(observeMs / 2);
    expect(bench.enqueued).toEqual(['default/s-1']);
    const before = bench.simulator.journal.last;
    for (const id of ids.slice(1, 41)) {
      bench.platform.deleteService(id);
      await bench.clock.advance(observeMs / 4);
    }
    expect(bench.calls(before)['GET /service']).toBeLessThanOrEqual(20);
  });

  it('no summary is requested for an hour after the platform has refused one', async () => {
    await started('web');
    const handler = bench.ecsm.services();
    let refused = 0;
    vi.spyOn(handler, 'summary').mockImplementation(async () => {
      refused++;
      throw new ApiError('NotFound', { kind: 'path', name: 'GET /service/summary' });
    });
    await bench.clock.advance(20 * observeMs);
    expect(refused).toBe(1);
    expect(bench.calls()['GET /service']).toBeGreaterThanOrEqual(19);
    await bench.clock.advance(3_600_000);
    expect(refused).toBe(2);
    vi.restoreAllMocks();
  });

  it.each([
    ['compression', { compression: 'gzip' } as const],
    ['tags', { entityTag: 'weak' } as const],
    ['both', { compression: 'gzip', entityTag: 'weak' } as const],
  ])('with %s of the platform, every change is noticed', async (_, behaviour) => {
    bench = new Bench();
    bench.platform.setBehaviour(behaviour);
    for (let number = 1; number <= 50; number++) bench.make(`s-${number}`);
    await bench.start();
    await bench.look();
    expect(await bench.look()).toEqual([]);
    bench.make('new');
    expect(await bench.look()).toEqual(['default/new']);
    bench.platform.controlService(bench.platform.serviceNamed('s-7')?.id ?? '', 'stop');
    expect(await bench.look()).toEqual(['default/s-7']);
    bench.platform.deleteService(bench.platform.serviceNamed('s-9')?.id ?? '');
    expect(await bench.look()).toEqual(['default/s-9']);
    expect(await bench.look()).toEqual([]);
    expect(bench.observer.services.listedCount).toBe(50);
  });

  it('a poll at rest lists the instances of our services, if they are few, and of no others', async () => {
    const [mine = ''] = await started('mine', 'other');
    bench.observer.decided('mine', await bench.manager.find('mine'), []);
    const before = bench.simulator.journal.last;
    await bench.clock.advance(4.5 * observeMs);
    const sweeps = bench.simulator.journal
      .entries(before)
      .filter(({ endpoint }) => endpoint === 'GET /container/service');
    expect(sweeps).toHaveLength(3);
    for (const { target } of sweeps) {
      expect(target).toContain(mine);
      expect(target).not.toContain(bench.platform.serviceNamed('other')?.id);
    }
  });
});

describe('owners are enqueued', () => {
  it('by no service at the first poll, then by created, changed and deleted ones', async () => {
    await started('web', 'lab.api');
    expect(bench.enqueued).toEqual([]);
    bench.make('new');
    expect(await bench.look()).toEqual(['default/new']);
    bench.platform.controlService(bench.platform.serviceNamed('lab.api')?.id ?? '', 'stop');
    expect(await bench.look()).toEqual(['lab/api']);
    bench.platform.deleteService(bench.platform.serviceNamed('web')?.id ?? '');
    expect(await bench.look()).toEqual(['default/web']);
    expect(await bench.look()).toEqual([]);
  });

  it('for both meanings of a name: a complete one, or one with a revision', async () => {
    await started('a');
    bench.make('a-12345678');
    expect(await bench.look()).toEqual(['default/a', 'default/a-12345678']);
    expect(bench.poller.idsOf('a')).toHaveLength(2);
    expect(bench.poller.idsOf('a-12345678')).toHaveLength(1);
  });

  it('by a new name, and by the one before', async () => {
    const [id = ''] = await started('one');
    const { name: _, ...service } = bench.platform.service(id) ?? expect.fail();
    bench.platform.updateService(id, { ...service, name: 'two' });
    expect(await bench.look()).toEqual(['default/one', 'default/two']);
    expect(bench.poller.idsOf('one')).toEqual([]);
  });

  it('by a node that goes offline or online, if they may run there or wait for it', async () => {
    await started('web');
    bench.observer.decided('moved', [], ['node-2']);
    await bench.clock.advance(observeMs);
    bench.platform.cutNode(bench.platform.nodeNamed('node-2')?.id ?? '');
    await bench.clock.advance(observeMs + 2_000);
    expect(new Set(bench.enqueued)).toEqual(new Set(['default/web', 'default/moved']));
    const { offlineNodes } = await bench.observer.snapshot('web', new AbortController().signal);
    expect(offlineNodes).toEqual(new Set(['node-2']));
  });

  it('by an instance whose change is in no row, at the next sweep', async () => {
    const [id = ''] = await started('web');
    bench.observer.decided('web', await bench.manager.find('web'), []);
    await bench.clock.advance(3 * observeMs);
    const [first] = bench.platform.containersOfService(id);
    bench.platform.killContainer(first?.taskId ?? '');
    // A crash loop is noticed as soon as any other change.
    await bench.clock.advance(observeMs + 2_000);
    expect(bench.enqueued).toContain('default/web');
    bench.observer.decided('web', await bench.manager.find('web'), []);
    bench.enqueued.length = 0;
    await bench.clock.advance(2 * observeMs);
    expect(bench.enqueued).toEqual([]);
  });

  it('by an instance of a large fleet, which is swept part by part as the budget allows', async () => {
    bench = new Bench();
    for (let number = 1; number <= 200; number++) bench.make(`s-${number}`);
    await bench.start();
    for (let number = 1; number <= 200; number++)
      bench.observer.decided(`s-${number}`, await bench.manager.find(`s-${number}`), []);
    const [first] = bench.platform.containersOfService(bench.platform.serviceNamed('s-150')?.id ?? '');
    bench.platform.killContainer(first?.taskId ?? '');
    const before = bench.recorder.bytesOf('GET /container/service');
    await bench.clock.advance(3_600_000);
    expect(bench.enqueued).toEqual(['default/s-150']);
    // A thirty-second of the budget.
    expect(bench.recorder.bytesOf('GET /container/service') - before).toBeLessThan((8_000 / 32) * 3_600 * 1.2);
  });

  it('by a service that was not ready at its reconcile, at the next poll only', async () => {
    await started('web');
    const decideOn = async () => {
      const services = await bench.manager.find('web');
      bench.observer.decided('web', services, []);
      for (const service of services) bench.observer.services.recheck(service);
    };
    await decideOn();
    expect(await bench.look()).toEqual(['default/web']);
    await decideOn();
    expect(await bench.look()).toEqual([]);
  });
});

describe('idsOf', () => {
  it('returns the services of a name, and undefined after a creation until the next poll', async () => {
    bench = new Bench();
    expect(bench.poller.idsOf('web')).toBeUndefined();
    await bench.start();
    expect(bench.poller.idsOf('web')).toEqual([]);
    bench.poller.nameUsed('web');
    expect(bench.poller.idsOf('web')).toBeUndefined();
    const id = bench.make('web');
    await bench.look();
    expect(bench.poller.idsOf('web')).toEqual([id]);
  });
});

describe('in bulk mode', () => {
  it('it polls more often while a large part of all services is in progress', async () => {
    await started('a', 'b', 'c');
    bench.poller.setInProgress('a', true);
    const before = bench.simulator.journal.last;
    await bench.clock.advance(20_000);
    const hurried = bench.calls(before);
    expect(hurried['GET /service']).toBeGreaterThanOrEqual(8);
    // Nodes are polled as before.
    expect(hurried['GET /node']).toBeLessThanOrEqual(3);
    expect(bench.poller.requeueMs('a')).toBeGreaterThan(pollMs);
    bench.poller.setInProgress('a', false);
    await bench.clock.advance(3_000);
    const later = bench.simulator.journal.last;
    await bench.clock.advance(20_000);
    expect(bench.calls(later)['GET /service']).toBeLessThanOrEqual(2);
  });

  it('services in progress are enqueued when it ends', async () => {
    bench = new Bench();
    for (let number = 1; number <= 300; number++) bench.make(`s-${number}`);
    await bench.start();
    const follow = (name: string, isUnderWay: boolean) => bench.poller.setInProgress(name, isUnderWay);
    for (let number = 1; number <= 10; number++) follow(`s-${number}`, true);
    await bench.clock.advance(5_000);
    bench.enqueued.length = 0;
    for (let number = 1; number <= 8; number++) follow(`s-${number}`, false);
    await bench.clock.advance(5_000);
    // Two are not few enough to change the way.
    expect(bench.enqueued).toEqual([]);
    follow('s-9', false);
    await bench.clock.advance(5_000);
    expect(bench.enqueued).toEqual(['default/s-10']);
  });

  it('it polls at least as often as at rest', async () => {
    bench = new Bench(pollMs / 4);
    bench.make('a');
    await bench.start();
    bench.poller.setInProgress('a', true);
    const before = bench.simulator.journal.last;
    await bench.clock.advance(20_000);
    expect(bench.calls(before)['GET /service']).toBeGreaterThanOrEqual(35);
  });

  it('it does not list a thousand services for one in progress', async () => {
    bench = new Bench();
    for (let number = 1; number <= 100; number++) bench.make(`s-${number}`);
    await bench.start();
    bench.poller.setInProgress('s-1', true);
    expect(bench.poller.requeueMs('s-1')).toBe(pollMs);
    const before = bench.simulator.journal.last;
    await bench.clock.advance(12_000);
    expect(bench.calls(before)['GET /service']).toBeLessThanOrEqual(2);
  });
});

describe('a platform that does not respond', () => {
  it('is not polled while it is unreachable, and polled as soon as it responds', async () => {
    await started('web');
    bench.simulator.link.set({ lossPercent: 100 });
    await bench.clock.advance(120_000);
    const before = bench.simulator.journal.last;
    await bench.clock.advance(600_000);
    expect(Object.keys(bench.calls(before))).toEqual(['GET /service/summary']);
    bench.platform.deleteService(bench.platform.serviceNamed('web')?.id ?? '');
    bench.enqueued.length = 0;
    bench.simulator.link.heal();
    await bench.clock.until(() => bench.breaker.state === 'reachable');
    await bench.clock.advance(10);
    expect(bench.enqueued).toEqual(['default/web']);
    expect(bench.poller.ready()).toBeUndefined();
  });

  it('from the start blocks no reconcile, and all owners are enqueued at the first successful poll', async () => {
    bench = new Bench();
    bench.make('web');
    bench.simulator.link.set({ lossPercent: 100 });
    await bench.start();
    let isOver = false;
    void bench.poller.firstPoll(new AbortController().signal).then(() => {
      isOver = true;
    });
    await bench.clock.advance(30_000);
    expect(isOver).toBe(true);
    expect(bench.poller.ready()).toMatch(/has not completed/);
    bench.simulator.link.heal();
    await bench.clock.advance(30_000);
    expect(bench.enqueued).toEqual(['default/web']);
  });
});

describe('nodes', () => {
  it('are fetched once for concurrent callers, and cached', async () => {
    await started();
    let fetches = 0;
    const nodes = new NodeCache(bench.clock, async () => new Set([`node-${++fetches}`]));
    const { signal } = new AbortController();
    await Promise.all([nodes.read(1_000, signal), nodes.read(1_000, signal)]);
    expect(fetches).toBe(1);
    await bench.clock.advance(999);
    expect(await nodes.read(1_000, signal)).toEqual(new Set(['node-1']));
    await bench.clock.advance(1);
    expect(await nodes.read(1_000, signal)).toEqual(new Set(['node-2']));
  });

  it('that could not be fetched are fetched again', async () => {
    await started();
    let fetches = 0;
    const nodes = new NodeCache(bench.clock, async () => {
      if (++fetches === 1) throw new ApiError('Unavailable', { what: 'x', reason: 'y' });
      return new Set();
    });
    const { signal } = new AbortController();
    await expect(nodes.read(1_000, signal)).rejects.toThrow('unavailable');
    await nodes.read(1_000, signal);
    expect(fetches).toBe(2);
  });
});
