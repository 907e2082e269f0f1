import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { sleep } from '../ports/clock.ts';
import { put, scenarioOf } from './counter.kit.ts';
import type { ProcessDependencies } from './incarnation.ts';
import { runScenario } from './scenario.ts';
import { Simulation } from './simulation.ts';

describe('a process that crashed', () => {
  /** Does everything that a process can do, for ever, in three tasks at once. */
  const busybody = async ({ store, clock, random, log, effect, incarnation, signal }: ProcessDependencies) => {
    signal.addEventListener('abort', () => log.write('error', 'a crash must not ask'));
    const tick = () => {
      log.write('info', 'tick');
      clock.after(7, tick);
    };
    tick();
    const watching = (async () => {
      for await (const commit of store.watch('a/', { after: 0 })) log.write('info', `saw ${commit.revision}`);
    })();
    const calling = (async () => {
      for (;;) await effect('call', () => sleep(clock, 3), { kind: 'write' });
    })();
    for (;;) await Promise.race([store.commit([put('a/b', [incarnation, random.uuid()])]), watching, calling]);
  };

  it('has no effects from then on, except that requests in flight may still arrive', async () => {
    let late = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const kill = { type: 'kill', process: 'sample', timeMs: 100, restartMs: 50 } as const;
      const { journal, failure } = await runScenario(scenarioOf(busybody, { endMs: 300 }), seed, [kill]);
      expect(failure).toBeUndefined();
      const crash = journal.events.findIndex(({ what }) => what === 'crashed');
      const after = journal.events.slice(crash + 1).filter(({ incarnation }) => incarnation === 1);
      late += after.filter(({ what }) => what === 'applied').length;
      for (const { what } of after) expect(['applied', 'lost in the crash']).toContain(what);
      expect(journal.events.filter(({ incarnation }) => incarnation === 2).length).toBeGreaterThan(50);
      expect(journal.events.at(-1)?.incarnation).toBe(2);
    }
    expect(late).toBeGreaterThan(0);
  });

  it('cannot act through a leaked dependency', async () => {
    let leaked: ProcessDependencies | undefined;
    const simulation = new Simulation({ seed: 1, endMs: 1000 });
    const process = simulation.process('sample').start((dependencies) => {
      leaked = dependencies;
    });
    simulation.clock.after(10, () => process.crash());
    simulation.clock.after(20, () => {
      const { store, clock, log, effect } = leaked as ProcessDependencies;
      void store.commit([put('a/b', 1)]).then(() => expect.unreachable());
      void store.get('a/b').then(() => expect.unreachable());
      void store
        .watch('a/', { after: 0 })
        [Symbol.asyncIterator]()
        .next()
        .then(() => expect.unreachable());
      void effect('call', () => expect.unreachable(), { kind: 'write' });
      clock.after(1, () => expect.unreachable());
      log.write('info', 'still here');
    });
    expect(await simulation.run()).toBe('quiet');
    expect(simulation.nowMs).toBe(20);
    expect(simulation.journal.effects).toEqual([]);
    expect(simulation.journal.events.map(({ what }) => what)).toEqual(['started', 'finished', 'crashed']);
  });

  it('starts again as a new incarnation that shares the store, and continues to count effects', async () => {
    const scenario = scenarioOf(async ({ store, incarnation }) => {
      await store.commit([put('lives/last', incarnation)]);
      await store.get('lives/last');
    });
    const crash = { type: 'crashBefore', process: 'sample', effect: 2, restartMs: 30 } as const;
    const { journal } = await runScenario(scenario, 1, [crash]);
    expect(journal.effects.map(({ incarnation, number, name }) => [incarnation, number, name])).toEqual([
      [1, 1, 'commit put lives/last'],
      [1, 2, 'get lives/last'],
      [2, 3, 'commit put lives/last'],
      [2, 4, 'get lives/last'],
    ]);
  });

  it('is not crashed again while it is down', async () => {
    const kill = (timeMs: number) => ({ type: 'kill', process: 'sample', timeMs, restartMs: 100 }) as const;
    const { journal } = await runScenario(
      scenarioOf(({ clock }) => sleep(clock, 500)),
      1,
      [kill(10), kill(50)],
    );
    expect(journal.events.map(({ timeMs, what }) => `${timeMs} ${what}`)).toEqual([
      '0 started',
      '10 crashed',
      '110 started',
      '610 finished',
    ]);
  });
});

