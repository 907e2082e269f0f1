/**
 * Reads manual edits of files. An editor or git may still be writing, so a file is accepted only when it is stable: one
 * that was written or removed very recently is read again.
 */
import { type FileHandle, open } from 'node:fs/promises';
import type { JsonValue } from '../../api/json.ts';
import { type Clock, sleep } from '../../ports/clock.ts';
import type { Ledger } from '../sqlite/ledger.ts';
import { decodeFile, fileBytesMax, hashOf } from './format.ts';
import { isUntouched, type Mirror, type Row } from './mirror.ts';
import { type FileObservation, fingerprint, View } from './observation.ts';

/** Editors and git replace a file by removing it and creating it again; missing for longer means removed. */
export const absenceMs = 300;
/** Also longer than the resolution of file times, or a second edit of the same length could go unnoticed. */
const quietMs = 50;
/** A file that is written continuously is reported as changing after this many reads. */
const readsMax = 10;

/** The edit of a key's file. */
export type Edit =
  | { readonly is: 'written'; readonly observed: FileObservation; readonly hash: string; readonly data: JsonValue }
  /** The bytes have not changed. */
  | { readonly is: 'touched'; readonly observed: FileObservation; readonly hash: string }
  | { readonly is: 'removed' }
  | { readonly is: 'refused'; readonly refusal: Refusal }
  /** It was still being changed. */
  | { readonly is: 'changing' };

export interface Refusal {
  readonly file: string;
  readonly reason: string;
  /** The fingerprint of the refused file; empty if it is not a file. */
  readonly stat: string;
  /**
   * - `permanent`: the same file would be refused again, so it need not be read again.
   * - `temporary`: it might be accepted the next time, for example after a change of its permissions.
   * - `changing`: it is still being changed, which is not an error.
   */
  readonly status: 'permanent' | 'temporary' | 'changing';
  /** When the file was written; 0 if that does not matter. */
  readonly modifiedMs: number;
}

export class EditReader {
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

  /** Returns the edits of these keys' files. `missing` are those that have been missing long enough. */
  async settle(keys: readonly string[], missing: ReadonlySet<string>): Promise<Map<string, Edit>> {
    const edits = new Map<string, Edit>();
    let changing = keys;
    let confirmedMissing = missing;
    for (let reads = 1; changing.length > 0; reads++) {
      const found = await this.#readAll(changing, confirmedMissing);
      for (const [key, edit] of found) edits.set(key, edit);
      for (const key of changing) if (!found.has(key)) edits.delete(key);
      changing = [...found].filter(([, edit]) => edit.is === 'changing').map(([key]) => key);
      if (changing.length === 0 || reads === readsMax) break;
      const absent = this.missing(changing);
      await sleep(this.#clock, absent.length > 0 ? absenceMs : quietMs);
      confirmedMissing = new Set(absent);
    }
    return edits;
  }

  /** The keys whose files should exist and do not. */
  missing(keys: readonly string[]): string[] {
    const view = new View(this.#directory);
    return this.#ledger.read(() =>
      keys.filter((key) => {
        const row = this.#mirror.get(key);
        const observed = view.at(key, row?.extension);
        return observed.is === 'absent' && !isUntouched(observed, row);
      }),
    );
  }

  async #readAll(keys: readonly string[], missing: ReadonlySet<string>): Promise<Map<string, Edit>> {
    const view = new View(this.#directory);
    const rows = this.#ledger.read(() => keys.map((key) => this.#mirror.get(key)));
    const edits = new Map<string, Edit>();
    for (const [index, key] of keys.entries()) {
      const edit = await this.#readOne(key, rows[index], view, missing.has(key));
      if (edit !== undefined) edits.set(key, edit);
    }
    return edits;
  }

  async #readOne(key: string, row: Row | undefined, view: View, missing: boolean): Promise<Edit | undefined> {
    const observed = view.at(key, row?.extension);
    if (isUntouched(observed, row)) return undefined;
    if (observed.is === 'absent') return missing ? { is: 'removed' } : { is: 'changing' };
    if (observed.is === 'unusable') {
      return { is: 'refused', refusal: { ...observed, stat: '', status: 'temporary', modifiedMs: 0 } };
    }
    if (this.isRecent(observed.modifiedMs, quietMs)) return { is: 'changing' };
    return read(observed, row);
  }

  /** Compares a file's time with the clock; if the two use different clocks, no file is recent. */
  isRecent(modifiedMs: number, agoMs: number): boolean {
    return Math.abs(this.#clock.now() - modifiedMs) < agoMs;
  }
}

async function read(observed: FileObservation, row: Row | undefined): Promise<Edit> {
  const { file, stat, sizeBytes, modifiedMs } = observed;
  const refuse = (reason: string, status: Refusal['status']): Edit => ({
    is: 'refused',
    refusal: { file, reason, stat, status, modifiedMs },
  });
  if (sizeBytes > fileBytesMax)
    return refuse(`it is ${sizeBytes} bytes, over the limit of ${fileBytesMax}`, 'permanent');
  let bytes: Buffer | undefined;
  try {
    bytes = await readIfStill(file, stat);
  } catch (error) {
    return refuse(messageOf(error), 'temporary');
  }
  if (bytes === undefined) return { is: 'changing' };
  const hash = hashOf(bytes);
  if (hash === row?.hash && observed.extension === row.extension) return { is: 'touched', observed, hash };
  try {
    return { is: 'written', observed, hash, data: await decodeFile(file, bytes, observed.extension) };
  } catch (error) {
    return refuse(messageOf(error), 'permanent');
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the content of a file, or undefined if it no longer has this fingerprint. */
export async function readIfStill(file: string, stat: string): Promise<Buffer | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    const bytes = await handle.readFile();
    return fingerprint(await handle.stat({ bigint: true })) === stat ? bytes : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  } finally {
    await handle?.close();
  }
}
