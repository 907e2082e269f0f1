/**
 * Goal: the next process repairs everything after a process dies at any time. Method: the states in which it can leave
 * the directory are created by the tests, and two processes are killed while they write.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../api/errors.ts';
import type { Write } from '../contract.ts';
import { Ledger } from '../sqlite/ledger.ts';
import { commit, eventually, FileStoreFixture, history, put, stored } from './file-store.kit.ts';
import { Mirror, type Row } from './mirror.ts';

let fixture: FileStoreFixture;
beforeEach(() => {
  fixture = new FileStoreFixture();
});
afterEach(() => fixture.cleanup());

/** Does in the ledger what a commit does there, and dies before it has published anything. */
async function commitAndDie(write: Write, change: (row: Row | undefined) => Row): Promise<void> {
  const ledger = await Ledger.open({ directory: fixture.path('.registry') });
  const mirror = new Mirror(ledger.connection);
  await ledger.transaction(() => {
    ledger.apply([[write]]);
    mirror.set(write.key, change(mirror.get(write.key)));
  });
  await ledger.close(async () => {});
}

const nothing: Row = { extension: 'json', hash: '', stat: '', pending: true };
const pending = (row: Row | undefined): Row => ({ ...(row ?? nothing), pending: true });

describe('after a crash between the commit and its file', () => {
  beforeEach(async () => {
    const store = await fixture.open();
    await commit(store, put('a', { n: 1 }));
    await store.close();
  });

  it('an update whose file is still the old one is published', async () => {
    await commitAndDie(put('a', { n: 2 }), pending);
    const store = await fixture.open();
    expect(JSON.parse(fixture.read('a.json'))).toEqual({ n: 2 });
    expect(await history(store)).toEqual(['put a', 'put a']);
  });

  it('an update whose file is new already counts as published', async () => {
    await commitAndDie(put('a', { n: 2 }), pending);
    fixture.save('a.json', { n: 2 });
    const store = await fixture.open();
    await commit(store, put('a', { n: 3 }, 2));
    expect(JSON.parse(fixture.read('a.json'))).toEqual({ n: 3 });
    expect(await history(store)).toEqual(['put a', 'put a', 'put a']);
  });

  it('an update whose file is something else has an edit on top of it', async () => {
    await commitAndDie(put('a', { n: 2 }), pending);
    fixture.save('a.json', { n: 'manual' });
    const store = await fixture.open();
    expect(await stored(store, 'a')).toEqual({ n: 'manual' });
    expect(await history(store)).toEqual(['put a', 'put a', 'put a']);
    expect(JSON.parse(fixture.read('a.json'))).toEqual({ n: 'manual' });
  });

  it('an update whose file was removed is a removal on top of it', async () => {
    await commitAndDie(put('a', { n: 2 }), pending);
    rmSync(fixture.path('a.json'));
    const store = await fixture.open();
    expect(await history(store)).toEqual(['put a', 'put a', 'delete a']);
  });

  it('a new object gets its file', async () => {
    await commitAndDie(put('b', 1), pending);
    await fixture.open();
    expect(fixture.read('b.json')).toBe('1\n');
  });

  it('a new object whose file is in place keeps it', async () => {
    await commitAndDie(put('b', 1), pending);
    fixture.save('b.json', 1);
    const store = await fixture.open();
    expect(await history(store)).toEqual(['put a', 'put b']);
  });

  it.each([
    ['new', 'b'],
    ['updated', 'a'],
  ])(
    'the %s file of a kind that this process does not know can be written again (Forbidden, for ever)',
    async (_, key) => {
      await commitAndDie(put(key, { n: 2 }), pending);
      // As after a flush that failed when the file was in place.
      fixture.save(`${key}.json`, { n: 2 });
      const admit = () => {
        throw new ApiError('BadRequest', { reason: `no kind matches "${key}"` });
      };
      const store = await fixture.open({ admit });
      expect(store.problems()).toEqual([]);
      expect(await history(store)).toEqual(['put a', `put ${key}`]);
      await commit(store, put(key, { n: 3 }));
      expect(JSON.parse(fixture.read(`${key}.json`))).toEqual({ n: 3 });
      fixture.save(`${key}.json`, { n: 4 });
      await expect(store.commit([put(key, { n: 5 })])).rejects.toMatchObject({ code: 'Forbidden' });
    },
  );

  it('the file of a deleted object is removed', async () => {
    await commitAndDie({ type: 'delete', key: 'a' }, pending);
    const store = await fixture.open();
    expect(existsSync(fixture.path('a.json'))).toBe(false);
    expect(await history(store)).toEqual(['put a', 'delete a']);
  });

  it('a deleted object whose file is already removed stays deleted, and can be created again', async () => {
    await commitAndDie({ type: 'delete', key: 'a' }, pending);
    rmSync(fixture.path('a.json'));
    const store = await fixture.open();
    expect(await history(store)).toEqual(['put a', 'delete a']);
    fixture.save('a.json', 'again\n'.length);
    await eventually(async () => expect(await stored(store, 'a')).toBe(6));
  });

  it('a deleted object whose file was edited exists again, with the edited content', async () => {
    await commitAndDie({ type: 'delete', key: 'a' }, pending);
    fixture.save('a.json', { n: 'manual' });
    const store = await fixture.open();
    expect(await stored(store, 'a')).toEqual({ n: 'manual' });
    expect(await history(store)).toEqual(['put a', 'delete a', 'put a']);
  });

  it('the next commit of a running process repairs it too, without waiting for a scan', async () => {
    const store = await fixture.open({ scanMs: 600_000 });
    await commitAndDie(put('a', { n: 2 }), pending);
    expect(await store.commit([put('a', { n: 3 }, 1)])).toMatchObject({ committed: false, actual: 2 });
    await commit(store, put('a', { n: 3 }, 2));
    expect(JSON.parse(fixture.read('a.json'))).toEqual({ n: 3 });
  });
});

