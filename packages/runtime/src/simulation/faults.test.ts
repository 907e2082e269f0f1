/** Goal: every fault does what its line in the menu says. Method: one fault, one effect, and a look at both ends. */
import { describe, expect, it } from 'vitest';
import { isApiError } from '../api/errors.ts';
import { sleep } from '../ports/clock.ts';
import { put, scenarioOf } from './counter.kit.ts';
import type { EffectOptions } from './effect-call.ts';
import { describeFault, type EffectFault, explicitFaults, type Fault } from './faults.ts';
import { ordinaryFaults, randomFaults, unreliableStoreFaults } from './random-faults.ts';
import { runScenario } from './scenario.ts';

const latencyMsMax = 4;

type OfEffect<F> = F extends EffectFault ? Omit<F, 'process' | 'effect'> : never;

/** Makes one call under a fault. Returns the results of the caller, and how often and when the call arrived. */
async function callUnder(fault: OfEffect<EffectFault> | undefined, options: Partial<EffectOptions<string>> = {}) {
  const received: string[] = [];
  const arrived: number[] = [];
  const scenario = scenarioOf(
    async ({ effect, clock, incarnation }) => {
      const startMs = clock.now();
      if (incarnation > 1) return;
      const apply = () => {
        arrived.push(clock.now() - startMs);
        return 'fresh';
      };
      const answer = await effect('call', apply, { kind: 'write', ...options }).catch((error: unknown) =>
        isApiError(error) ? error.code : error,
      );
      received.push(
        `${answer} ${clock.now() - startMs > 2 * latencyMsMax ? `after ${clock.now() - startMs} ms` : 'soon'}`,
      );
    },
    { latencyMsMax, timeoutMs: 5000 },
  );
  const faults = fault ? [{ ...fault, process: 'sample', effect: 1 } as Fault] : [];
  const { journal } = await runScenario(scenario, 1, faults);
  const [record] = journal.effects;
  return {
    received,
    arrived: arrived.length,
    arrivedMs: arrived.at(-1) ?? -1,
    result: record?.result,
    faults: journal.faults,
  };
}

describe('a request', () => {
  it('without a fault takes a short time', async () => {
    expect(await callUnder(undefined)).toMatchObject({ received: ['fresh soon'], arrived: 1, result: 'ok' });
  });

  it('that is late arrives late', async () => {
    const { received, arrivedMs } = await callUnder({ type: 'delay', delayMs: 1000 });
    expect(arrivedMs).toBeGreaterThanOrEqual(1000);
    expect(received[0]).toMatch(/^fresh after 100\d ms$/);
  });

  it('that is later than the timeout arrives after the caller has given up', async () => {
    const { received, arrivedMs, result } = await callUnder({ type: 'delay', delayMs: 8000 });
    expect(received).toEqual(['Timeout after 5000 ms']);
    expect(arrivedMs).toBeGreaterThanOrEqual(8000);
    expect(result).toBe('Timeout');
  });

  it('that is lost never arrives', async () => {
    expect(await callUnder({ type: 'lostRequest', error: 'Timeout' })).toMatchObject({
      received: ['Timeout after 5000 ms'],
      arrived: 0,
    });
    expect(await callUnder({ type: 'lostRequest', error: 'Unavailable' })).toMatchObject({
      received: ['Unavailable soon'],
      arrived: 0,
    });
  });

  it('whose response is lost has arrived', async () => {
    expect(await callUnder({ type: 'lostResponse', error: 'Timeout' })).toMatchObject({
      received: ['Timeout after 5000 ms'],
      arrived: 1,
      result: 'Timeout',
    });
    expect(await callUnder({ type: 'lostResponse', error: 'Unavailable' })).toMatchObject({
      received: ['Unavailable soon'],
      arrived: 1,
    });
  });

  it('that is repeated arrives twice, if its port allows it', async () => {
    const fault = { type: 'duplicate', delayMs: 100 } as const;
    expect(await callUnder(fault, { repeatable: true })).toMatchObject({ received: ['fresh soon'], arrived: 2 });
    expect(await callUnder(fault)).toMatchObject({ received: ['fresh soon'], arrived: 1, faults: [] });
  });

  it('may be answered with stale data, if its port allows it', async () => {
    const fault = { type: 'staleRead', revisions: 3 } as const;
    const stale = (revisions: number) => `${revisions} revisions old`;
    expect(await callUnder(fault, { kind: 'read', stale })).toMatchObject({
      received: ['3 revisions old soon'],
      arrived: 0,
    });
    expect(await callUnder(fault, { kind: 'read' })).toMatchObject({ received: ['fresh soon'], faults: [] });
  });

  it('before which the process crashes is not sent', async () => {
    expect(await callUnder({ type: 'crashBefore', restartMs: 10 })).toMatchObject({ received: [], arrived: 0 });
  });

  it('after which the process crashes has arrived, without a result for the caller', async () => {
    const { received, arrived, result } = await callUnder({ type: 'crashAfter', restartMs: 10 });
    expect({ received, arrived, result }).toEqual({ received: [], arrived: 1, result: undefined });
  });

  it('times out if the response takes too long', async () => {
    const scenario = scenarioOf(async ({ effect, clock, log }) => {
      const slow = effect('slow', () => sleep(clock, 60_000), { kind: 'write', timeoutMs: 700 });
      await slow.catch((error) => log.write('info', `${error.code} at ${clock.now() % 100_000}`));
    });
    const { journal } = await runScenario(scenario, 1);
    expect(journal.events.map(({ what }) => what)).toContain('Timeout at 700');
  });

  it('fails as the server fails, immediately or later', async () => {
    const scenario = scenarioOf(async ({ effect, log }) => {
      const fail = () => {
        throw new RangeError('no such thing');
      };
      for (const apply of [fail, async () => fail()]) {
        await effect('call', apply, { kind: 'read' }).catch((error) => log.write('info', `received ${error.message}`));
      }
    });
    const { journal } = await runScenario(scenario, 1);
    expect(journal.events.filter(({ what }) => what === 'received no such thing')).toHaveLength(2);
    expect(journal.effects.map(({ result }) => result)).toEqual(['error', 'error']);
  });

  it('over a cut link fails, and succeeds when the link is restored', async () => {
    const answers: string[] = [];
    const scenario = scenarioOf(async ({ store, clock }) => {
      for (let number = 0; number < 100; number++) {
        const outcome = await store.commit([put('a/b', number)]).then(
          () => 'ok',
          (error) => error.code,
        );
        answers.push(outcome);
        await sleep(clock, 100);
      }
    });
    const partition = { type: 'partition', timeMs: 1000, process: 'sample', link: 'store', lengthMs: 20_000 } as const;
    const { journal } = await runScenario(scenario, 1, [partition]);
    expect(new Set(answers)).toEqual(new Set(['ok', 'Timeout', 'Unavailable']));
    const during = journal.effects.filter(({ sentMs }) => sentMs >= 1000 && sentMs < 21_000);
    expect(during.every(({ result }) => result !== 'ok')).toBe(true);
    expect(answers.at(-1)).toBe('ok');
  });
});

