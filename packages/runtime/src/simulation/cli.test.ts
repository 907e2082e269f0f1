import { describe, expect, it } from 'vitest';
import { simulate } from './cli.ts';
import { counterScenario, incrementBlindly, incrementByComparing, put, scenarioOf } from './counter.kit.ts';
import { stable } from './oracle.ts';
import { formatFailure } from './report.ts';
import { runScenario } from './scenario.ts';
import type { SeedFile } from './seed-file.ts';
import { Simulation } from './simulation.ts';
import { formatTrace } from './trace.ts';

const good = { ...counterScenario(incrementByComparing), name: 'good' };
const bad = { ...counterScenario(incrementBlindly), name: 'bad' };

async function run(argv: readonly string[], seedFile?: SeedFile) {
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const clock = { now: () => 0, monotonicMs: () => 0, after: () => () => {} };
  const code = await simulate({ argv, scenarios: [good, bad], print, clock, ...(seedFile ? { seedFile } : {}) });
  return { code, printed: printed.join('\n') };
}

describe('the command line', () => {
  it('runs many seeds of a scenario', async () => {
    const { code, printed } = await run(['--scenario', 'good', '--seeds', '20']);
    expect(printed).toMatch(/^good: 20 runs passed, \d+ effects, 0 faults, 0 ms$/);
    expect(code).toBe(0);
  });

  it('prints the first failure of any scenario, stores its seed, and starts with it next time', async () => {
    let text: string | undefined;
    const seedFile = {
      read: () => text,
      write: (written: string) => {
        text = written;
      },
    };
    const first = await run(['--seeds', '50', '--first-seed', '100'], seedFile);
    expect(first.code).toBe(1);
    expect(first.printed).toMatch(/^bad: seed 1\d\d fails: no update is lost$/m);
    const kept: { bad: number[] } = JSON.parse(text ?? '');
    expect(kept.bad).toHaveLength(1);
    const second = await run(['--scenario', 'bad', '--seeds', '0'], seedFile);
    expect(second.printed).toContain(`bad: seed ${kept.bad[0]} fails`);
    expect(second.code).toBe(1);
  });

  it('runs one seed, with its trace if requested', async () => {
    const { code, printed } = await run(['--scenario', 'good', '--seed', '3', '--trace']);
    expect(printed).toContain('commit put counters/one');
    expect(printed).toMatch(/good: seed 3 passed, 0 faults$/);
    expect(code).toBe(0);
    expect((await run(['--scenario', 'good', '--seed', '3'])).printed).toBe('good: seed 3 passed, 0 faults');
  });

  it('runs every crash point of a seed', async () => {
    const { code, printed } = await run(['--scenario', 'bad', '--seed', '1', '--crash-points']);
    expect(printed).toContain('reproduce: --scenario bad --seed 1 --crash-points');
    expect(code).toBe(1);
  });

  it('rejects invalid arguments', async () => {
    expect(await run(['--scenario', 'ugly'])).toEqual({
      code: 2,
      printed: 'unknown scenario ugly; scenarios are good, bad',
    });
    expect(await run(['--seeds', 'many'])).toEqual({
      code: 2,
      printed: '--seeds must be a non-negative integer, not "many"',
    });
    expect((await run(['--sedes', '1'])).code).toBe(2);
  });
});

describe('a trace', () => {
  it('is readable text', async () => {
    const scenario = scenarioOf(
      async ({ store, log }) => {
        log.write('warn', 'about to write', { key: 'a/b' });
        await store.commit([put('a/b', 1)]).catch(() => {});
        await store.get('a/b');
      },
      { latencyMsMax: 0 },
    );
    const faults = [
      { type: 'lostResponse', process: 'sample', effect: 1, error: 'Timeout' },
      { type: 'clockStep', process: 'sample', timeMs: 1000, stepMs: -5 },
      { type: 'compact', timeMs: 2000, keepRevisions: 0 },
    ] as const;
    const { journal } = await runScenario(scenario, 1, faults);
    expect(formatTrace(journal)).toBe(
      [
        '0.000  sample#1                     started',
        "0.000  sample#1                     warn: about to write { key: 'a/b' }",
        '0.000  sample#1  1  commit put a/b  sent  (lostResponse at effect 1 of sample, error Timeout)',
        '0.000  sample#1  1  commit put a/b  applied',
        '0.000  sample#1  1  commit put a/b  response lost',
        '1.000  sample#1                     clock set 5 ms back',
        '2.000  store                        compacted to revision 1',
        '5.000  sample#1  1  commit put a/b  Timeout',
        '5.000  sample#1  2  get a/b         sent',
        '5.000  sample#1  2  get a/b         applied',
        '5.000  sample#1  2  get a/b         revision 1',
        '5.000  sample#1                     finished',
      ].join('\n'),
    );
    expect(formatTrace(journal, { linesMax: 1 })).toBe('… 11 earlier lines\n5.000  sample#1      finished');
  });
});