describe('two processes', () => {
  const root = join(import.meta.dirname, '../../../../..');
  const program = `
    const { FileStore } = await import(${JSON.stringify(join(root, 'packages/runtime/dist/store/file/store.js'))});
    const [directory, name] = process.argv.slice(1);
    const store = await FileStore.open({ directory, scanMs: 100 });
    const bytes = (value) => new TextEncoder().encode(JSON.stringify(value));
    console.log('ready');
    for (let n = 1; ; n++) {
      // One key of its own, and one counter that both of them raise.
      await store.commit([{ type: 'put', key: 'own/' + name, value: bytes(n) }]);
      for (;;) {
        const entry = await store.get('counter');
        const count = entry ? JSON.parse(new TextDecoder().decode(entry.value)) : 0;
        const outcome = await store.commit([{ type: 'put', key: 'counter', value: bytes(count + 1), expected: entry?.revision ?? 0 }]);
        if (outcome.committed) break;
      }
      console.log(n);
    }`;

  /** Runs a writer until it has acknowledged some rounds, kills it, and says how many it acknowledged. */
  async function writeUntilKilled(name: string, rounds: number): Promise<number> {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program, fixture.directory, name], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    let acknowledged = 0;
    for await (const chunk of child.stdout) {
      for (const line of String(chunk).trim().split('\n')) acknowledged = Math.max(acknowledged, Number(line) || 0);
      if (acknowledged >= rounds) child.kill('SIGKILL');
    }
    await exited;
    return acknowledged;
  }

  it('that write the same files and are killed lose nothing, and their files agree with the ledger', async () => {
    for (let round = 0; round < 2; round++) {
      const before = round === 0 ? 0 : ((await counterOnDisk()) as number);
      const [first, second] = await Promise.all([writeUntilKilled('one', 12), writeUntilKilled('two', 17)]);
      const store = await fixture.open();
      // Each may have committed one more round than it came to acknowledge.
      const count = (await stored(store, 'counter')) as number;
      expect(count).toBeGreaterThanOrEqual(before + first + second);
      expect(count).toBeLessThanOrEqual(before + first + second + 2);
      expect(await stored(store, 'own/one')).toBeGreaterThanOrEqual(first);
      expect(await stored(store, 'own/two')).toBeGreaterThanOrEqual(second);
      const changes = await history(store);
      expect(changes.filter((change) => change === 'put counter')).toHaveLength(count);
      expect(changes).toHaveLength(await store.revision());
      for (const key of ['counter', 'own/one', 'own/two']) {
        expect(JSON.parse(fixture.read(`${key}.json`))).toEqual(await stored(store, key));
      }
      expect(store.problems()).toEqual([]);
      await store.close();
      expect(readdirSync(fixture.path('.registry/tmp'))).toEqual([]);
    }
  });

  async function counterOnDisk(): Promise<unknown> {
    return JSON.parse(fixture.read('counter.json'));
  }
});
