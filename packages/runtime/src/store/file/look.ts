/**
 * Reads what people did to files. An editor or git may be in the middle of it, so a file counts only when it has come
 * to rest: one that was written a moment ago, or is missing since a moment ago, is looked at once more.
 */
import { type FileHandle, open } from 'node:fs/promises';
import type { JsonValue } from '../../api/json.ts';
import { type Clock, sleep } from '../../ports/clock.ts';
import type { Ledger } from '../sqlite/ledger.ts';
import { decodeFile, fileBytesMax, hashOf } from './format.ts';
import { isUntouched, type Mirror, type Row } from './mirror.ts';
import { type FileSight, fingerprint, View } from './sight.ts';

/** Editors and git replace a file by removing it and making it anew; missing for longer means removed. */
export const absenceMs = 300;
/** Also longer than the grain of a file's time, or a second edit of the same length could go unnoticed. */
const quietMs = 50;
/** A file that is written all the time never comes to rest; whoever waits for it is told so after this many looks. */
const looksMax = 10;

/** What was done to the file of a key. */
export type Edit =
  | { readonly is: 'written'; readonly sight: FileSight; readonly hash: string; readonly data: JsonValue }
  /** Its bytes are those that were there before. */
  | { readonly is: 'touched'; readonly sight: FileSight; readonly hash: string }
  | { readonly is: 'removed' }
  | { readonly is: 'refused'; readonly refusal: Refusal }
  /** It did not come to rest while we looked. */
  | { readonly is: 'restless' };

export interface Refusal {
  readonly file: string;
  readonly reason: string;
  /** The fingerprint of what is refused; empty if that is not a file. */
  readonly stat: string;
  /**
   * - `lasting`: the same file would be refused again, so it need not be read again.
   * - `doubtful`: it might be accepted the next time; somebody may have changed its permissions, say.
   * - `restless`: somebody is about to change it; nothing is wrong with that.
   */
  readonly standing: 'lasting' | 'doubtful' | 'restless';
  /** When the file was written; 0 if that does not matter. */
  readonly modifiedMs: number;
}

export class Looker {
  readonly #directory: string;
  readonly #ledger: Ledger;
  readonly #mirror: Mirror;
  readonly #clock: Clock;

  constructor(directory: string, ledger: Ledger, mirror: Mirror, clock: Clock) {
    this.#directory = directory;
    this.#ledger = ledger;
    this.#mirror = mirror;
    this.#clock = clock;
  }

  /** What was done to the files of these keys, if anything. `missing` are those that have been missing long enough. */
  async settle(keys: readonly string[], missing: ReadonlySet<string>): Promise<Map<string, Edit>> {
    const edits = new Map<string, Edit>();
    let restless = keys;
    let gone = missing;
    for (let looks = 1; restless.length > 0; looks++) {
      const found = await this.#look(restless, gone);
      for (const [key, edit] of found) edits.set(key, edit);
      for (const key of restless) if (!found.has(key)) edits.delete(key);
      restless = [...found].filter(([, edit]) => edit.is === 'restless').map(([key]) => key);
      if (restless.length === 0 || looks === looksMax) break;
      const absent = this.missing(restless);
      await sleep(this.#clock, absent.length > 0 ? absenceMs : quietMs);
      gone = new Set(absent);
    }
    return edits;
  }

  /** Those keys whose files should be there and are not. */
  missing(keys: readonly string[]): string[] {
    const view = new View(this.#directory);
    return this.#ledger.read(() =>
      keys.filter((key) => {
        const row = this.#mirror.get(key);
        const sight = view.at(key, row?.extension);
        return sight.is === 'absent' && !isUntouched(sight, row);
      }),
    );
  }

  async #look(keys: readonly string[], missing: ReadonlySet<string>): Promise<Map<string, Edit>> {
    const view = new View(this.#directory);
    const rows = this.#ledger.read(() => keys.map((key) => this.#mirror.get(key)));
    const edits = new Map<string, Edit>();
    for (const [index, key] of keys.entries()) {
      const edit = await this.#lookAt(key, rows[index], view, missing.has(key));
      if (edit !== undefined) edits.set(key, edit);
    }
    return edits;
  }

  async #lookAt(key: string, row: Row | undefined, view: View, missing: boolean): Promise<Edit | undefined> {
    const sight = view.at(key, row?.extension);
    if (isUntouched(sight, row)) return undefined;
    if (sight.is === 'absent') return missing ? { is: 'removed' } : { is: 'restless' };
    if (sight.is === 'odd') {
      return { is: 'refused', refusal: { ...sight, stat: '', standing: 'doubtful', modifiedMs: 0 } };
    }
    if (this.isRecent(sight.modifiedMs, quietMs)) return { is: 'restless' };
    return read(sight, row);
  }

  /** Compares a file's time with the clock's; when the two run on different clocks, nothing is recent. */
  isRecent(modifiedMs: number, agoMs: number): boolean {
    return Math.abs(this.#clock.now() - modifiedMs) < agoMs;
  }
}

async function read(sight: FileSight, row: Row | undefined): Promise<Edit> {
  const { file, stat, sizeBytes, modifiedMs } = sight;
  const refuse = (reason: string, standing: Refusal['standing']): Edit => ({
    is: 'refused',
    refusal: { file, reason, stat, standing, modifiedMs },
  });
  if (sizeBytes > fileBytesMax) return refuse(`it is ${sizeBytes} bytes, over the limit of ${fileBytesMax}`, 'lasting');
  let bytes: Buffer | undefined;
  try {
    bytes = await readIfStill(file, stat);
  } catch (error) {
    return refuse(messageOf(error), 'doubtful');
  }
  if (bytes === undefined) return { is: 'restless' };
  const hash = hashOf(bytes);
  if (hash === row?.hash && sight.extension === row.extension) return { is: 'touched', sight, hash };
  try {
    return { is: 'written', sight, hash, data: await decodeFile(file, bytes, sight.extension) };
  } catch (error) {
    return refuse(messageOf(error), 'lasting');
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The content of a file, or undefined if it is not, or not any more, the file that was seen. */
export async function readIfStill(file: string, stat: string): Promise<Buffer | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, 'r');
    const bytes = await handle.readFile();
    return fingerprint(await handle.stat({ bigint: true })) === stat ? bytes : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  } finally {
    await handle?.close();
  }
}
