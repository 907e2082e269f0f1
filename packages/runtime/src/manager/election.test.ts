/**
 * Goal: at most one candidate leads, one leads soon, and a former leader cannot write. Method: candidates on one memory
 * store, each with its own link and time of day, on virtual time.
 */
import { settled, Widget } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { isApiError } from '../api/errors.ts';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { type Candidate, Stage } from './election.kit.ts';
import { LeaderElection } from './election.ts';
import { Lease } from './lease.ts';

const hourMs = 3_600_000;
const widget = (name: string) => ({ metadata: { name }, spec: {} });

async function stopAll({ clock, candidates }: Stage): Promise<void> {
  for (const { life } of candidates) life.abort();
  await clock.advance(60_000);
  await Promise.allSettled(candidates.map(({ ended }) => ended));
}

/** The one that leads, after its work has started. */
async function leaderOf(fixture: Stage, among: readonly Candidate[] = fixture.candidates): Promise<Candidate> {
  await fixture.clock.until(() => among.some(({ working }) => working));
  return among.find(({ working }) => working) as Candidate;
}

/** Why a leader lost its lease, by its log. */
const lossesOf = ({ log }: Candidate) =>
  log.lines.flatMap(({ level, fields }) => (level === 'warn' && fields['reason'] ? [fields['reason']] : []));

describe('candidates on a registry that cannot fence', () => {
  it('follow each other by the lease alone, and never lead at the same time', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a', { isBare: true }).start();
    await settled();
    const b = fixture.candidate('b', { isBare: true }).start();
    await a.registry?.resource(Widget).create(widget('one'));
    a.link.is = 'silent';
    await fixture.clock.until(() => b.working);
    expect([a.working, fixture.leadersMax, (await fixture.lease()).spec.holderIdentity]).toEqual([false, 1, 'b']);
    expect((await fixture.store.list('fences/')).entries).toEqual([]);
    await stopAll(fixture);
  });
});

describe('one candidate', () => {
  it('becomes the leader immediately if there is no lease, and records it', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a').start();
    expect(a.election.isLeader).toBe(false);
    await settled();
    expect([a.election.state, a.election.isLeader, a.working]).toEqual(['leading', true, true]);
    expect((await fixture.lease()).spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-02T03:04:05.000000Z',
      renewTime: '2026-01-02T03:04:05.000000Z',
      leaseTransitions: 0,
    });
    await stopAll(fixture);
  });

  it('renews for as long as it leads, and keeps the time of its start', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a').start();
    await fixture.clock.advance(hourMs);
    const { acquireTime, renewTime, leaseTransitions } = (await fixture.lease()).spec;
    expect([acquireTime, leaseTransitions, a.tenures]).toEqual(['2026-01-02T03:04:05.000000Z', 0, 1]);
    expect(renewTime?.slice(0, 16)).toBe('2026-01-02T04:04');
    await stopAll(fixture);
  });

  it('writes through a registry that is fenced', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a').start();
    await settled();
    await a.registry?.resource(Widget).create(widget('one'));
    await fixture.registry.raiseFence('default.main');
    await expect(a.registry?.resource(Widget).create(widget('two'))).rejects.toMatchObject({ code: 'Fenced' });
    await stopAll(fixture);
  });

  it('acquires the lease again when its fence is lost, instead of leading without write access', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a').start();
    await settled();
    await fixture.registry.raiseFence('default.main');
    await fixture.clock.until(() => a.tenures === 2 && a.working, 6_000);
    await a.registry?.resource(Widget).create(widget('one'));
    await stopAll(fixture);
  });

  it('stays the leader when only the response to a renewal was lost', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a').start();
    await fixture.clock.advance(500);
    a.link.is = 'deaf';
    await fixture.clock.advance(4_000);
    a.link.is = 'up';
    await fixture.clock.advance(60_000);
    expect([a.tenures, a.working]).toEqual([1, true]);
    expect(a.log.messages('warn')).toEqual(['the lease could not be renewed']);
    await stopAll(fixture);
  });

  it('stays the leader when one renewal times out and the next one succeeds', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a').start();
    await fixture.clock.advance(500);
    a.link.is = 'silent';
    await fixture.clock.advance(3_000);
    a.link.is = 'up';
    await fixture.clock.advance(60_000);
    expect([a.tenures, a.working]).toEqual([1, true]);
    await stopAll(fixture);
  });

  it('recognizes its own claim when only the response to it was lost', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a');
    // The look itself must be answered, or there is no claim.
    a.link.store.get = (key) => fixture.store.get(key);
    a.link.is = 'deaf';
    a.start();
    await fixture.clock.advance(1_000);
    expect((await fixture.lease()).spec.holderIdentity).toBe('a');
    expect(a.working).toBe(false);
    a.link.is = 'up';
    await fixture.clock.until(() => a.working, 3_000);
    await stopAll(fixture);
  });

  it('stays the leader when a label of the lease is edited', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a').start();
    await settled();
    await fixture.registry.resource(Lease).patch('main', { metadata: { labels: { team: 'blue' } } });
    await fixture.clock.advance(30_000);
    expect([a.tenures, a.working]).toEqual([1, true]);
    await stopAll(fixture);
  });

  it('acquires a deleted lease again', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a').start();
    await settled();
    await fixture.registry.resource(Lease).delete('main');
    await fixture.clock.until(() => a.tenures === 2 && a.working, 6_000);
    await stopAll(fixture);
  });

  it('takes a lease without any field at once, and one with only a holder after 15 seconds', async () => {
    for (const [spec, waitMs] of [
      [{}, 0],
      [{ holderIdentity: 'other' }, 15_000],
    ] as const) {
      const stage = new Stage();
      await stage.registry.resource(Lease).create({ metadata: { name: 'main' }, spec });
      const a = stage.candidate('a').start();
      const tookMs = await stage.clock.until(() => a.working);
      expect(tookMs).toBeGreaterThanOrEqual(waitMs);
      expect(tookMs).toBeLessThan(waitMs + 10_000);
      expect((await stage.lease()).spec).toMatchObject({ holderIdentity: 'a', leaseTransitions: 1 });
      await stopAll(stage);
    }
  });

  it('does not mistake the record of an earlier start with the same identity for its own', async () => {
    const fixture = new Stage();
    const former = fixture.candidate('a').start();
    await settled();
    former.die();
    const a = fixture.candidate('a').start();
    const tookMs = await fixture.clock.until(() => a.working);
    expect(tookMs).toBeGreaterThanOrEqual(15_000);
    await stopAll(fixture);
  });
});