describe('an unhandled rejection', () => {
  it('fails the run, even if it would have been handled later', async () => {
    // Node's own report would end the test run, too: only ours is of interest here.
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    try {
      const scenario = scenarioOf(async ({ effect, clock }) => {
        const call = effect('call', () => {}, { kind: 'write' });
        await sleep(clock, 1000);
        await call;
      });
      const lost = { type: 'lostRequest', process: 'sample', effect: 1, error: 'Unavailable' } as const;
      const { failure } = await runScenario(scenario, 1, [lost]);
      expect(failure?.oracle).toBe('no unhandled rejection');
      expect((await runScenario(scenario, 1, [])).failure).toBeUndefined();
    } finally {
      for (const other of others) process.on('unhandledRejection', other);
    }
  });
});

describe('a plan', () => {
  it('has at most one fault for each effect', () => {
    const fault = { type: 'crashBefore', process: 'a', effect: 1, restartMs: 0 } as const;
    expect(() => explicitFaults([fault, fault])).toThrow('two faults for effect 1 of a');
  });

  it('from a seed has no fault after its time, for an unknown process, or of an unsupported type', () => {
    const traits = { kind: 'write', repeatable: false, stale: false } as const;
    const targets = [{ name: 'a', index: 0, links: ['store'] }];
    for (let seed = 0; seed < 200; seed++) {
      const plan = randomFaults(seed, unreliableStoreFaults, 10_000, targets);
      for (const fault of plan.timed) expect(fault.timeMs).toBeLessThan(10_000);
      for (let effect = 1; effect < 50; effect++) {
        expect(plan.at('a', effect, 10_000, traits)).toBeUndefined();
        expect(plan.at('b', effect, 0, traits)).toBeUndefined();
        expect(plan.at('a', effect, 0, traits)?.type ?? '').not.toMatch(/duplicate|staleRead|Watch|Event/);
      }
    }
  });

  it('from a seed has every kind of fault in some seeds', () => {
    const seen = new Set<string>();
    for (let seed = 0; seed < 300; seed++) {
      const plan = randomFaults(seed, unreliableStoreFaults, 30_000, [{ name: 'a', index: 0, links: ['store'] }]);
      for (const { type } of plan.timed) seen.add(type);
      for (let effect = 1; effect < 100; effect++) {
        for (const kind of ['read', 'event'] as const) {
          seen.add(plan.at('a', effect, 0, { kind, repeatable: true, stale: true })?.type ?? '');
        }
      }
    }
    const all = [...Object.keys(unreliableStoreFaults.perEffect), ...Object.keys(ordinaryFaults.perMinute)];
    expect(all.filter((type) => !seen.has(type))).toEqual([]);
    expect(all).toHaveLength(14);
  });

  it('can be printed', () => {
    expect(describeFault({ type: 'lostRequest', process: 'a', effect: 3, error: 'Timeout' })).toBe(
      'lostRequest at effect 3 of a, error Timeout',
    );
    expect(describeFault({ type: 'kill', process: 'a', timeMs: 20, restartMs: 5 })).toBe(
      'kill at 20 ms to a, restartMs 5',
    );
    expect(describeFault({ type: 'compact', timeMs: 20, keepRevisions: 5 })).toBe('compact at 20 ms, keepRevisions 5');
  });
});
