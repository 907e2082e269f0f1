/** Power failures: records a process that writes a registry, and checks what is left of the registry after a cut. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isApiError, openRegistry, type Store } from '@ecsm/runtime';
import { readLog, readObjects, replay } from './account.kit.ts';
import { type CutOptions, Disk } from './disk.kit.ts';
import { workerModule, workerScript } from './process.kit.ts';
import { record } from './trace.kit.ts';
import type { Compacts } from './worker/powered.ts';
import { encode } from './worker/value.ts';
import type { Seen } from './worker/watcher.ts';
import type { Said } from './worker/writer.ts';

type Scheme = 'sqlite' | 'file';

/** A defect for worker/plant.ts. */
export interface Planted {
  readonly file: string;
  readonly text: string;
  readonly by: string;
}

/** The registry is not at the root: its own directory can be lost as well. */
export const folder = 'site/registry';

/** A run of worker/powered.ts to its end: all of its commits, and when each started and was acknowledged. */
export class Run {
  readonly disk: Disk;
  readonly #scheme: Scheme;
  readonly #scratch: string;
  readonly #log: Seen[];
  readonly #started = new Map<number, number>();
  readonly #acknowledged = new Map<number, number>();
  readonly #compactions: number[] = [];

  static record(scheme: Scheme, parts: readonly string[], planted?: Planted): Run {
    // The trace has real paths.
    const scratch = mkdtempSync(join(realpathSync(tmpdir()), `ecsm-power-${scheme}-`));
    const root = join(scratch, 'root');
    mkdirSync(root);
    const program = planted ? ['--import', workerModule('plant'), workerModule('powered')] : [workerScript('powered')];
    const names = planted && { PLANT_FILE: planted.file, PLANT_TEXT: planted.text, PLANT_BY: planted.by };
    const command = [process.execPath, ...program, `${scheme}:${join(root, folder)}`, ...parts];
    const disk = new Disk(root);
    disk.play(record(scratch, command, { environment: { ...process.env, ...names } }));
    return new Run(scheme, scratch, disk);
  }

  private constructor(scheme: Scheme, scratch: string, disk: Disk) {
    this.#scheme = scheme;
    this.#scratch = scratch;
    this.disk = disk;
    const log: Seen[] = [];
    const intended = new Map<string, { readonly at: number; readonly changes: Seen['changes'] }>();
    for (const { at, line: text } of disk.printed) {
      const line: Said | Compacts = JSON.parse(text);
      if ('compacts' in line) this.#compactions.push(line.compacts);
      if (!('loop' in line)) continue;
      if ('intends' in line) {
        intended.set(line.loop, { at, changes: Object.entries(line.intends) });
        continue;
      }
      const commit = intended.get(line.loop);
      this.#started.set(line.revision, commit?.at ?? 0);
      this.#acknowledged.set(line.revision, at);
      log.push({ revision: line.revision, changes: commit?.changes ?? [] });
    }
    this.#log = log.sort((a, b) => a.revision - b.revision);
  }

  get commits(): number {
    return this.#log.length;
  }

  /** The moments right after each acknowledgement. */
  get acknowledgements(): readonly number[] {
    return [...this.#acknowledged.values()].map((at) => at + 1);
  }

  remove(): void {
    rmSync(this.#scratch, { recursive: true, force: true });
  }

  /** Cuts the power at a position, opens what is left, and returns the problem found. */
  async check(moment: number, options: CutOptions): Promise<string[]> {
    try {
      return await withImage(this.#scratch, this.disk.cut(moment, options), async (root) => {
        const directory = join(root, folder);
        const registry = await openRegistry(`${this.#scheme}:${directory}`, { kinds: [] });
        try {
          return await this.#checkStore(registry.store, moment, directory);
        } finally {
          await registry.close();
        }
      });
    } catch (error) {
      if (!isApiError(error)) throw error;
      return [`does not work: ${error.code}: ${error.message}`];
    }
  }

  async #checkStore(store: Store, moment: number, directory: string): Promise<string[]> {
    const newest = await store.revision();
    const acknowledged = lastBefore(this.#acknowledged, moment);
    if (newest < acknowledged) return [`lost: ${acknowledged} was acknowledged, the newest revision is ${newest}`];
    const problems: string[] = [];
    const started = lastBefore(this.#started, moment);
    if (newest > started) problems.push(`revision ${newest} was not started before the cut, the last was ${started}`);
    const expected = this.#log.filter(({ revision }) => revision <= newest);
    const found = await readKept(store, [0, ...this.#compactions], newest);
    compare(
      problems,
      'log',
      found.log,
      expected.filter(({ revision }) => revision > found.after),
    );
    const objects = replay(expected);
    compare(problems, 'objects', sorted(await readObjects(store)), sorted(objects));
    if (this.#scheme === 'file') compare(problems, 'files', readFiles(directory, objects.keys()), sorted(objects));
    const outcome = await store.commit([{ type: 'put', key: 'after/cut', value: encode('check', 1) }]);
    compare(problems, 'new commit', outcome, { committed: true, revision: newest + 1 });
    return problems;
  }
}

/** The largest revision whose moment has passed. */
function lastBefore(moments: ReadonlyMap<number, number>, moment: number): number {
  return Math.max(0, ...[...moments].filter(([, at]) => at < moment).map(([revision]) => revision));
}

/** As much of the log as compaction has left. `targets` are the revisions to which it may have gone, rising. */
async function readKept(
  store: Store,
  targets: readonly number[],
  newest: number,
): Promise<{ log: Seen[]; after: number }> {
  for (const after of targets) {
    try {
      return { log: await readLog(store, after, newest), after };
    } catch (error) {
      if (!isApiError(error, 'Expired')) throw error;
    }
  }
  throw new Error('more was compacted than asked for');
}

function compare(problems: string[], what: string, found: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
  if (one !== other) problems.push(`${what}: ${one.slice(0, 300)} instead of ${other.slice(0, 300)}`);
}

function sorted(map: ReadonlyMap<string, unknown>): unknown {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

function readFiles(directory: string, keys: Iterable<string>): unknown {
  const found = new Map<string, unknown>();
  for (const key of keys) {
    const path = join(directory, `${key}.json`);
    found.set(key, existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).number : 'missing');
  }
  return sorted(found);
}

type Image = ReadonlyMap<string, Buffer | undefined>;

/** Writes an image into a directory of its own in `scratch`, for as long as `use` takes. */
export async function withImage<T>(scratch: string, image: Image, use: (root: string) => Promise<T>): Promise<T> {
  const root = mkdtempSync(join(scratch, 'image-'));
  try {
    writeImage(root, image);
    return await use(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** SQLite recreates the `-shm` file: its content is not on the disk, but in shared memory. */
function writeImage(root: string, image: Image): void {
  // Files that were written just now are looked at twice, which takes time.
  const longAgo = new Date('2020-01-01');
  for (const [path, content] of image) {
    if (path.endsWith('-shm')) continue;
    const target = join(root, path);
    if (content === undefined) {
      mkdirSync(target, { recursive: true });
      continue;
    }
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
    utimesSync(target, longAgo, longAgo);
  }
}
