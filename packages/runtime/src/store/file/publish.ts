/**
 * Writes the newest values into the files. A draft is written and flushed first, and renamed into place in a transaction,
 * so that among all processes only one does it at a time, with a value that is still the newest and over a file that
 * nobody has touched.
 *
 * A crash leaves rows that are pending. Whoever scans next finds the file as it was, and publishes it again; or finds it
 * with the new content already, which counts as published; or finds something else, which is an edit by hand.
 */
import { lstatSync, mkdirSync, renameSync, rmSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { limits } from '../contract.ts';
import { syncDirectory } from '../lmdb/environment.ts';
import type { Ledger } from '../lmdb/ledger.ts';
import type { Tables } from '../lmdb/tables.ts';
import { encodeFile, hashOf, parseValue } from './format.ts';
import type { Home } from './home.ts';
import { messageOf, readIfStill } from './look.ts';
import { isUntouched, type Mirror, type Row } from './mirror.ts';
import { extensions, pathOf } from './names.ts';
import type { Problems } from './problems.ts';
import { fingerprint, View } from './sight.ts';

/**
 * A new file claims to be this much older than it is: more than the grain of a file's time. So a person who overwrites
 * it in the very next moment, with as many bytes, gives it another time, and the edit is noticed.
 */
const backdateMs = 20;

interface Draft {
  readonly key: string;
  /** The value's revision, 0 if the key was deleted. */
  readonly revision: number;
  /** The row once the draft is in place; undefined: the file is to be removed. */
  readonly row: Row | undefined;
  /** Undefined: the file has the right content already, or is to be removed. */
  readonly path?: string;
}

export class Publisher {
  readonly #home: Home;
  readonly #ledger: Ledger;
  readonly #mirror: Mirror;
  readonly #problems: Problems;
  readonly #failed = new Map<string, string>();

  constructor(home: Home, ledger: Ledger, mirror: Mirror, problems: Problems) {
    this.#home = home;
    this.#ledger = ledger;
    this.#mirror = mirror;
    this.#problems = problems;
  }

  /** Keys whose files could not be written when it was last tried. */
  get failed(): readonly string[] {
    return [...this.#failed.keys()];
  }

  /** Never fails: the values are safe in the ledger. What could not be written is reported, and tried at the next scan. */
  async publish(keys: readonly string[]): Promise<void> {
    for (let start = 0; start < keys.length; start += limits.commitWritesMax) {
      await this.#publishSome(keys.slice(start, start + limits.commitWritesMax));
    }
    const reasons = new Map([...this.#failed].map(([key, reason]) => [reason, key]));
    this.#problems.report(
      'publication',
      [...reasons].map(([reason, key]) => ({
        file: this.#fileOf(key),
        key,
        reason: `its newest value could not be written: ${reason}`,
      })),
    );
  }

  #fileOf(key: string): string {
    const extension = this.#ledger.read(() => this.#mirror.get(key)?.extension) ?? extensions[0];
    return join(this.#home.directory, pathOf(key, extension));
  }

  async #publishSome(keys: readonly string[]): Promise<void> {
    const drafts: Draft[] = [];
    try {
      await Promise.all(keys.map((key) => this.#attempt(key, async () => void (await this.#prepare(key, drafts)))));
      if (drafts.length > 0) await this.#ledger.transaction((tables) => this.#place(tables, drafts));
    } catch (error) {
      for (const key of keys) this.#failed.set(key, messageOf(error));
    } finally {
      // What was renamed is not there any more, and that is fine.
      for (const { path } of drafts) if (path !== undefined) rmSync(path, { force: true });
    }
  }

  async #attempt(key: string, work: () => Promise<void>): Promise<void> {
    try {
      this.#failed.delete(key);
      await work();
    } catch (error) {
      this.#failed.set(key, messageOf(error));
    }
  }

  async #prepare(key: string, drafts: Draft[]): Promise<void> {
    const { row, entry } = this.#ledger.read((tables) => ({
      row: this.#mirror.get(key),
      entry: tables.get(key, undefined),
    }));
    if (!row?.pending) return;
    if (entry === undefined) {
      drafts.push({ key, revision: 0, row: undefined });
      return;
    }
    const { extension } = row;
    const file = join(this.#home.directory, pathOf(key, extension));
    const existing = extension === 'json' || row.stat === '' ? undefined : await readIfStill(file, row.stat);
    const bytes = await encodeFile(extension, parseValue(entry.value), existing);
    const hash = hashOf(bytes);
    if (hash === row.hash) {
      drafts.push({ key, revision: entry.revision, row: { ...row, pending: false } });
      return;
    }
    const path = this.#home.newDraft();
    const stat = await writeDraft(
      path,
      bytes,
      row.stat === '' ? undefined : lstatSync(file, { throwIfNoEntry: false }),
    );
    drafts.push({ key, revision: entry.revision, row: { extension, hash, stat, pending: false }, path });
  }

  #place(tables: Tables, drafts: readonly Draft[]): void {
    this.#home.check();
    const view = new View(this.#home.directory);
    const placed: Draft[] = [];
    const directories = new Set<string>();
    for (const draft of drafts) {
      const { key, revision } = draft;
      const row = this.#mirror.get(key);
      // Somebody has published it, or written a newer value that somebody is going to publish.
      if (!row?.pending || (tables.get(key, undefined)?.revision ?? 0) !== revision) continue;
      // Edited by hand since: the next scan takes that in.
      if (!isUntouched(view.at(key, row.extension), row)) continue;
      const file = join(this.#home.directory, pathOf(key, row.extension));
      try {
        for (const directory of put(this.#home.directory, file, draft)) directories.add(directory);
        placed.push(draft);
      } catch (error) {
        this.#failed.set(key, messageOf(error));
      }
    }
    // Before the row says so, or a power cut could bring the old file back, and it would look like an edit.
    for (const directory of directories) syncDirectory(directory);
    for (const { key, row } of placed) this.#mirror.set(key, row);
  }
}

/** Puts a draft into place, and says which directories have changed by that. */
function put(root: string, file: string, { path, row }: Draft): string[] {
  const directory = dirname(file);
  if (row === undefined) {
    rmSync(file, { force: true });
    return [directory];
  }
  if (path === undefined) return [];
  const created = mkdirSync(directory, { recursive: true });
  renameSync(path, file);
  const changed = [directory];
  for (let parent = directory; created !== undefined && parent !== root && parent !== dirname(parent); ) {
    parent = dirname(parent);
    changed.push(parent);
  }
  return changed;
}

/**
 * Writes and flushes a file; the answer is its fingerprint, which it keeps when it is renamed. What a person has made
 * private, or handed to somebody, stays so in the file that replaces it.
 */
async function writeDraft(path: string, bytes: Uint8Array, model: Stats | undefined): Promise<string> {
  const handle = await open(path, 'wx', model === undefined ? 0o666 : 0o600);
  try {
    await handle.writeFile(bytes);
    if (model !== undefined) await resemble(handle, model);
    const { mtimeMs, atimeMs } = await handle.stat();
    await handle.utimes(atimeMs / 1000, (mtimeMs - backdateMs) / 1000);
    await handle.sync();
    return fingerprint(await handle.stat({ bigint: true }));
  } finally {
    await handle.close();
  }
}

async function resemble(handle: FileHandle, { mode, uid, gid }: Stats): Promise<void> {
  const own = await handle.stat();
  // Only root may give a file away; for everybody else the file becomes the process's own.
  if (own.uid !== uid || own.gid !== gid) await handle.chown(uid, gid).catch(() => {});
  await handle.chmod(mode & 0o777);
}
