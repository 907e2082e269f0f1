/** Goal: the parts of a process start and stop in order, also after failures. Method: virtual time, real HTTP. */
import { settled, Widget } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import type { Registry } from '../registry/contract.ts';
import { Stage } from './election.kit.ts';
import { Lease } from './lease.ts';
import { Manager, type ManagerOptions } from './manager.ts';
import type { RunContext, Runnable } from './runnable.ts';
import { MemoryLog } from './virtual.kit.ts';

/** A manager, and the events of its runnables. */
class Scene {
  readonly stage = new Stage();
  readonly events: string[] = [];
  readonly log = new MemoryLog();
  readonly life = new AbortController();
  readonly manager: Manager;
  readonly registries: Registry[] = [];
  ended: Promise<void> = Promise.resolve();

  constructor(options: Partial<ManagerOptions> | ((stage: Stage) => Partial<ManagerOptions>) = {}) {
    const own = typeof options === 'function' ? options(this.stage) : options;
    this.manager = new Manager({ registry: this.stage.registry, log: this.log, ...own });
  }

  /** Records its start, the abort of its signal and, `drainMs` later, its end. */
  part(name: string, more: Partial<Runnable> & { readonly drainMs?: number } = {}): Runnable {
    const { drainMs = 10, ...rest } = more;
    return {
      name,
      run: async ({ registry, signal }: RunContext) => {
        this.registries.push(registry);
        this.events.push(`${name} starts`);
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        this.events.push(`${name} is stopping`);
        await new Promise<void>((resolve) => void this.stage.clock.after(drainMs, resolve));
        this.events.push(`${name} ends`);
      },
      ...rest,
    };
  }

  start(): this {
    this.ended = this.manager.run({ signal: this.life.signal });
    this.ended.catch(() => {});
    return this;
  }

  async stop(): Promise<void> {
    this.life.abort();
    await this.stage.clock.advance(60_000);
    await this.ended;
  }
}

const elected = (stage: Stage) => ({ election: stage.candidate('a').election });
const get = async (fixture: Scene, path: string) => {
  const response = await fetch(`${fixture.manager.url}${path}`);
  return `${response.status} ${await response.text()}`;
};
/** Real HTTP beside virtual time. */
const listening = async (fixture: Scene) => {
  while (fixture.manager.url === undefined) await settled();
  await settled();
};

