/** Goal: what a process runs starts and stops in order, whatever happens. Method: virtual time, real HTTP. */
import { settled } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import type { Registry } from '../registry/contract.ts';
import { Widget } from '../registry/widget.kit.ts';
import { Stage } from './election.kit.ts';
import { Lease } from './lease.ts';
import { Manager, type ManagerOptions } from './manager.ts';
import type { RunContext, Runnable } from './runnable.ts';
import { MemoryLog } from './virtual.kit.ts';

/** A manager, and the story of its runnables. */
class Scene {
  readonly stage = new Stage();
  readonly story: string[] = [];
  readonly log = new MemoryLog();
  readonly life = new AbortController();
  readonly manager: Manager;
  readonly registries: Registry[] = [];
  ended: Promise<void> = Promise.resolve();

  constructor(options: Partial<ManagerOptions> | ((stage: Stage) => Partial<ManagerOptions>) = {}) {
    const own = typeof options === 'function' ? options(this.stage) : options;
    this.manager = new Manager({ registry: this.stage.registry, log: this.log, ...own });
  }

  /** Writes down its start, that it is told to stop and, `drainMs` later, its end. */
  part(name: string, more: Partial<Runnable> & { readonly drainMs?: number } = {}): Runnable {
    const { drainMs = 10, ...rest } = more;
    return {
      name,
      run: async ({ registry, signal }: RunContext) => {
        this.registries.push(registry);
        this.story.push(`${name} starts`);
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        this.story.push(`${name} is told`);
        await new Promise<void>((resolve) => void this.stage.clock.after(drainMs, resolve));
        this.story.push(`${name} ends`);
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
const get = async (scene: Scene, path: string) => {
  const response = await fetch(`${scene.manager.url}${path}`);
  return `${response.status} ${await response.text()}`;
};
/** Real HTTP beside virtual time. */
const listening = async (scene: Scene) => {
  while (scene.manager.url === undefined) await settled();
  await settled();
};

describe('a manager', () => {
  it('starts parts without a leader first, then the rest, each in order, and stops in reverse', async () => {
    const scene = new Scene();
    const { manager, story } = scene;
    manager.add(scene.part('lead-1')).add(scene.part('free-1', { needsLeader: false }));
    manager.add(scene.part('lead-2')).add(scene.part('free-2', { needsLeader: false }));
    scene.start();
    await settled();
    expect(manager.state).toBe('running');
    await scene.stop();
    expect(story.filter((line) => line.endsWith('starts'))).toEqual([
      'free-1 starts',
      'free-2 starts',
      'lead-1 starts',
      'lead-2 starts',
    ]);
    expect(story.slice(4)).toEqual(
      ['lead-2', 'lead-1', 'free-2', 'free-1'].flatMap((name) => [`${name} is told`, `${name} ends`]),
    );
    expect(manager.state).toBe('stopped');
    expect(scene.stage.clock.timers).toBe(0);
  });

  it('without an election starts all parts immediately, on the plain registry', async () => {
    const scene = new Scene();
    scene.manager.add(scene.part('lead'));
    scene.start();
    await settled();
    expect(scene.story).toEqual(['lead starts']);
    await scene.registries[0]?.resource(Widget).create({ metadata: { name: 'a' }, spec: {} });
    await expect(scene.stage.lease()).rejects.toMatchObject({ code: 'NotFound' });
    await scene.stop();
  });

  it('ends with the error of the part that fails, after the others have stopped', async () => {
    const scene = new Scene();
    scene.manager.add(scene.part('free', { needsLeader: false })).add(scene.part('lead'));
    scene.manager.add({
      name: 'broken',
      run: async () => {
        await new Promise<void>((resolve) => void scene.stage.clock.after(1_000, resolve));
        throw new Error('broken');
      },
    });
    scene.start();
    await scene.stage.clock.advance(2_000);
    await expect(scene.ended).rejects.toThrow('broken');
    expect(scene.story.slice(2)).toEqual(['lead is told', 'lead ends', 'free is told', 'free ends']);
    expect(scene.log.messages('error')).toEqual(['a runnable failed; stopping the manager']);
  });

  it('ends with the first error when a second part fails while it stops', async () => {
    const scene = new Scene();
    const failing = (name: string, until: (signal: AbortSignal) => Promise<void>): Runnable => ({
      name,
      run: async ({ signal }) => {
        await until(signal);
        throw new Error(name);
      },
    });
    const later = () => new Promise<void>((resolve) => void scene.stage.clock.after(1_000, resolve));
    const told = (signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    scene.manager.add(failing('second', told)).add(failing('first', later));
    scene.start();
    await scene.stage.clock.advance(60_000);
    await expect(scene.ended).rejects.toThrow('first');
  });

  it('ends with the error of a part that throws before it waits for anything', async () => {
    const scene = new Scene();
    scene.manager.add(scene.part('lead')).add({
      name: 'broken',
      needsLeader: false,
      run: () => {
        throw new Error('at once');
      },
    });
    scene.start();
    await scene.stage.clock.advance(100);
    await expect(scene.ended).rejects.toThrow('at once');
    expect(scene.story).toEqual([]);
  });

  it('ends with the error of a part that fails while it stops', async () => {
    const scene = new Scene();
    const failing = async ({ signal }: RunContext) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      throw new Error('could not flush');
    };
    scene.manager.add(scene.part('lead')).add({ name: 'broken', run: failing });
    scene.start();
    await settled();
    await expect(scene.stop()).rejects.toThrow('could not flush');
    expect(scene.story.at(-1)).toBe('lead ends');
  });

  it('continues when a runnable ends by itself, and ignores an AbortError', async () => {
    const scene = new Scene();
    scene.manager.add({ name: 'once', run: async () => {} }).add({
      name: 'abrupt',
      run: ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    scene.start();
    await scene.stage.clock.advance(10_000);
    expect(scene.manager.state).toBe('running');
    await scene.stop();
  });

  it('waits for work in flight up to a time limit', async () => {
    const scene = new Scene({ stopMsMax: 5_000 });
    scene.manager.add(scene.part('free', { needsLeader: false }));
    scene.manager.add({ name: 'stuck', run: () => new Promise(() => {}) });
    scene.start();
    await settled();
    scene.life.abort();
    await scene.stage.clock.advance(4_000);
    expect([scene.manager.state, scene.story]).toEqual(['stopping', ['free starts']]);
    await scene.stage.clock.advance(1_000);
    await expect(scene.ended).rejects.toMatchObject({
      code: 'Timeout',
      message: 'stuck, free (stopping) did not respond within 5000 ms',
    });
    expect(scene.story).toContain('free is told');
  });

  it('starts nothing if the signal aborted before', async () => {
    const scene = new Scene();
    scene.manager.add(scene.part('lead'));
    scene.life.abort();
    scene.start();
    await scene.ended;
    expect(scene.story).toEqual([]);
  });

  it('runs once, and then accepts no more parts', async () => {
    const scene = new Scene();
    scene.start();
    expect(() => scene.manager.add(scene.part('late'))).toThrow('cannot be added');
    await expect(scene.manager.run({ signal: scene.life.signal })).rejects.toThrow('a manager can run only once');
    await scene.stop();
  });

  it.each(['lead', 'store', 'shutdown'])('rejects two parts or checks called %s', (name) => {
    const scene = new Scene({ readyChecks: { store: () => undefined } });
    scene.manager.add(scene.part('lead'));
    expect(() => scene.manager.add(scene.part(name))).toThrow('already exists');
  });
});

describe('a manager with an election', () => {
  it('runs leader parts only while it leads, on a fenced registry, and the rest immediately', async () => {
    const scene = new Scene(elected);
    const { stage, story } = scene;
    const other = stage.candidate('b').start();
    await settled();
    scene.manager.add(scene.part('free', { needsLeader: false })).add(scene.part('lead'));
    scene.start();
    await stage.clock.advance(30_000);
    expect(story).toEqual(['free starts']);
    other.life.abort();
    await stage.clock.advance(3_000);
    expect(story).toEqual(['free starts', 'lead starts']);
    await stage.registry.raiseFence('default.main');
    const widgets = scene.registries[1]?.resource(Widget);
    await expect(widgets?.create({ metadata: { name: 'a' }, spec: {} })).rejects.toMatchObject({ code: 'Fenced' });
    await scene.stop();
  });

  it('stops only leader parts when the lease is lost, and starts them again', async () => {
    const scene = new Scene(elected);
    const { stage, story } = scene;
    scene.manager
      .add(scene.part('free', { needsLeader: false }))
      .add(scene.part('lead-1'))
      .add(scene.part('lead-2'));
    scene.start();
    await stage.clock.advance(1_000);
    const link = stage.candidates[0]?.link as { is: string };
    link.is = 'down';
    await stage.clock.advance(20_000);
    // All at once: there is no time for one after the other.
    const stopped = ['lead-2 is told', 'lead-1 is told', 'lead-2 ends', 'lead-1 ends'];
    expect(story.slice(3)).toEqual(stopped);
    expect(scene.manager.state).toBe('running');
    link.is = 'up';
    await stage.clock.advance(5_000);
    expect(story.slice(7)).toEqual(['lead-1 starts', 'lead-2 starts']);
    await scene.stop();
  });

  it('holds the lease until the parts have stopped in reverse, then releases it', async () => {
    const scene = new Scene(elected);
    const { stage, story } = scene;
    scene.manager.add(scene.part('free', { needsLeader: false }));
    scene.manager.add(scene.part('lead-1', { drainMs: 9_000 })).add(scene.part('lead-2', { drainMs: 9_000 }));
    scene.start();
    await stage.clock.advance(1_000);
    scene.life.abort();
    await stage.clock.advance(17_000);
    expect((await stage.lease()).spec.holderIdentity).toBe('a');
    expect(story.at(-1)).toBe('lead-1 is told');
    await stage.clock.advance(1_500);
    await scene.ended;
    expect((await stage.lease()).spec.holderIdentity).toBe('');
    expect(story.slice(-2)).toEqual(['free is told', 'free ends']);
  });

  it('treats a fenced write as a lost lease, not as a failure', async () => {
    const scene = new Scene(elected);
    const { stage } = scene;
    let starts = 0;
    scene.manager.add(scene.part('other')).add({
      name: 'writer',
      run: async ({ signal }) => {
        if (++starts === 1) throw new ApiError('Fenced', { fence: 'default.main', epoch: 1 });
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    });
    scene.start();
    await stage.clock.until(() => starts === 2, 5_000);
    expect(scene.story).toEqual(['other starts', 'other is told', 'other ends', 'other starts']);
    await scene.stop();
  });

  it('continues when a part fails while it stops because the lease is lost', async () => {
    const scene = new Scene(elected);
    const { stage } = scene;
    let starts = 0;
    scene.manager.add({
      name: 'writer',
      run: async ({ signal }) => {
        starts++;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        if (starts === 1) throw new Error('interrupted');
      },
    });
    scene.start();
    await stage.clock.advance(1_000);
    await stage.registry.resource(Lease).delete('main');
    await stage.clock.until(() => starts === 2, 10_000);
    expect(scene.log.messages('warn')).toEqual(['a runnable failed while stopping after the lease was lost']);
    await scene.stop();
  });

  it('ends if a part does not stop when the lease is lost', async () => {
    const scene = new Scene((stage) => ({ ...elected(stage), stopMsMax: 5_000 }));
    const { stage } = scene;
    scene.manager.add({ name: 'stuck', run: () => new Promise(() => {}) });
    scene.start();
    await stage.clock.advance(1_000);
    await stage.registry.resource(Lease).delete('main');
    await stage.clock.advance(60_000);
    await expect(scene.ended).rejects.toMatchObject({ code: 'Timeout' });
  });

  it('stops immediately while it waits for the lease', async () => {
    const scene = new Scene(elected);
    const other = scene.stage.candidate('b').start();
    await settled();
    scene.manager.add(scene.part('lead'));
    scene.start();
    await scene.stage.clock.advance(100);
    scene.life.abort();
    await scene.ended;
    expect(scene.story).toEqual([]);
    other.life.abort();
  });
});

describe('health of a manager', () => {
  const health = {};

  it('is served before anything starts, and until everything has stopped', async () => {
    const scene = new Scene({ health, healthChecks: { disk: () => undefined } });
    let urlAtStart: string | undefined;
    scene.manager.add(scene.part('lead')).add({
      name: 'curious',
      run: async () => {
        urlAtStart = scene.manager.url;
      },
    });
    scene.start();
    await listening(scene);
    expect(urlAtStart).toBe(scene.manager.url);
    expect(await get(scene, '/healthz?verbose')).toBe('200 [+]ping ok\n[+]disk ok\nhealthz check passed\n');
    scene.life.abort();
    await settled();
    expect(await get(scene, '/readyz/shutdown')).toBe('500 shutdown failed: the manager is stopping\n');
    const url = scene.manager.url;
    await scene.stop();
    expect(scene.manager.url).toBeUndefined();
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  it('is ready when its parts and its checks are', async () => {
    let reason: string | undefined = 'not listed yet';
    const scene = new Scene({ health, readyChecks: { store: () => undefined } });
    scene.manager.add(scene.part('widgets', { ready: () => reason }));
    scene.start();
    await listening(scene);
    expect(await get(scene, '/readyz')).toBe(
      '500 [+]shutdown ok\n[+]store ok\n[-]widgets failed: not listed yet\nreadyz check failed\n',
    );
    reason = undefined;
    expect(await get(scene, '/readyz')).toBe('200 ok');
    await scene.stop();
  });

  it('is ready while it waits for the lease, and shows the leader', async () => {
    const scene = new Scene((stage) => ({ ...elected(stage), health }));
    const { stage } = scene;
    const other = stage.candidate('b').start();
    await settled();
    scene.manager.add(scene.part('widgets', { ready: () => 'not listed yet' }));
    scene.start();
    await listening(scene);
    expect(await get(scene, '/readyz')).toBe('200 ok');
    expect(await get(scene, '/metrics')).toContain('leader_election_master_status{name="main"} 0\n');
    other.life.abort();
    await stage.clock.until(() => scene.story.length > 0, 5_000);
    expect(await get(scene, '/readyz/widgets')).toBe('500 widgets failed: not listed yet\n');
    expect(await get(scene, '/metrics')).toContain('leader_election_master_status{name="main"} 1\n');
    await scene.stop();
  });

  it('that cannot be served ends the manager before anything starts', async () => {
    const scene = new Scene({ health: { host: '0.0.0.0' } });
    scene.manager.add(scene.part('lead'));
    scene.start();
    await expect(scene.ended).rejects.toMatchObject({ code: 'Forbidden' });
    expect([scene.story, scene.manager.state]).toEqual([[], 'stopped']);
  });

  it('requires names of checks that fit into a path', () => {
    expect(() => new Scene({ readyChecks: { 'a/b': () => undefined } })).toThrow('is not a valid check name');
  });
});
