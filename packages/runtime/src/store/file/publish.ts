/**
 * Writes the newest values into the files. A draft is written and flushed first, and renamed into place in a transaction:
 * only one process at a time, with a value that is still the newest, over a file that was not edited.
 *
 * A crash leaves pending rows. The next scan finds the old file and publishes again, or finds the new content, which
 * counts as published, or finds other content, which is a manual edit.
 */
import { lstatSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { limits } from '../contract.ts';
import { syncDirectory } from '../sqlite/directories.ts';
import type { Ledger } from '../sqlite/ledger.ts';
import type { Tables } from '../sqlite/tables.ts';
import { createDirectory, placeDraft, removeFile, writeDraft } from './draft.ts';
import { messageOf, readIfStill } from './edit-reader.ts';
import { encodeFile, hashOf, parseValue } from './format.ts';
import { isUntouched, type Mirror, type Row } from './mirror.ts';
import { extensions, pathOf } from './names.ts';
import { View } from './observation.ts';
import type { Problems } from './problems.ts';
import type { StoreDirectory } from './store-directory.ts';

interface Draft {
  readonly key: string;
  /** The value's revision, 0 if the key was deleted. */
  readonly revision: number;
  /** The row that the draft is based on. */
  readonly before: Row;
  /** The row once the draft is in place; undefined to remove the file. */
  readonly row: Row | undefined;
  /** Undefined: the file has the right content already, or is to be removed. */
  readonly path?: string;
}

export class Publisher {
  readonly #root: StoreDirectory;
  readonly #ledger: Ledger;
  readonly #mirror: Mirror;
  readonly #problems: Problems;
  readonly #failed = new Map<string, string>();
  #writtenBytes = 0;

  constructor(root: StoreDirectory, ledger: Ledger, mirror: Mirror, problems: Problems) {
    this.#root = root;
    this.#ledger = ledger;
    this.#mirror = mirror;
    this.#problems = problems;
  }

  /** Bytes written to files of objects. */
  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  /** Keys whose files could not be written at the last attempt. */
  get failed(): readonly string[] {
    return [...this.#failed.keys()];
  }

  /** Never fails: the values are durable in the ledger. Failed files are reported, and retried at the next scan. */
  async publish(keys: readonly string[]): Promise<void> {
    for (let start = 0; start < keys.length; start += limits.commitWritesMax) {
      await this.#publishSome(keys.slice(start, start + limits.commitWritesMax));
    }
    // Two calls may publish the same key concurrently, and one of them succeeds.
    for (const key of this.failed) if (!this.#isPending(key)) this.#failed.delete(key);
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

  #isPending(key: string): boolean {
    return this.#ledger.read(() => this.#mirror.get(key)?.pending === true);
  }

  #fileOf(key: string): string {
    const extension = this.#ledger.read(() => this.#mirror.get(key)?.extension) ?? extensions[0];
    return join(this.#root.path, pathOf(key, extension));
  }

  async #publishSome(keys: readonly string[]): Promise<void> {
    const drafts: Draft[] = [];
    try {
      await Promise.all(keys.map((key) => this.#tryToPrepare(key, drafts)));
      if (drafts.length > 0) await this.#ledger.transaction((tables) => this.#place(tables, drafts));
    } catch (error) {
      for (const key of keys) this.#failed.set(key, messageOf(error));
    } finally {
      // Drafts that were moved into place do not exist any more.
      for (const { path } of drafts) if (path !== undefined) rmSync(path, { force: true });
    }
  }

  async #tryToPrepare(key: string, drafts: Draft[]): Promise<void> {
    this.#failed.delete(key);
    try {
      const draft = await this.#prepare(key);
      if (draft !== undefined) drafts.push(draft);
    } catch (error) {
      this.#failed.set(key, messageOf(error));
    }
  }

  async #prepare(key: string): Promise<Draft | undefined> {
    const { before, entry } = this.#ledger.read((tables) => ({
      before: this.#mirror.get(key),
      entry: tables.get(key, undefined),
    }));
    if (!before?.pending) return undefined;
    if (entry === undefined) return { key, before, revision: 0, row: undefined };
    const { extension, stat } = before;
    const { revision } = entry;
    const file = join(this.#root.path, pathOf(key, extension));
    const existing = extension === 'json' || stat === '' ? undefined : await readIfStill(file, stat);
    const bytes = await encodeFile(extension, parseValue(entry.value), existing);
    const hash = hashOf(bytes);
    if (hash === before.hash) return { key, before, revision, row: { ...before, pending: false } };
    const path = this.#root.newDraft();
    const model = stat === '' ? undefined : lstatSync(file, { throwIfNoEntry: false });
    const row = { extension, hash, stat: await writeDraft(path, bytes, model), pending: false };
    this.#writtenBytes += bytes.byteLength;
    return { key, before, revision, row, path };
  }

  #place(tables: Tables, drafts: readonly Draft[]): void {
    this.#root.check();
    const view = new View(this.#root.path);
    const placed: Draft[] = [];
    const directories = new Set<string>();
    for (const draft of drafts) {
      const { key, revision, before } = draft;
      const row = this.#mirror.get(key);
      // Another process has published it, or there is a newer value to publish.
      if (!row?.pending || (tables.get(key, undefined)?.revision ?? 0) !== revision) continue;
      // Edited manually since: the next scan takes that in, or a scan has already written another file.
      if (row.extension !== before.extension || row.stat !== before.stat) continue;
      const isStillUntouched = () => isUntouched(view.at(key, row.extension), row);
      if (!isStillUntouched()) continue;
      try {
        const changed = this.#change(draft, isStillUntouched);
        if (changed === undefined) continue;
        for (const directory of changed) directories.add(directory);
        placed.push(draft);
      } catch (error) {
        this.#failed.set(key, messageOf(error));
      }
    }
    // Before the row is written, or after a power failure the old file could look like an edit.
    for (const directory of directories) syncDirectory(directory);
    for (const { key, row } of placed) this.#mirror.set(key, row);
  }

  /** Writes or removes the file. Returns the directories to flush, or undefined if there is a manual edit. */
  #change({ key, before, row, path }: Draft, isStillUntouched: () => boolean): string[] | undefined {
    const { path: directory } = this.#root;
    const file = join(directory, pathOf(key, before.extension));
    if (row === undefined) {
      if (before.stat === '') return [];
      return removeFile(file, before.stat, this.#root.newDraft()) ? [dirname(file)] : undefined;
    }
    if (path === undefined) return [];
    const changed = createDirectory(directory, file);
    return placeDraft(path, file, before.stat === '', isStillUntouched) ? changed : undefined;
  }
}
