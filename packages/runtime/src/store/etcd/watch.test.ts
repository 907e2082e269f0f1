/** How one watch reconnects, on virtual time. Method: a transport whose answers and streams are those of a test. */
import { settled, VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../ports/log.ts';
import type { Commit } from '../contract.ts';
import { EtcdFailure, toApiError } from './errors.ts';
import { Keyspace } from './keyspace.ts';
import { mailboxCommitsMax } from './mailbox.ts';
import type { StreamHandlers } from './stream.ts';
import { EtcdWatch } from './watch.ts';

interface Opened {
  readonly atMs: number;
  readonly request: { readonly start_revision: string; readonly prev_kv: boolean; readonly fragment: boolean };
  readonly handlers: StreamHandlers;
  isOpen: boolean;
}

const keyspace = new Keyspace('p');

class Scene {
  readonly clock = new VirtualClock();
  readonly streams: Opened[] = [];
  readonly abandoned: unknown[] = [];
  newest = 7;
  tokens = 1;
  failure: EtcdFailure | undefined;
  readonly iterator: AsyncIterator<Commit>;
  readonly watch: EtcdWatch;
  readonly seen: number[] = [];
  end: unknown = 'none';

  constructor(
    options: { after: number; detail?: 'history' | 'keys' | 'values' } = { after: 7 },
    failure: EtcdFailure | undefined = undefined,
  ) {
    this.failure = failure;
    const endpoint = { name: 'one' };
    const transport = {
      call: async () => {
        if (this.failure) throw this.failure;
        return { header: { revision: String(this.newest) }, kvs: [] };
      },
      stream: async (_path: string, body: { create_request: Opened['request'] }, handlers: StreamHandlers) => {
        const opened = { atMs: this.clock.monotonicMs(), request: body.create_request, handlers, isOpen: true };
        this.streams.push(opened);
        return {
          endpoint,
          close: () => {
            opened.isOpen = false;
          },
        };
      },
      turnAwayFrom: (one: unknown) => void this.abandoned.push(one),
      forgetToken: () => void this.tokens++,
    };
    this.watch = new EtcdWatch(
      {
        transport: transport as never,
        keyspace,
        clock: this.clock,
        random: { next: () => 0.5, uuid: () => '' },
        log: silentLog,
        toApiError: (error) => toApiError(error, { what: 'etcd', timeoutMs: 1 }),
        started: () => {},
        ended: () => {},
      },
      '',
      options,
    );
    this.iterator = this.watch[Symbol.asyncIterator]();
  }

  /** Takes commits until the watch ends. */
  read(): void {
    const next = (): Promise<void> =>
      this.iterator.next().then(
        ({ done, value }) => {
          if (done) this.end = 'ended';
          else this.seen.push(value.revision);
          return done ? undefined : next();
        },
        (error: { code?: string }) => {
          this.end = error.code ?? error;
        },
      );
    void next();
  }

  get last(): Opened {
    const last = this.streams.at(-1);
    if (!last) throw new Error('no stream');
    return last;
  }

  send(result: object): void {
    this.last.handlers.line(JSON.stringify({ result }));
  }

  change(...revisions: number[]): void {
    const events = revisions.map((revision) => ({
      kv: { key: keyspace.encode('a'), create_revision: '1', mod_revision: String(revision), value: 'eA==' },
      prev_kv: { value: 'eA==' },
    }));
    this.send({ header: { revision: String(revisions.at(-1)) }, events });
  }
}

async function opened(options?: ConstructorParameters<typeof Scene>[0]): Promise<Scene> {
  const scene = new Scene(options);
  scene.read();
  await settled();
  scene.send({ created: true });
  return scene;
}

describe('a watch', () => {
  it('starts at its position, in the detail that was asked for, and skips what it knows', async () => {
    const scene = await opened({ after: 7, detail: 'history' });
    expect(scene.last.request).toMatchObject({ start_revision: '7', prev_kv: true, fragment: false });
    scene.change(7, 8, 9);
    await settled();
    expect(scene.seen).toEqual([8, 9]);
  });

  it('after 0 starts at 1, where an empty etcd is', async () => {
    const scene = await opened({ after: 0 });
    expect(scene.last.request).toMatchObject({ start_revision: '1', prev_kv: false });
    scene.change(2, 3);
    await settled();
    expect(scene.seen).toEqual([2, 3]);
  });

  it('continues from its last commit, or from the last progress, after its stream is lost', async () => {
    const scene = await opened();
    scene.change(8);
    scene.last.handlers.ended(new EtcdFailure('unavailable', 'gone'));
    expect(scene.watch.state).toBe('backing off');
    await scene.clock.advance(2_000);
    expect(scene.last.request.start_revision).toBe('8');
    expect(scene.abandoned).toHaveLength(1);
    scene.send({ created: true });
    scene.send({ header: { revision: '20' } });
    scene.send({ header: { revision: '12' } });
    scene.last.handlers.ended(new EtcdFailure('timeout', 'gone'));
    await scene.clock.advance(2_000);
    expect(scene.last.request.start_revision).toBe('20');
    expect(scene.end).toBe('none');
  });

  it.each([
    ['compacted', 'Expired'],
    ['future', 'Expired'],
    ['denied', 'Forbidden'],
    ['refused', 'BadRequest'],
    ['corrupt', 'Corrupt'],
  ] as const)('ends if its position is %s', async (kind, code) => {
    const scene = new Scene({ after: 7 }, new EtcdFailure(kind, 'no'));
    scene.read();
    await settled();
    expect([scene.end, scene.streams.length, scene.clock.timers]).toEqual([code, 0, 0]);
  });

  it('tries again, later each time, while no server answers, and at once when it could', async () => {
    const scene = new Scene({ after: 7 }, new EtcdFailure('unavailable', 'no'));
    scene.read();
    await scene.clock.advance(60_000);
    expect([scene.watch.state, scene.end]).toEqual(['backing off', 'none']);
    scene.failure = undefined;
    await scene.clock.advance(2_000);
    expect([scene.watch.state, scene.streams.length]).toEqual(['streaming', 1]);
  });

  it('signs in again if its stream is refused, which was allowed before', async () => {
    const scene = await opened();
    scene.send({ canceled: true, cancel_reason: 'etcdserver: permission denied' });
    await scene.clock.advance(2_000);
    expect([scene.tokens, scene.streams.length, scene.end]).toEqual([2, 2, 'none']);
  });

  it('asks for fragments after a message that was too large, without a pause', async () => {
    const scene = await opened();
    scene.last.handlers.ended(new EtcdFailure('answerTooLarge', 'too large'));
    await settled();
    expect([scene.streams.length, scene.last.request.fragment]).toEqual([2, true]);
    scene.last.handlers.ended(new EtcdFailure('answerTooLarge', 'too large'));
    expect(scene.watch.state).toBe('backing off');
  });

  it('closes its stream while its reader is slow, and goes on when it has read everything', async () => {
    const scene = new Scene();
    await settled();
    scene.send({ created: true });
    const revisions = Array.from({ length: mailboxCommitsMax }, (_, index) => 8 + index);
    scene.change(...revisions.slice(0, -1));
    expect(scene.watch.state).toBe('streaming');
    scene.change(...revisions.slice(-1));
    expect([scene.watch.state, scene.last.isOpen]).toEqual(['paused', false]);
    for (const revision of revisions) {
      expect(scene.watch.state).toBe('paused');
      expect((await scene.iterator.next()).value?.revision).toBe(revision);
    }
    await settled();
    expect([scene.watch.state, scene.last.request.start_revision]).toEqual(['streaming', String(revisions.at(-1))]);
  });

  it('ends with its iterator, and leaves nothing behind', async () => {
    const scene = await opened();
    await scene.iterator.return?.();
    await settled();
    expect([scene.end, scene.last.isOpen, scene.clock.timers, scene.watch.state]).toEqual(['ended', false, 0, 'ended']);
  });
});

describe('a silent stream', () => {
  it('is reopened after 30 seconds if the store has advanced, and each time after twice as long, up to 12 minutes', async () => {
    const scene = await opened();
    scene.newest = 100;
    while (scene.streams.length < 8) await scene.clock.advance(1_000);
    const seconds = scene.streams.map(({ atMs }) => Math.round(atMs / 1_000));
    const lasted = seconds.slice(1).map((second, index) => second - (seconds[index] ?? 0));
    expect(lasted.map((duration) => Math.round(duration / 30) * 30)).toEqual([30, 60, 120, 240, 480, 720, 720]);
    // The server answers, so there is no reason to leave it.
    expect(scene.abandoned).toEqual([]);
  });

  it('counts from the beginning after a commit', async () => {
    const scene = await opened();
    scene.newest = 100;
    while (scene.streams.length < 4) await scene.clock.advance(1_000);
    scene.change(100);
    scene.newest = 200;
    const from = scene.clock.monotonicMs();
    scene.last.handlers.ended(new EtcdFailure('unavailable', 'gone'));
    while (scene.streams.length < 6) await scene.clock.advance(1_000);
    expect(scene.clock.monotonicMs() - from).toBeLessThan(45_000);
  });

  it('is kept while the store does not change, and left if its server does not answer', async () => {
    const scene = await opened();
    await scene.clock.advance(3_600_000);
    expect(scene.streams).toHaveLength(1);
    scene.failure = new EtcdFailure('timeout', 'no answer');
    await scene.clock.advance(6_000);
    expect([scene.last.isOpen, scene.abandoned.length]).toEqual([false, 1]);
  });
});
