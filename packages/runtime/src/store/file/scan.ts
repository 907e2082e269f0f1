/**
 * Keeps looking for edits by hand: when the store is opened, whenever something happens in its directories, and every
 * now and then in case an event was lost. One scan at a time.
 */
import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { type Clock, sleep } from '../../ports/clock.ts';
import { limits } from '../contract.ts';
import type { Ledger } from '../sqlite/ledger.ts';
import { compare, portions } from './compare.ts';
import type { Home } from './home.ts';
import type { Intake } from './intake.ts';
import { absenceMs, type Looker, messageOf, type Refusal } from './look.ts';
import { isUntouched, type Mirror } from './mirror.ts';
import { nameOf } from './names.ts';
import type { Problems } from './problems.ts';
import type { Publisher } from './publish.ts';
import { View } from './sight.ts';
import { walk } from './walk.ts';
import { Watcher } from './watcher.ts';

/** A file that is not valid and was written less than this ago may be half written: it is not reported yet. */
const halfWrittenMs = 1_000;
/** A file of ours may be seen in place before the mirror's row can be; so what looks like an edit is looked at twice. */
const publicationMs = 50;
/** After a walk comes a rest of this many times its length: at rest, a large registry takes 5 percent of a processor. */
const restFactor = 20;
const restMsMax = 60_000;
const portionBytesMax = 16 * 1024 * 1024;

export interface ScannerParts {
  readonly home: Home;
  readonly ledger: Ledger;
  readonly mirror: Mirror;
  readonly looker: Looker;
  readonly intake: Intake;
  readonly publisher: Publisher;
  readonly problems: Problems;
  readonly clock: Clock;
  readonly scanMs: number;
}

export class Scanner {
  readonly #parts: ScannerParts;
  readonly #watcher: Watcher;
  readonly #stopping = new AbortController();
  /** By key; see `compare`. */
  #refused: ReadonlyMap<string, Refusal> = new Map();
  /** How long the last look at all files took. */
  #walkMs = 0;
  #scanning: Promise<void> = Promise.resolve();
  #next: { readonly delayMs: number; readonly cancel: () => void } | undefined;

  constructor(parts: ScannerParts) {
    this.#parts = parts;
    this.#watcher = new Watcher(parts.clock, (paths) => {
      this.#inTurn(async () => {
        if (paths === 'everything' || (await this.#isNews(paths))) await this.#scanOrReport();
      });
    });
  }

  /** The first scan, which may fail, and then the others, which report. */
  async start(): Promise<void> {
    await this.#scan();
    this.#schedule(this.#parts.scanMs);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#next?.cancel();
    this.#watcher.close();
    await this.#scanning;
    // A scan that was under way may have watched more directories.
    this.#watcher.close();
  }

  /** Scans after this long, or sooner if that is planned already. */
  #schedule(delayMs: number): void {
    if (this.#stopping.signal.aborted || (this.#next !== undefined && this.#next.delayMs <= delayMs)) return;
    this.#next?.cancel();
    const cancel = this.#parts.clock.after(delayMs, () => {
      this.#next = undefined;
      this.#inTurn(() => this.#scanOrReport());
    });
    this.#next = { delayMs, cancel };
  }

  /** `work` must not fail. */
  #inTurn(work: () => Promise<void>): void {
    this.#scanning = this.#scanning.then(async () => {
      if (!this.#stopping.signal.aborted) await work();
    });
  }

  async #scanOrReport(): Promise<void> {
    const { problems, home, scanMs } = this.#parts;
    try {
      await this.#scan();
      problems.report('failed scan', []);
    } catch (error) {
      problems.report('failed scan', [{ file: home.directory, reason: messageOf(error) }]);
    }
    this.#schedule(Math.max(scanMs, Math.min(restFactor * this.#walkMs, restMsMax)));
  }

  async #scan(): Promise<void> {
    const { home, ledger, mirror, intake, publisher, problems, clock } = this.#parts;
    const lost = home.problem;
    problems.report('directory', lost === undefined ? [] : [{ file: home.directory, reason: lost }]);
    if (lost !== undefined) {
      // There is nothing to walk, so nothing to rest from: it should be noticed soon that the directory is back.
      this.#walkMs = 0;
      return;
    }
    const startMs = clock.monotonicMs();
    const tree = await walk(home.directory);
    this.#watcher.update(tree.directories);
    const { suspects, pending, findings, refused } = ledger.read(() => compare(tree, mirror.rows(), this.#refused));
    this.#walkMs = clock.monotonicMs() - startMs;
    const missing = await this.#stillMissing(suspects);
    const refusals: [key: string, refusal: Refusal][] = [...refused];
    for (const keys of portions(suspects, tree, limits.commitWritesMax, portionBytesMax)) {
      if (this.#stopping.signal.aborted) return;
      const taken = await intake.run(() => [], keys, missing);
      refusals.push(...this.#settled(taken.refusals));
    }
    await publisher.publish([...new Set([...pending, ...publisher.failed])]);
    const found = refusals.map(([key, { file, reason }]) => ({ file, key, reason }));
    problems.report('scan', [...findings, ...found]);
    this.#refused = new Map(refusals.filter(([, { standing }]) => standing === 'lasting'));
  }

  /** Those refusals that are worth reporting; for the others we shall come back. */
  #settled(refusals: ReadonlyMap<string, Refusal>): [string, Refusal][] {
    const settled = [...refusals].filter(
      ([, { standing, modifiedMs }]) =>
        standing !== 'restless' && !this.#parts.looker.isRecent(modifiedMs, halfWrittenMs),
    );
    if (settled.length < refusals.size) this.#schedule(halfWrittenMs);
    return settled;
  }

  /** Waits once for all files that are missing, however many. */
  async #stillMissing(suspects: readonly string[]): Promise<ReadonlySet<string>> {
    const { looker, clock } = this.#parts;
    const missing = looker.missing(suspects);
    if (missing.length > 0) await sleep(clock, absenceMs, this.#stopping.signal);
    return new Set(missing);
  }

  /** Whether events were about anything but files that we have written ourselves. */
  async #isNews(paths: ReadonlySet<string>): Promise<boolean> {
    if (!this.#looksNew(paths)) return false;
    await sleep(this.#parts.clock, publicationMs, this.#stopping.signal);
    return this.#looksNew(paths);
  }

  #looksNew(paths: ReadonlySet<string>): boolean {
    const { home, ledger, mirror } = this.#parts;
    const view = new View(home.directory);
    return ledger.read(() =>
      [...paths].some((path) => {
        const place = relative(home.directory, path);
        const name = nameOf(place);
        if (name.is === 'misnamed' || place === '') return true;
        if (name.is === 'other') {
          return isDirectory(path) !== this.#watcher.isWatched(path) || (mirror.hasBelow(place) && !isDirectory(path));
        }
        const row = mirror.get(name.key);
        if (name.extension !== (row?.extension ?? name.extension)) return true;
        return !isUntouched(view.at(name.key, row?.extension), row);
      }),
    );
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