describe('two processes under one name', () => {
  it('do not take the lease from each other', async () => {
    const fixture = new Stage();
    const one = fixture.candidate('a').start();
    await fixture.clock.advance(1_000);
    one.link.is = 'silent';
    const two = fixture.candidate('a').start();
    await fixture.clock.until(() => two.working);
    one.link.is = 'up';
    await fixture.clock.advance(120_000);
    expect([one.working, one.election.state, two.tenures, two.working]).toEqual([false, 'waiting', 1, true]);
    await stopAll(fixture);
  });
});

describe('a candidate that is suspended between its claim and its fence', () => {
  it('cannot fence off the current leader when it resumes', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a');
    let wake = () => {};
    const asleep = new Promise<void>((resolve) => {
      wake = resolve;
    });
    a.link.store.commit = async (writes) => {
      if (writes.some(({ key }) => key.startsWith('fences/'))) await asleep;
      return fixture.store.commit(writes);
    };
    a.start();
    await settled();
    expect(a.election.state).toBe('acquiring');
    a.link.is = 'silent';
    const b = fixture.candidate('b').start();
    await fixture.clock.until(() => b.working);
    wake();
    await fixture.clock.advance(100);
    await b.registry?.resource(Widget).create(widget('b'));
    expect([a.tenures, b.tenures]).toEqual([0, 1]);
    a.link.is = 'up';
    await stopAll(fixture);
  });
});