describe('a process', () => {
  it('can be restarted at any moment, also while it is down', async () => {
    const simulation = new Simulation({ seed: 1 });
    const process = simulation.process('sample').start(({ clock }) => sleep(clock, 50));
    simulation.clock.after(10, () => process.restart());
    simulation.clock.after(20, () => process.crash(1000));
    simulation.clock.after(30, () => process.restart());
    expect(await simulation.run()).toBe('quiet');
    expect([simulation.nowMs, process.incarnations]).toEqual([80, 3]);
  });

  it('is stopped by its signal', async () => {
    const simulation = new Simulation({ seed: 1 });
    const process = simulation.process('sample').start(async ({ clock, signal, log }) => {
      await sleep(clock, 60_000, signal);
      log.write('info', 'cleaned up');
    });
    simulation.clock.after(100, () => process.stop());
    await simulation.run();
    expect(simulation.nowMs).toBe(100);
    expect(simulation.journal.events.map(({ what }) => what)).toContain('cleaned up');
  });

  it('that ends with an error of the catalogue is started again', async () => {
    const scenario = scenarioOf(({ incarnation }) => {
      if (incarnation < 3) throw new ApiError('Unavailable', { what: 'the store', reason: 'a test' });
    });
    const { failure, nowMs, journal } = await runScenario(scenario, 1);
    expect(failure).toBeUndefined();
    expect(nowMs).toBe(2000);
    expect(journal.events.at(-1)?.incarnation).toBe(3);
  });

  it('that ends with any other error fails the run', async () => {
    const main = () => {
      throw new TypeError('undefined is not an object');
    };
    const { failure, end } = await runScenario(scenarioOf(main), 1);
    expect(failure?.oracle).toBe('process sample');
    expect(failure?.message).toContain('undefined is not an object');
    expect(end).toBe('stopped');
  });

  it('that throws in a timer fails the run', async () => {
    const main = ({ clock }: ProcessDependencies) => {
      clock.after(5, () => {
        throw new TypeError('in a timer');
      });
    };
    expect((await runScenario(scenarioOf(main), 1)).failure?.message).toContain('in a timer');
  });

  it('that never waits fails the run', async () => {
    const main = async ({ store }: ProcessDependencies) => {
      for (;;) await store.get('a/b');
    };
    const { failure } = await runScenario(scenarioOf(main, { stepsMax: 500 }), 1);
    expect(failure).toEqual({ oracle: 'becomes idle', message: 'still busy after 500 steps' });
  });

  it('has a unique name, and one main function', () => {
    const simulation = new Simulation({ seed: 1 });
    const process = simulation.process('sample').start(() => {});
    expect(() => simulation.process('sample')).toThrow('the process sample already exists');
    expect(() => process.start(() => {})).toThrow('already started');
  });

  it('has its own clock, random numbers and uuids, the same in every run of the seed', async () => {
    const uuids: string[] = [];
    const scenario = scenarioOf(({ random, incarnation }) => {
      uuids.push(random.uuid());
      if (incarnation === 1) throw new ApiError('Unavailable', { what: 'the store', reason: 'a test' });
    });
    await runScenario(scenario, 5);
    await runScenario(scenario, 5);
    expect(uuids.slice(2)).toEqual(uuids.slice(0, 2));
    expect(uuids[0]).not.toBe(uuids[1]);
  });
});
