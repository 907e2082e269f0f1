/** When files are scanned, one scan after the other. Method: real files, virtual time, and an intake that a test holds up. */
import { settled, VirtualClock } from '@ecsm/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../ports/clock.ts';
import { absenceMs, type Refusal } from './edit-reader.ts';
import { FileStoreFixture } from './file-store.kit.ts';
import { Scanner, type ScannerParts } from './scan.ts';

const fixtures: FileStoreFixture[] = [];
afterEach(async () => {
  for (const fixture of fixtures.splice(0)) await fixture.cleanup();
});

class Scene {
  readonly fixture = new FileStoreFixture();
  readonly clock = new VirtualClock();
  readonly reports: [string, readonly { readonly reason: string }[]][] = [];
  lost: string | undefined;
  missing: readonly string[] = [];
  scans = 0;
  failure: Error | undefined;
  /** Of a file that was just written. */
  refusals: ReadonlyMap<string, Refusal> = new Map();
  hold: Promise<void> = Promise.resolve();
  readonly scanner: Scanner;

  constructor() {
    fixtures.push(this.fixture);
    const scene = this;
    const parts = {
      root: {
        path: this.fixture.directory,
        get problem() {
          return scene.lost;
        },
      },
      ledger: { read: <T>(read: () => T) => read() },
      mirror: { rows: () => [], get: () => undefined, hasBelow: () => false },
      editReader: { missing: () => this.missing, isRecent: () => true },
      intake: {
        run: async () => {
          this.scans++;
          await this.hold;
          if (this.failure) throw this.failure;
          return { outcomes: [], refusals: this.refusals };
        },
      },
      publisher: { publish: async () => {}, failed: [] },
      problems: {
        report: (what: string, found: readonly { reason: string }[]) => void this.reports.push([what, found]),
      },
      clock: this.clock,
      scanMs: 2_000,
    };
    this.scanner = new Scanner(parts as unknown as ScannerParts);
  }

  /** Advances the virtual time, and waits for the reads of real files that follow. */
  async advance(ms: number, scans: number): Promise<void> {
    await this.clock.advance(ms);
    await expect.poll(() => this.scans, { interval: 5 }).toBe(scans);
    await settled();
  }
}

const file = 'example.io/v1/things/default/a.json';

describe('scans', () => {
  it('follow each other after the pause, also after one that failed, which is reported', async () => {
    const scene = new Scene();
    scene.fixture.save(file, {});
    await scene.scanner.start();
    expect(scene.scans).toBe(1);
    await scene.advance(1_999, 1);
    scene.failure = new Error('no space');
    await scene.advance(1, 2);
    await expect
      .poll(() => scene.reports.at(-1), { interval: 5 })
      .toMatchObject(['failed scan', [{ reason: 'no space' }]]);
    scene.failure = undefined;
    await scene.advance(2_000, 3);
    await expect.poll(() => scene.reports.at(-1), { interval: 5 }).toEqual(['failed scan', []]);
    await scene.scanner.stop();
  });

  const causes: readonly [string, (scene: Scene) => Promise<unknown>][] = [
    ['after the pause', (scene) => scene.advance(2_000, 2)],
    [
      'after an edit',
      async (scene) => {
        scene.fixture.save(file, { edited: true });
        const advanced = async () => {
          await scene.clock.advance(50);
          return scene.scans;
        };
        await expect.poll(advanced, { interval: 5 }).toBe(2);
      },
    ],
  ];

  it.each(causes)('stop when the scan in progress %s has ended, and leave nothing behind', async (_, cause) => {
    const scene = new Scene();
    scene.fixture.save(file, {});
    await scene.scanner.start();
    let release = () => {};
    scene.hold = new Promise((resolve) => {
      release = resolve;
    });
    await cause(scene);
    let isStopped = false;
    const stopping = scene.scanner.stop().then(() => {
      isStopped = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isStopped).toBe(false);
    release();
    await stopping;
    expect(scene.clock.timers).toBe(0);
    await scene.advance(60_000, 2);
  });

  it('wait before they take a file for removed that an editor may be about to write', async () => {
    const scene = new Scene();
    scene.fixture.save(file, {});
    scene.missing = ['example.io/v1/things/default/a'];
    const starting = scene.scanner.start();
    await expect.poll(() => scene.clock.timers, { interval: 5 }).toBe(1);
    expect(scene.scans).toBe(0);
    await scene.clock.advance(absenceMs - 1);
    expect(scene.scans).toBe(0);
    await scene.clock.advance(1);
    await starting;
    expect(scene.scans).toBe(1);
    await scene.scanner.stop();
  });

  it('follow sooner if a file may be half-written', async () => {
    const scene = new Scene();
    scene.fixture.save(file, {});
    const refusal = { file, reason: 'not JSON', stat: '', status: 'permanent', modifiedMs: 0 } as const;
    scene.refusals = new Map([['example.io/v1/things/default/a', refusal]]);
    await scene.scanner.start();
    expect(scene.reports.at(-1)).toEqual(['scan', []]);
    scene.refusals = new Map();
    await scene.advance(999, 1);
    await scene.advance(1, 2);
    await expect.poll(() => scene.clock.timers, { interval: 5 }).toBe(1);
    await scene.advance(1_999, 2);
    await scene.advance(1, 3);
    await scene.scanner.stop();
  });

  it('are made every two seconds unless something else is asked for', async () => {
    const fixture = new FileStoreFixture();
    fixtures.push(fixture);
    const delays: number[] = [];
    const after = (delayMs: number, callback: () => void) => {
      delays.push(delayMs);
      return systemClock.after(delayMs, callback);
    };
    await fixture.open({ clock: { ...systemClock, after } });
    expect(delays).toContain(2_000);
    await fixture.open({ clock: { ...systemClock, after }, scanMs: 7_000 });
    expect(delays).toContain(7_000);
  });

  it('do not look at files while the directory is lost, which is reported until it is back', async () => {
    const scene = new Scene();
    scene.fixture.save(file, {});
    scene.lost = 'it is gone';
    await scene.scanner.start();
    expect([scene.scans, scene.reports.at(-1)]).toMatchObject([0, ['directory', [{ reason: 'it is gone' }]]]);
    scene.lost = undefined;
    await scene.advance(2_000, 1);
    expect(scene.reports.filter(([what]) => what === 'directory').at(-1)).toEqual(['directory', []]);
    await scene.scanner.stop();
  });
});