describe.each([2, 3])('of %i candidates', (count) => {
  const start = (fixture: Stage) =>
    [0, -9 * hourMs, 30 * hourMs]
      .slice(0, count)
      .map((offsetMs, index) => fixture.candidate('abc'.charAt(index), { offsetMs }).start());

  it('exactly one leads, with any wall clocks', async () => {
    const fixture = new Stage();
    start(fixture);
    await settled();
    for (let minute = 0; minute < 10; minute++) {
      expect(fixture.leaders).toHaveLength(1);
      await fixture.clock.advance(60_000);
    }
    expect(fixture.leadersMax).toBe(1);
    expect((await fixture.lease()).spec.leaseTransitions).toBe(0);
    await stopAll(fixture);
  });

  it('another one leads after the whole lease when the leader dies, and its writes are rejected', async () => {
    const fixture = new Stage();
    start(fixture);
    const first = await leaderOf(fixture);
    await fixture.clock.advance(30_000);
    const { registry } = first;
    first.die();
    const others = fixture.candidates.filter((candidate) => candidate !== first);
    const tookMs = await fixture.clock.until(() => others.some(({ working }) => working));
    // The last renewal was up to 2.4 s before, the next look comes up to 2.4 s after.
    expect(tookMs).toBeGreaterThanOrEqual(15_000 - 2_400);
    expect(tookMs).toBeLessThanOrEqual(15_000 + 2 * 2_400 + 50);
    expect(fixture.leaders).toHaveLength(1);
    expect((await fixture.lease()).spec.leaseTransitions).toBe(1);
    first.link.is = 'up';
    await expect(registry?.resource(Widget).create(widget('late'))).rejects.toMatchObject({ code: 'Fenced' });
    await stopAll(fixture);
  });

  it.each(['down', 'silent'] as const)('a leader whose link is %s stops before another one starts', async (is) => {
    const fixture = new Stage();
    start(fixture);
    const first = await leaderOf(fixture);
    first.drainMs = 2_000;
    await fixture.clock.advance(10_000);
    const cutMs = fixture.clock.monotonicMs();
    first.link.is = is;
    const others = fixture.candidates.filter((candidate) => candidate !== first);
    await fixture.clock.until(() => others.some(({ working }) => working));
    expect(first.toldToStopMs - cutMs).toBeLessThanOrEqual(10_000);
    expect(fixture.clock.monotonicMs() - first.toldToStopMs).toBeGreaterThanOrEqual(5_000 - 50);
    expect(fixture.leadersMax).toBe(1);
    await stopAll(fixture);
  });

  it('a released lease is taken at the next attempt', async () => {
    const fixture = new Stage();
    start(fixture);
    const first = await leaderOf(fixture);
    await fixture.clock.advance(10_000);
    first.life.abort();
    await settled();
    expect((await fixture.lease()).spec.holderIdentity).toBe('');
    expect(first.election.state).toBe('stopped');
    const tookMs = await fixture.clock.until(() => fixture.leaders.length === 1);
    expect(tookMs).toBeLessThanOrEqual(2_400 + 50);
    await stopAll(fixture);
  });

  it('no step of a clock leads to two leaders', async () => {
    const fixture = new Stage();
    const candidates = start(fixture);
    await settled();
    for (let round = 0; round < 20; round++) {
      for (const [index, { clock }] of candidates.entries()) clock.step((index % 2 === 0 ? 1 : -1) * hourMs);
      await fixture.clock.advance(3_000);
    }
    expect([fixture.leadersMax, fixture.leaders.length]).toEqual([1, 1]);
    expect((await fixture.lease()).spec.leaseTransitions).toBe(0);
    await stopAll(fixture);
  });
});

describe('a leader whose renewals are stored at once and answered late', () => {
  it('stops before another one starts when its link is cut after such a renewal', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a').start();
    // As long as work may take to stop: the time between the end of a term and the end of a lease.
    a.drainMs = 4_900;
    await settled();
    const b = fixture.candidate('b').start();
    let renewals = 0;
    a.link.store.commit = async (writes) => {
      const outcome = await fixture.store.commit(writes);
      renewals++;
      await new Promise<void>((resolve) => void fixture.clock.after(4_500, resolve));
      a.link.is = 'silent';
      a.link.store.commit = () => new Promise(() => {});
      return outcome;
    };
    await fixture.clock.until(() => b.working);
    expect([renewals, a.tenures, fixture.leadersMax]).toEqual([1, 1, 1]);
    expect(a.working).toBe(false);
    a.link.is = 'up';
    await stopAll(fixture);
  });
});