describe('a manager', () => {
  it('starts parts without a leader first, then the rest, each in order, and stops in reverse', async () => {
    const fixture = new Scene();
    const { manager, events } = fixture;
    manager.add(fixture.part('lead-1')).add(fixture.part('free-1', { needsLeader: false }));
    manager.add(fixture.part('lead-2')).add(fixture.part('free-2', { needsLeader: false }));
    fixture.start();
    await settled();
    expect(manager.state).toBe('running');
    await fixture.stop();
    expect(events.filter((line) => line.endsWith('starts'))).toEqual([
      'free-1 starts',
      'free-2 starts',
      'lead-1 starts',
      'lead-2 starts',
    ]);
    expect(events.slice(4)).toEqual(
      ['lead-2', 'lead-1', 'free-2', 'free-1'].flatMap((name) => [`${name} is stopping`, `${name} ends`]),
    );
    expect(manager.state).toBe('stopped');
    expect(fixture.stage.clock.timers).toBe(0);
  });

  it('without an election starts all parts immediately, on the plain registry', async () => {
    const fixture = new Scene();
    fixture.manager.add(fixture.part('lead'));
    fixture.start();
    await settled();
    expect(fixture.events).toEqual(['lead starts']);
    await fixture.registries[0]?.resource(Widget).create({ metadata: { name: 'a' }, spec: {} });
    await expect(fixture.stage.lease()).rejects.toMatchObject({ code: 'NotFound' });
    await fixture.stop();
  });

  it('ends with the error of the part that fails, after the others have stopped', async () => {
    const fixture = new Scene();
    fixture.manager.add(fixture.part('free', { needsLeader: false })).add(fixture.part('lead'));
    fixture.manager.add({
      name: 'broken',
      run: async () => {
        await new Promise<void>((resolve) => void fixture.stage.clock.after(1_000, resolve));
        throw new Error('broken');
      },
    });
    fixture.start();
    await fixture.stage.clock.advance(2_000);
    await expect(fixture.ended).rejects.toThrow('broken');
    expect(fixture.events.slice(2)).toEqual(['lead is stopping', 'lead ends', 'free is stopping', 'free ends']);
    expect(fixture.log.messages('error')).toEqual(['a runnable failed; stopping the manager']);
  });

  it('ends with the first error when a second part fails while it stops', async () => {
    const fixture = new Scene();
    const failing = (name: string, until: (signal: AbortSignal) => Promise<void>): Runnable => ({
      name,
      run: async ({ signal }) => {
        await until(signal);
        throw new Error(name);
      },
    });
    const later = () => new Promise<void>((resolve) => void fixture.stage.clock.after(1_000, resolve));
    const told = (signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    fixture.manager.add(failing('second', told)).add(failing('first', later));
    fixture.start();
    await fixture.stage.clock.advance(60_000);
    await expect(fixture.ended).rejects.toThrow('first');
  });

  it('ends with the error of a part that throws before it waits for anything', async () => {
    const fixture = new Scene();
    fixture.manager.add(fixture.part('lead')).add({
      name: 'broken',
      needsLeader: false,
      run: () => {
        throw new Error('at once');
      },
    });
    fixture.start();
    await fixture.stage.clock.advance(100);
    await expect(fixture.ended).rejects.toThrow('at once');
    expect(fixture.events).toEqual([]);
  });

  it('ends with the error of a part that fails while it stops', async () => {
    const fixture = new Scene();
    const failing = async ({ signal }: RunContext) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      throw new Error('could not flush');
    };
    fixture.manager.add(fixture.part('lead')).add({ name: 'broken', run: failing });
    fixture.start();
    await settled();
    await expect(fixture.stop()).rejects.toThrow('could not flush');
    expect(fixture.events.at(-1)).toBe('lead ends');
  });

  it('continues when a runnable ends by itself, and ignores an AbortError', async () => {
    const fixture = new Scene();
    fixture.manager.add({ name: 'once', run: async () => {} }).add({
      name: 'abrupt',
      run: ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    fixture.start();
    await fixture.stage.clock.advance(10_000);
    expect(fixture.manager.state).toBe('running');
    await fixture.stop();
  });

  it('waits for work in flight up to a time limit', async () => {
    const fixture = new Scene({ stopMsMax: 5_000 });
    fixture.manager.add(fixture.part('free', { needsLeader: false }));
    fixture.manager.add({ name: 'stuck', run: () => new Promise(() => {}) });
    fixture.start();
    await settled();
    fixture.life.abort();
    await fixture.stage.clock.advance(4_000);
    expect([fixture.manager.state, fixture.events]).toEqual(['stopping', ['free starts']]);
    await fixture.stage.clock.advance(1_000);
    await expect(fixture.ended).rejects.toMatchObject({
      code: 'Timeout',
      message: 'stuck, free (stopping) did not respond within 5000 ms',
    });
    expect(fixture.events).toContain('free is stopping');
  });

  it('starts nothing if the signal aborted before', async () => {
    const fixture = new Scene();
    fixture.manager.add(fixture.part('lead'));
    fixture.life.abort();
    fixture.start();
    await fixture.ended;
    expect(fixture.events).toEqual([]);
  });

  it('runs once, and then accepts no more parts', async () => {
    const fixture = new Scene();
    fixture.start();
    expect(() => fixture.manager.add(fixture.part('late'))).toThrow('cannot be added');
    await expect(fixture.manager.run({ signal: fixture.life.signal })).rejects.toThrow('a manager can run only once');
    await fixture.stop();
  });

  it.each(['lead', 'store', 'shutdown'])('rejects two parts or checks called %s', (name) => {
    const fixture = new Scene({ readyChecks: { store: () => undefined } });
    fixture.manager.add(fixture.part('lead'));
    expect(() => fixture.manager.add(fixture.part(name))).toThrow('already exists');
  });
});

describe('a manager with an election', () => {
  it('runs leader parts only while it leads, on a fenced registry, and the rest immediately', async () => {
    const fixture = new Scene(elected);
    const { stage, events } = fixture;
    const other = stage.candidate('b').start();
    await settled();
    fixture.manager.add(fixture.part('free', { needsLeader: false })).add(fixture.part('lead'));
    fixture.start();
    await stage.clock.advance(30_000);
    expect(events).toEqual(['free starts']);
    other.life.abort();
    await stage.clock.advance(3_000);
    expect(events).toEqual(['free starts', 'lead starts']);
    await stage.registry.raiseFence('default.main');
    const widgets = fixture.registries[1]?.resource(Widget);
    await expect(widgets?.create({ metadata: { name: 'a' }, spec: {} })).rejects.toMatchObject({ code: 'Fenced' });
    await fixture.stop();
  });

  it('stops only leader parts when the lease is lost, and starts them again', async () => {
    const fixture = new Scene(elected);
    const { stage, events } = fixture;
    fixture.manager
      .add(fixture.part('free', { needsLeader: false }))
      .add(fixture.part('lead-1'))
      .add(fixture.part('lead-2'));
    fixture.start();
    await stage.clock.advance(1_000);
    const link = stage.candidates[0]?.link as { is: string };
    link.is = 'down';
    await stage.clock.advance(20_000);
    // All at once: there is no time for one after the other.
    const stopped = ['lead-2 is stopping', 'lead-1 is stopping', 'lead-2 ends', 'lead-1 ends'];
    expect(events.slice(3)).toEqual(stopped);
    expect(fixture.manager.state).toBe('running');
    link.is = 'up';
    await stage.clock.advance(5_000);
    expect(events.slice(7)).toEqual(['lead-1 starts', 'lead-2 starts']);
    await fixture.stop();
  });

  it('holds the lease until the parts have stopped in reverse, then releases it', async () => {
    const fixture = new Scene(elected);
    const { stage, events } = fixture;
    fixture.manager.add(fixture.part('free', { needsLeader: false }));
    fixture.manager.add(fixture.part('lead-1', { drainMs: 9_000 })).add(fixture.part('lead-2', { drainMs: 9_000 }));
    fixture.start();
    await stage.clock.advance(1_000);
    fixture.life.abort();
    await stage.clock.advance(17_000);
    expect((await stage.lease()).spec.holderIdentity).toBe('a');
    expect(events.at(-1)).toBe('lead-1 is stopping');
    await stage.clock.advance(1_500);
    await fixture.ended;
    expect((await stage.lease()).spec.holderIdentity).toBe('');
    expect(events.slice(-2)).toEqual(['free is stopping', 'free ends']);
  });

  it('treats a fenced write as a lost lease, not as a failure', async () => {
    const fixture = new Scene(elected);
    const { stage } = fixture;
    let starts = 0;
    fixture.manager.add(fixture.part('other')).add({
      name: 'writer',
      run: async ({ signal }) => {
        if (++starts === 1) throw new ApiError('Fenced', { fence: 'default.main', epoch: 1 });
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    });
    fixture.start();
    await stage.clock.until(() => starts === 2, 5_000);
    expect(fixture.events).toEqual(['other starts', 'other is stopping', 'other ends', 'other starts']);
    await fixture.stop();
  });

  it('continues when a part fails while it stops because the lease is lost', async () => {
    const fixture = new Scene(elected);
    const { stage } = fixture;
    let starts = 0;
    fixture.manager.add({
      name: 'writer',
      run: async ({ signal }) => {
        starts++;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        if (starts === 1) throw new Error('interrupted');
      },
    });
    fixture.start();
    await stage.clock.advance(1_000);
    await stage.registry.resource(Lease).delete('main');
    await stage.clock.until(() => starts === 2, 10_000);
    expect(fixture.log.messages('warn')).toEqual(['a runnable failed while stopping after the lease was lost']);
    await fixture.stop();
  });

  it('ends if a part does not stop when the lease is lost', async () => {
    const fixture = new Scene((stage) => ({ ...elected(stage), stopMsMax: 5_000 }));
    const { stage } = fixture;
    fixture.manager.add({ name: 'stuck', run: () => new Promise(() => {}) });
    fixture.start();
    await stage.clock.advance(1_000);
    await stage.registry.resource(Lease).delete('main');
    await stage.clock.advance(60_000);
    await expect(fixture.ended).rejects.toMatchObject({ code: 'Timeout' });
  });

  it('stops immediately while it waits for the lease', async () => {
    const fixture = new Scene(elected);
    const other = fixture.stage.candidate('b').start();
    await settled();
    fixture.manager.add(fixture.part('lead'));
    fixture.start();
    await fixture.stage.clock.advance(100);
    fixture.life.abort();
    await fixture.ended;
    expect(fixture.events).toEqual([]);
    other.life.abort();
  });
});

describe('health of a manager', () => {
  const health = {};

  it('is served before anything starts, and until everything has stopped', async () => {
    const fixture = new Scene({ health, healthChecks: { disk: () => undefined } });
    let urlAtStart: string | undefined;
    fixture.manager.add(fixture.part('lead')).add({
      name: 'curious',
      run: async () => {
        urlAtStart = fixture.manager.url;
      },
    });
    fixture.start();
    await listening(fixture);
    expect(urlAtStart).toBe(fixture.manager.url);
    expect(await get(fixture, '/healthz?verbose')).toBe('200 [+]ping ok\n[+]disk ok\nhealthz check passed\n');
    fixture.life.abort();
    await settled();
    expect(await get(fixture, '/readyz/shutdown')).toBe('500 shutdown failed: the manager is stopping\n');
    const url = fixture.manager.url;
    await fixture.stop();
    expect(fixture.manager.url).toBeUndefined();
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  it('is ready when its parts and its checks are', async () => {
    let reason: string | undefined = 'not listed yet';
    const fixture = new Scene({ health, readyChecks: { store: () => undefined } });
    fixture.manager.add(fixture.part('widgets', { ready: () => reason }));
    fixture.start();
    await listening(fixture);
    expect(await get(fixture, '/readyz')).toBe(
      '500 [+]shutdown ok\n[+]store ok\n[-]widgets failed: not listed yet\nreadyz check failed\n',
    );
    reason = undefined;
    expect(await get(fixture, '/readyz')).toBe('200 ok');
    await fixture.stop();
  });

  it('is ready while it waits for the lease, and shows the leader', async () => {
    const fixture = new Scene((stage) => ({ ...elected(stage), health }));
    const { stage } = fixture;
    const other = stage.candidate('b').start();
    await settled();
    fixture.manager.add(fixture.part('widgets', { ready: () => 'not listed yet' }));
    fixture.start();
    await listening(fixture);
    expect(await get(fixture, '/readyz')).toBe('200 ok');
    expect(await get(fixture, '/metrics')).toContain('leader_election_master_status{name="main"} 0\n');
    other.life.abort();
    await stage.clock.until(() => fixture.events.length > 0, 5_000);
    expect(await get(fixture, '/readyz/widgets')).toBe('500 widgets failed: not listed yet\n');
    expect(await get(fixture, '/metrics')).toContain('leader_election_master_status{name="main"} 1\n');
    await fixture.stop();
  });

  it('that cannot be served ends the manager before anything starts', async () => {
    const fixture = new Scene({ health: { host: '0.0.0.0' } });
    fixture.manager.add(fixture.part('lead'));
    fixture.start();
    await expect(fixture.ended).rejects.toMatchObject({ code: 'Forbidden' });
    expect([fixture.events, fixture.manager.state]).toEqual([[], 'stopped']);
  });

  it('requires names of checks that fit into a path', () => {
    expect(() => new Scene({ readyChecks: { 'a/b': () => undefined } })).toThrow('is not a valid check name');
  });
});
