/** A directory for tests of the file store: opens stores, edits files, and cleans up. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { LogFields } from '../../ports/log.ts';
import type { Commit, CommitOutcome, Store, Write } from '../contract.ts';
import { FileStore, type FileStoreOptions } from './store.ts';

const giveUpMs = 40_000;

export const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** Whether nothing is forbidden to this process, so that tests of permissions cannot fail and are skipped. */
export function isRoot(): boolean {
  const root = process.getuid?.() === 0;
  if (root)
    process.stderr.write('skipped: root may read and write everything, so what permissions forbid cannot be tested\n');
  return root;
}

export class FileStoreFixture {
  readonly directory: string;
  readonly logged: LogFields[] = [];
  readonly #stores: FileStore[] = [];

  constructor(directory = mkdtempSync(join(tmpdir(), 'ecsm-file-'))) {
    this.directory = directory;
  }

  async open(options: Partial<FileStoreOptions> = {}): Promise<FileStore> {
    const log = { write: (_level: string, _message: string, fields: LogFields = {}) => void this.logged.push(fields) };
    const store = await FileStore.open({ directory: this.directory, log, ...options });
    this.#stores.push(store);
    return store;
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  /** Saves a file as a simple editor does: truncate, write. */
  save(name: string, content: unknown): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    const isText = typeof content === 'string' || content instanceof Uint8Array;
    writeFileSync(this.path(name), isText ? content : `${JSON.stringify(content, null, 2)}\n`);
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  async cleanup(): Promise<void> {
    for (const store of this.#stores) await store.close();
    // A test that failed may have moved it away.
    for (const path of [this.directory, `${this.directory}-away`]) rmSync(path, { recursive: true, force: true });
  }
}

export async function stored(store: Store, key: string): Promise<unknown> {
  const entry = await store.get(key);
  return entry === undefined ? undefined : JSON.parse(new TextDecoder().decode(entry.value));
}

export const put = (key: string, value: unknown, expected?: number): Write => ({
  type: 'put',
  key,
  value: bytes(value),
  ...(expected === undefined ? {} : { expected }),
});

export async function commit(store: Store, ...writes: Write[]): Promise<number> {
  const outcome: CommitOutcome = await store.commit(writes);
  if (!outcome.committed) throw new Error(`unexpected conflict ${JSON.stringify(outcome)}`);
  return outcome.revision;
}

/** Waits until an expectation holds. */
export async function eventually(expectation: () => unknown): Promise<void> {
  for (const start = Date.now(); ; ) {
    try {
      await expectation();
      return;
    } catch (error) {
      if (Date.now() - start > giveUpMs) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Everything that happened after a revision, until now. */
export async function history(store: Store, after = 0): Promise<string[]> {
  const newest = await store.revision();
  const commits: Commit[] = [];
  if (newest > after) {
    for await (const next of store.watch('', { after })) {
      commits.push(next);
      if (next.revision === newest) break;
    }
  }
  return commits.map(({ changes }) => changes.map(({ type, key }) => `${type} ${key}`).join(', '));
}