describe('a lost lease', () => {
  it('stops the work, and starts it again when the lease is regained', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a').start();
    await fixture.clock.advance(1_000);
    a.link.is = 'down';
    await fixture.clock.advance(20_000);
    expect([a.working, a.election.state]).toEqual([false, 'waiting']);
    a.link.is = 'up';
    await fixture.clock.until(() => a.working, 3_000);
    expect([a.tenures, a.election.state]).toEqual([2, 'leading']);
    expect(a.log.messages('warn')).toContain('the lease was lost; trying to acquire it again');
    expect(lossesOf(a)).toEqual(['not renewed within 10000 ms']);
    // Said once when it began, and not at every try.
    expect(a.log.messages('warn').filter((message) => message === 'the lease could not be renewed')).toHaveLength(1);
    await stopAll(fixture);
  });

  it('is acquired again after another holder has released it', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a').start();
    await settled();
    const b = fixture.candidate('b').start();
    a.link.is = 'silent';
    await fixture.clock.until(() => b.working);
    a.link.is = 'up';
    await fixture.clock.advance(60_000);
    expect([a.working, a.election.state, b.working]).toEqual([false, 'waiting', true]);
    b.life.abort();
    await fixture.clock.until(() => a.working, 3_000);
    expect(fixture.leadersMax).toBe(1);
    await stopAll(fixture);
  });

  it('is detected by a rejected write before the election detects it', async () => {
    const fixture = new Stage();
    let tenures = 0;
    const a = fixture.candidate('a').start(async (registry, signal) => {
      if (++tenures === 1) await fixture.registry.raiseFence('default.main');
      await registry.resource(Widget).create(widget('one'));
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    });
    await fixture.clock.advance(100);
    expect([tenures, a.election.state]).toEqual([1, 'waiting']);
    await fixture.clock.until(() => tenures === 2, 3_000);
    expect(a.election.isLeader).toBe(true);
    expect(lossesOf(a)).toEqual(['another leader has raised the fence']);
    await stopAll(fixture);
  });

  it('is not acquired again before the work has ended', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a').start();
    a.drainMs = 25_000;
    await fixture.clock.advance(1_000);
    await fixture.registry.resource(Lease).delete('main');
    await fixture.clock.until(() => a.election.state === 'losing', 3_000);
    await fixture.clock.advance(20_000);
    expect([a.election.state, a.tenures]).toEqual(['losing', 1]);
    await fixture.clock.until(() => a.tenures === 2, 10_000);
    await stopAll(fixture);
  });

  it('ends the election if the work does not stop in time', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a', { stopMsMax: 5_000 }).start(() => new Promise(() => {}));
    await settled();
    a.life.abort();
    await fixture.clock.advance(5_000);
    await expect(a.ended).rejects.toMatchObject({ code: 'Timeout' });
    // Not released: the work still goes on, and the next leader must not meet it.
    expect((await fixture.lease()).spec.holderIdentity).toBe('a');
    expect(a.election.state).toBe('stopped');
  });
});

describe('an orderly end', () => {
  it('lets the work finish under the lease, however long after the last renewal', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a').start();
    await settled();
    const b = fixture.candidate('b').start();
    a.drainMs = 28_000;
    await fixture.clock.advance(1_000);
    a.life.abort();
    await fixture.clock.advance(27_000);
    expect([a.working, a.election.state, b.working]).toEqual([true, 'losing', false]);
    await fixture.clock.until(() => b.working, 5_000);
    expect(fixture.leadersMax).toBe(1);
    await stopAll(fixture);
  });

  it('leaves no timer behind', async () => {
    const fixture = new Stage();
    const [a, b] = [fixture.candidate('a').start(), fixture.candidate('b').start()];
    await fixture.clock.advance(60_000);
    for (const { life } of [a, b]) life.abort();
    await Promise.all([a.ended, b.ended]);
    expect(fixture.clock.timers).toBe(0);
  });

  it('is immediate for a waiting candidate, even if the store does not respond', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a');
    a.link.is = 'silent';
    a.start();
    await settled();
    a.life.abort();
    await a.ended;
    expect(a.election.state).toBe('stopped');
    expect(fixture.clock.timers).toBe(0);
  });

  it('is immediate if the signal aborted before the start', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a');
    a.life.abort();
    a.start();
    await a.ended;
    expect(a.tenures).toBe(0);
  });

  it('releases a lease that was acquired during the stop', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a');
    const commit = fixture.store.commit.bind(fixture.store);
    fixture.store.commit = async (writes) => {
      a.life.abort();
      return commit(writes);
    };
    a.start();
    await a.ended;
    expect(a.tenures).toBe(0);
    expect((await fixture.lease()).spec.holderIdentity).toBe('');
  });

  it('succeeds even if the lease cannot be released', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a').start();
    await settled();
    a.link.is = 'down';
    a.life.abort();
    await a.ended;
    expect(a.log.messages('warn')).toEqual(['the lease could not be released; candidates must wait until it expires']);
  });
});

describe('the work', () => {
  it('ends the election when it ends, and the lease is released', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a').start(async () => {});
    await a.ended;
    expect((await fixture.lease()).spec.holderIdentity).toBe('');
    expect(a.election.state).toBe('stopped');
  });

  it('ends the election with its error when it fails, and the lease is released', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a').start(async () => {
      throw new Error('broken');
    });
    await expect(a.ended).rejects.toThrow('broken');
    expect((await fixture.lease()).spec.holderIdentity).toBe('');
  });

  it('may end with an AbortError after an abort', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a').start(async (_registry, signal) => {
      await new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    await settled();
    a.life.abort();
    await a.ended;
  });
});

