/**
 * Scans for manual edits: when the store is opened, after file system events, and periodically in case an event was
 * lost. One scan at a time.
 */
import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { type Clock, sleep } from '../../ports/clock.ts';
import { limits } from '../contract.ts';
import type { Ledger } from '../sqlite/ledger.ts';
import { compare, portions } from './compare.ts';
import { absenceMs, type EditReader, messageOf, type Refusal } from './edit-reader.ts';
import type { Intake } from './intake.ts';
import { isUntouched, type Mirror } from './mirror.ts';
import { nameOf } from './names.ts';
import { View } from './observation.ts';
import type { Problems } from './problems.ts';
import type { Publisher } from './publish.ts';
import type { StoreDirectory } from './store-directory.ts';
import { walk } from './walk.ts';
import { Watcher } from './watcher.ts';

/** An invalid file that was written less than this ago may be incomplete: it is not reported yet. */
const halfWrittenMs = 1_000;
/** A published file may be visible before the row of the mirror, so an apparent edit is checked again after this. */
const publicationMs = 50;
/** The pause after a walk, as a multiple of its duration: an idle large registry uses at most 5 percent of a CPU. */
const pauseFactor = 20;
const pauseMsMax = 60_000;
const portionBytesMax = 16 * 1024 * 1024;

export interface ScannerParts {
  readonly root: StoreDirectory;
  readonly ledger: Ledger;
  readonly mirror: Mirror;
  readonly editReader: EditReader;
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
  /** Duration of the last walk over all files. */
  #walkMs = 0;
  #scanning: Promise<void> = Promise.resolve();
  #next: { readonly delayMs: number; readonly cancel: () => void } | undefined;

  constructor(parts: ScannerParts) {
    this.#parts = parts;
    this.#watcher = new Watcher(parts.clock, (paths) => {
      this.#inTurn(async () => {
        if (paths === 'everything' || (await this.#hasEdits(paths))) await this.#scanOrReport();
      });
    });
  }

  /** Runs the first scan, which may throw, and schedules the others, which report their errors. */
  async start(): Promise<void> {
    await this.#scan();
    this.#schedule(this.#parts.scanMs);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#next?.cancel();
    this.#watcher.close();
    await this.#scanning;
    // A scan in progress may have watched more directories.
    this.#watcher.close();
  }

  /** Schedules a scan after this delay, unless an earlier one is scheduled. */
  #schedule(delayMs: number): void {
    if (this.#stopping.signal.aborted || (this.#next !== undefined && this.#next.delayMs <= delayMs)) return;
    this.#next?.cancel();
    const cancel = this.#parts.clock.after(delayMs, () => {
      this.#next = undefined;
      this.#inTurn(() => this.#scanOrReport());
    });
    this.#next = { delayMs, cancel };
  }

  /** Runs `work` after the previous work. It must not fail. */
  #inTurn(work: () => Promise<void>): void {
    this.#scanning = this.#scanning.then(async () => {
      if (!this.#stopping.signal.aborted) await work();
    });
  }

  async #scanOrReport(): Promise<void> {
    const { problems, root, scanMs } = this.#parts;
    try {
      await this.#scan();
      problems.report('failed scan', []);
    } catch (error) {
      problems.report('failed scan', [{ file: root.path, reason: messageOf(error) }]);
    }
    this.#schedule(Math.max(scanMs, Math.min(pauseFactor * this.#walkMs, pauseMsMax)));
  }

  async #scan(): Promise<void> {
    const { root, ledger, mirror, intake, publisher, problems, clock } = this.#parts;
    const lost = root.problem;
    problems.report('directory', lost === undefined ? [] : [{ file: root.path, reason: lost }]);
    if (lost !== undefined) {
      // No walk, so no pause: the return of the directory should be noticed soon.
      this.#walkMs = 0;
      return;
    }
    const startMs = clock.monotonicMs();
    const tree = await walk(root.path);
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
    this.#refused = new Map(refusals.filter(([, { status }]) => status === 'permanent'));
  }

  /** Returns the refusals to report; for the others another scan is scheduled. */
  #settled(refusals: ReadonlyMap<string, Refusal>): [string, Refusal][] {
    const settled = [...refusals].filter(
      ([, { status, modifiedMs }]) =>
        status !== 'changing' && !this.#parts.editReader.isRecent(modifiedMs, halfWrittenMs),
    );
    if (settled.length < refusals.size) this.#schedule(halfWrittenMs);
    return settled;
  }

  /** Waits once for all missing files, regardless of their number. */
  async #stillMissing(suspects: readonly string[]): Promise<ReadonlySet<string>> {
    const { editReader, clock } = this.#parts;
    const missing = editReader.missing(suspects);
    if (missing.length > 0) await sleep(clock, absenceMs, this.#stopping.signal);
    return new Set(missing);
  }

  /** Whether events were about anything except files that the store has written itself. */
  async #hasEdits(paths: ReadonlySet<string>): Promise<boolean> {
    if (!this.#containsEdit(paths)) return false;
    await sleep(this.#parts.clock, publicationMs, this.#stopping.signal);
    return this.#containsEdit(paths);
  }

  #containsEdit(paths: ReadonlySet<string>): boolean {
    const { root, ledger, mirror } = this.#parts;
    const view = new View(root.path);
    return ledger.read(() =>
      [...paths].some((path) => {
        const place = relative(root.path, path);
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