describe('a failure', () => {
  it('shows the violation, the faults needed, the trace, and how to replay it', async () => {
    const scenario = scenarioOf(
      async ({ effect }) => {
        await effect('call', () => {}, { kind: 'write' }).catch(() => {});
      },
      {
        latencyMsMax: 0,
        build: (simulation) =>
          simulation.always('every call is answered', ({ journal }) =>
            journal.effects[0]?.result === 'Unavailable' ? 'one is not' : undefined,
          ),
      },
    );
    const lost = { type: 'lostRequest', process: 'sample', effect: 1, error: 'Unavailable' } as const;
    const other = { type: 'clockStep', process: 'sample', timeMs: 0, stepMs: 5 } as const;
    const [shrunk, original] = [await runScenario(scenario, 4, [lost]), await runScenario(scenario, 4, [lost, other])];
    expect(formatFailure(shrunk, { original })).toBe(
      [
        'sample: seed 4 fails: every call is answered',
        '  one is not',
        'faults (1 of 2 needed):',
        '  lostRequest at effect 1 of sample, error Unavailable',
        'trace (seconds, process#incarnation, effect, what happened):',
        '  0.000  sample#1           started',
        '  0.000  sample#1  1  call  sent  (lostRequest at effect 1 of sample, error Unavailable)',
        '  0.000  sample#1  1  call  request lost',
        '  0.000  sample#1  1  call  Unavailable',
        '  0.000  sample#1           finished',
        'reproduce: --scenario sample --seed 4 --trace',
        `with these faults only: runScenario(scenario, 4, ${JSON.stringify([lost])})`,
      ].join('\n'),
    );
  });

  it('includes errors thrown by an oracle', async () => {
    const build = (simulation: Simulation) =>
      simulation.always('can be looked at', () => {
        throw new RangeError('what is this?');
      });
    const { failure } = await runScenario({ name: 'odd', build }, 1);
    expect(failure?.oracle).toBe('can be looked at');
    expect(failure?.message).toContain('what is this?');
  });
});

describe('the oracle of stability', () => {
  const writingUntil = async (untilMs: number, except?: () => boolean) => {
    const simulation = new Simulation({ seed: 1, faultsUntilMs: 1000, endMs: 100_000 });
    simulation.process('sample').start(async ({ store, clock }) => {
      const startMs = clock.now();
      for (;;) {
        await new Promise<void>((resolve) => clock.after(1000, resolve));
        if (clock.now() - startMs < untilMs) await store.commit([put('a/b', clock.now())]);
        else await store.get('a/b');
      }
    });
    simulation.eventually('stable', stable({ quietMs: 60_000, ...(except ? { except } : {}) }));
    await simulation.run();
    return simulation.failure?.message;
  };

  it('detects a write in the quiet span only', async () => {
    expect(await writingUntil(30_000)).toBeUndefined();
    expect(await writingUntil(50_000)).toMatch(/^sample still writes at 49\d\d\d ms: commit put a\/b$/);
    expect(await writingUntil(50_000, () => true)).toBeUndefined();
  });

  it('accepts a run that came to rest before its end, and rejects one that is too short', async () => {
    const simulation = new Simulation({ seed: 1, faultsUntilMs: 0, endMs: 10_000 });
    simulation.process('sample').start(async ({ store }) => void (await store.commit([put('a/b', 1)])));
    simulation.eventually('stable', stable({ quietMs: 9999 }));
    expect(await simulation.run()).toBe('quiet');
    expect(simulation.failure).toBeUndefined();
    expect(stable({ quietMs: 10_000 })(simulation)).toContain('too short');
  });
});