describe('a store that does not respond', () => {
  it('is retried after a timeout', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a');
    a.link.is = 'silent';
    a.start();
    await fixture.clock.advance(11_000);
    expect(a.log.lines.find(({ level }) => level === 'warn')?.fields['error']).toSatisfy((error) =>
      isApiError(error, 'Timeout'),
    );
    a.link.is = 'up';
    await fixture.clock.until(() => a.working, 12_000);
    await stopAll(fixture);
  });
});

it('a failure is reported once as a warning, and another one again', async () => {
  const fixture = new Stage();
  const a = fixture.candidate('a');
  a.link.is = 'down';
  a.start();
  await fixture.clock.advance(20_000);
  expect(a.log.messages('warn')).toHaveLength(1);
  a.link.is = 'silent';
  await fixture.clock.advance(60_000);
  expect(a.log.messages('warn')).toHaveLength(2);
  a.link.is = 'up';
  await fixture.clock.until(() => a.working);
  await stopAll(fixture);
});

describe('leases of the same name in two namespaces', () => {
  it('are independent', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a', { namespace: 'one' }).start();
    const b = fixture.candidate('b', { namespace: 'two' }).start();
    await fixture.clock.advance(10_000);
    await a.registry?.resource(Widget).create(widget('a'));
    await b.registry?.resource(Widget).create(widget('b'));
    expect([a.tenures, b.tenures]).toEqual([1, 1]);
    await stopAll(fixture);
  });
});

describe('a candidate that waits', () => {
  it.each([
    [0, 13],
    [0.999, 11],
  ])('looks every 2.0 to 2.4 seconds, at random, so that candidates do not look together: %d', async (next, looks) => {
    const { clock, registry, store } = new Stage();
    const spec = { holderIdentity: 'other', leaseDurationSeconds: 3_600 };
    await registry.resource(Lease).create({ metadata: { name: 'main' }, spec });
    const get = store.get.bind(store);
    let reads = 0;
    store.get = (...args) => {
      reads++;
      return get(...args);
    };
    const random = { next: () => next, uuid: () => '' };
    const life = new AbortController();
    const election = new LeaderElection({ registry, name: 'main', identity: 'a', clock, random });
    const ended = election.run({ signal: life.signal, lead: async () => {} });
    await clock.advance(24_100);
    expect(reads).toBe(looks);
    life.abort();
    await ended;
  });
});

describe('a lease in another namespace than the default one', () => {
  it('is taken over by the next candidate, after a release and after a crash', async () => {
    const fixture = new Stage();
    const [a, b, c] = ['a', 'b', 'c'].map((name) => fixture.candidate(name, { namespace: 'one' }).start());
    if (!a || !b || !c) throw new Error('three candidates');
    const first = await leaderOf(fixture);
    first.life.abort();
    await first.ended;
    const second = await leaderOf(fixture);
    second.die();
    const third = await leaderOf(
      fixture,
      fixture.candidates.filter((one) => one !== first && one !== second),
    );
    expect(new Set([first, second, third])).toEqual(new Set([a, b, c]));
    await stopAll(fixture);
  });
});

describe('a candidate with another lease duration', () => {
  it('waits for the lease duration of the holder', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a', { leaseMs: 60_000, renewDeadlineMs: 50_000 }).start();
    await settled();
    const b = fixture.candidate('b').start();
    a.die();
    const tookMs = await fixture.clock.until(() => b.working);
    expect(tookMs).toBeGreaterThanOrEqual(60_000);
    await stopAll(fixture);
  });
});

describe('the options', () => {
  const { registry } = new Stage();
  const make = (options: object) => new LeaderElection({ registry, name: 'main', identity: 'a', ...options });

  it.each([
    [{ leaseMs: 10_000 }, 'leaseMs (10000) must be more than renewDeadlineMs (10000)'],
    [{ renewDeadlineMs: 2_400 }, 'renewDeadlineMs (2400) must be more than 1.2 times retryMs (2000)'],
    [{ retryMs: 0 }, 'retryMs must be more than 0, not 0'],
    [{ leaseMs: 3_600_001 }, 'leaseMs must be at most 3600000'],
    [{ identity: '' }, 'identity must not be empty'],
  ])('%o are refused', (options, reason) => {
    expect(() => make(options)).toThrow(reason);
  });

  it('need a registry with the kind Lease', () => {
    const without = new EmbeddedRegistry({ store: registry.store, kinds: [Widget] });
    expect(() => make({ registry: without })).toThrow('opened without the kind Lease');
  });

  it('allow one run of an election at a time', async () => {
    const fixture = new Stage();
    const a = fixture.candidate('a').start();
    await expect(a.election.run({ signal: a.life.signal, lead: async () => {} })).rejects.toThrow('already running');
    await stopAll(fixture);
  });
});
