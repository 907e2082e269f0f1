/**
 * Goal: every manual edit, with an editor or with git, becomes one ordinary change, and is never overwritten by a client
 * that has not seen it. Method: real files, and waiting for the end state.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Commit } from '../contract.ts';
import { Ledger } from '../sqlite/ledger.ts';
import { bytes, commit, eventually, FileStoreFixture, history, put, stored } from './file-store.kit.ts';
import type { FileStore } from './store.ts';

let fixture: FileStoreFixture;
let store: FileStore;
beforeEach(async () => {
  fixture = new FileStoreFixture();
  store = await fixture.open();
});
afterEach(() => fixture.cleanup());

const key = 'example.io/v1/things/default/a';
const file = `${key}.json`;

describe('a commit', () => {
  it('whose files were not edited is one transaction, and another one to place them', async () => {
    const transactions = vi.spyOn(Ledger.prototype, 'transaction');
    try {
      const counts: number[] = [];
      for (let size = 0; size < 5; size++) {
        transactions.mockClear();
        await commit(store, put(key, { size }), put(`${key}2`, { size }));
        counts.push(transactions.mock.calls.length);
      }
      // A scan at the same time may need more.
      expect(Math.min(...counts)).toBe(2);
    } finally {
      transactions.mockRestore();
    }
  });

  it('counts the bytes of its files as written', async () => {
    // Mostly indentation, which only the file has.
    let value: unknown = Array.from({ length: 5_000 }, () => 1);
    for (let depth = 0; depth < 20; depth++) value = [value];
    const before = store.writtenBytes();
    await commit(store, put(key, value));
    const { size } = statSync(fixture.path(file));
    expect(size).toBeGreaterThan(200_000);
    expect(store.writtenBytes() - before).toBeGreaterThan(size);
  });

  it('writes a readable file before it is acknowledged, and removes it for a deletion', async () => {
    await commit(store, put(key, { name: 'a', list: [1] }));
    expect(fixture.read(file)).toBe('{\n  "name": "a",\n  "list": [\n    1\n  ]\n}\n');
    await commit(store, { type: 'delete', key });
    expect(existsSync(fixture.path(file))).toBe(false);
  });

  it('leaves the newest value in the file when two processes write the same key at once', async () => {
    const other = await fixture.open();
    for (let n = 0; n < 40; n++) {
      const text = 'x'.repeat(n % 2 === 0 ? 200_000 : 1);
      await Promise.all([commit(store, put(key, `first ${n} ${text}`)), commit(other, put(key, `second ${n}`))]);
      expect(JSON.parse(fixture.read(file))).toBe(await stored(store, key));
    }
  });

  it('causes no other change: events about published files are not edits', async () => {
    for (let n = 0; n < 5; n++) await commit(store, put(key, n));
    const revision = await store.revision();
    await store.close();
    store = await fixture.open({ scanMs: 20 });
    await commit(store, put(key, 'last'));
    const other = await fixture.open({ scanMs: 20 });
    await commit(other, put('b', 1));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await store.revision()).toBe(revision + 2);
    expect(store.problems()).toEqual([]);
  });

  it('is refused as BadRequest when it is not JSON, nested too deep, or not text', async () => {
    const deep = new TextEncoder().encode('['.repeat(100) + ']'.repeat(100));
    for (const value of [new Uint8Array([0xff]), new TextEncoder().encode('{'), deep, new Uint8Array()]) {
      await expect(store.commit([{ type: 'put', key, value }])).rejects.toMatchObject({ code: 'BadRequest' });
    }
    expect(await store.revision()).toBe(0);
  });

  it('separates keys that would share a path', async () => {
    await commit(store, put('a', 1), put('a.json/b', 2), put('a.json', 3), put('a.yaml/b.yml', 4));
    expect(fixture.read('a.json')).toBe('1\n');
    expect(fixture.read('a.json+/b.json')).toBe('2\n');
    expect(fixture.read('a.json.json')).toBe('3\n');
    rmSync(fixture.path('.registry'), { recursive: true });
    await store.close();
    store = await fixture.open();
    expect((await store.versions('')).keys).toEqual(['a', 'a.json', 'a.json/b', 'a.yaml/b.yml']);
  });

  it('keeps the permissions of a file', async () => {
    await commit(store, put(key, 1));
    chmodSync(fixture.path(file), 0o600);
    await commit(store, put(key, 2));
    expect(fixture.read(file)).toBe('2\n');
    expect(statSync(fixture.path(file)).mode & 0o777).toBe(0o600);
  });

  it('is read completely after a clone, with rare characters', async () => {
    const value = { text: '火星 \u0000 \u007f \u0085 \u2028 \ud800', ['__proto__']: 1, number: 1e300 };
    await commit(store, put(key, value));
    await store.close();
    rmSync(fixture.path('.registry'), { recursive: true });
    store = await fixture.open();
    expect(await stored(store, key)).toEqual(value);
  });
});

describe('an edit', () => {
  it('by truncating and writing is one change with a revision of its own', async () => {
    const revision = await commit(store, put(key, { n: 1 }));
    const descriptor = openSync(fixture.path(file), 'r+');
    ftruncateSync(descriptor, 0);
    await new Promise((resolve) => setTimeout(resolve, 30));
    writeSync(descriptor, '{"n": 2}');
    closeSync(descriptor);
    await eventually(async () => expect(await stored(store, key)).toEqual({ n: 2 }));
    expect(await store.revision()).toBe(revision + 1);
    expect(fixture.read(file)).toBe('{"n": 2}');
  });

  it('by renaming a new file over the old one is one change', async () => {
    const revision = await commit(store, put(key, { n: 1 }));
    fixture.save('example.io/v1/things/default/.a.json.tmp', { n: 2 });
    renameSync(fixture.path('example.io/v1/things/default/.a.json.tmp'), fixture.path(file));
    await eventually(async () => expect(await stored(store, key)).toEqual({ n: 2 }));
    expect(await history(store, revision)).toEqual([`put ${key}`]);
  });

  it('as vim saves, old file to a backup and then a new one, is one change and no deletion', async () => {
    const revision = await commit(store, put(key, { n: 1 }));
    renameSync(fixture.path(file), fixture.path(`${file}~`));
    await new Promise((resolve) => setTimeout(resolve, 100));
    fixture.save(file, { n: 2 });
    rmSync(fixture.path(`${file}~`));
    await eventually(async () => expect(await stored(store, key)).toEqual({ n: 2 }));
    expect(await history(store, revision)).toEqual([`put ${key}`]);
  });

  it('of the same length immediately after a write is noticed', async () => {
    for (let n = 0; n < 8; n++) {
      await commit(store, put(key, n));
      writeFileSync(fixture.path(file), `${n + 1}\n`);
      await eventually(async () => expect(await stored(store, key)).toBe(n + 1));
    }
  });

  it('reaches watchers in this and in another store, with the previous value', async () => {
    const after = await commit(store, put(key, { n: 1 }));
    const other = await fixture.open();
    const next = async (from: FileStore): Promise<Commit | undefined> => {
      for await (const found of from.watch('example.io/', { after, detail: 'history' })) return found;
      return undefined;
    };
    const watching = [next(store), next(other)];
    fixture.save(file, { n: 2 });
    const change = { type: 'put', key, value: expect.anything(), created: after, previous: bytes({ n: 1 }) };
    for (const found of await Promise.all(watching)) {
      expect(found?.revision).toBe(after + 1);
      expect(found?.changes.map((seen) => ({ ...seen, previous: new Uint8Array(seen.previous ?? []) }))).toEqual([
        change,
      ]);
    }
  });

  it('that only changes the formatting creates no revision and is kept', async () => {
    const revision = await commit(store, put(key, { n: 1, m: 2 }));
    fixture.save(file, '{"m":2,\n"n":1}');
    await commit(store, put('other', 1));
    fixture.save('marker.json', 1);
    await eventually(async () => expect(await stored(store, 'marker')).toBe(1));
    expect(await history(store, revision)).toEqual(['put other', 'put marker']);
    expect(fixture.read(file)).toBe('{"m":2,\n"n":1}');
    await commit(store, put(key, { n: 2, m: 2 }));
    expect(JSON.parse(fixture.read(file))).toEqual({ n: 2, m: 2 });
  });

  it('that only changes the time creates no revision', async () => {
    const revision = await commit(store, put(key, 1));
    utimesSync(fixture.path(file), 1, 1);
    fixture.save('marker.json', 1);
    await eventually(async () => expect(await stored(store, 'marker')).toBe(1));
    expect(await history(store, revision)).toEqual(['put marker']);
    await commit(store, put(key, 2));
    expect(fixture.read(file)).toBe('2\n');
  });

  it('fails a compare-and-set of a client that read before it, even before any scan', async () => {
    await store.close();
    store = await fixture.open({ scanMs: 600_000 });
    const revision = await commit(store, put(key, { n: 1 }));
    fixture.save(file, { n: 'manual' });
    const outcome = await store.commit([put(key, { n: 'by program' }, revision)]);
    expect(outcome).toEqual({ committed: false, key, expected: revision, actual: revision + 1 });
    expect(await stored(store, key)).toEqual({ n: 'manual' });
    const check = await store.commit([{ type: 'check', key, expected: revision }]);
    expect(check).toMatchObject({ committed: false, actual: revision + 1 });
    await commit(store, put(key, { n: 'by program' }, revision + 1));
    expect(JSON.parse(fixture.read(file))).toEqual({ n: 'by program' });
  });

  it('is in the history before a commit without a comparison overwrites it', async () => {
    const revision = await commit(store, put(key, { n: 1 }));
    fixture.save(file, { n: 2 });
    expect(await commit(store, put(key, { n: 3 }))).toBe(revision + 2);
    expect(await history(store, revision)).toEqual([`put ${key}`, `put ${key}`]);
    expect(JSON.parse(fixture.read(file))).toEqual({ n: 3 });
  });

  it('made while the store was closed is taken in when it opens, and revisions continue', async () => {
    const revision = await commit(store, put(key, 1), put('b', 1), put('c', 1));
    await store.close();
    fixture.save(file, 2);
    fixture.save('d.json', 2);
    rmSync(fixture.path('b.json'));
    store = await fixture.open();
    expect([await stored(store, key), await stored(store, 'b'), await stored(store, 'd')]).toEqual([2, undefined, 2]);
    expect(await history(store, revision)).toEqual([`delete b, put d, put ${key}`]);
    expect(await store.revision()).toBe(revision + 1);
  });
});

describe('a new file', () => {
  it('is a new object, also in a new directory', async () => {
    fixture.save('new/deep/er/b.json', { n: 1 });
    await eventually(async () => expect(await stored(store, 'new/deep/er/b')).toEqual({ n: 1 }));
    fixture.save('new/deep/er/c.yml', 'n: 2');
    await eventually(async () => expect(await stored(store, 'new/deep/er/c')).toEqual({ n: 2 }));
  });

  it('prevents a commit from creating the same object', async () => {
    await store.close();
    store = await fixture.open({ scanMs: 600_000 });
    fixture.save('b.yaml', 'n: 1');
    expect(await store.commit([put('b', { n: 2 }, 0)])).toMatchObject({ committed: false, actual: 1 });
    expect(existsSync(fixture.path('b.json'))).toBe(false);
  });

  it('is found by the scan if there is no event', async () => {
    await store.close();
    store = await fixture.open({ scanMs: 30 });
    const hidden = fixture.path('sub');
    fixture.save('sub/.hidden', '');
    await new Promise((resolve) => setTimeout(resolve, 200));
    writeFileSync(join(hidden, 'x.json'), '1');
    await eventually(async () => expect(await stored(store, 'sub/x')).toBe(1));
  });

  it('of a whole clone is taken in when the store opens, in commits of bounded size', async () => {
    await store.close();
    const count = 300;
    for (let n = 0; n < count; n++) fixture.save(`clone/${String(n).padStart(3, '0')}.json`, { n });
    for (const name of [
      'README.md',
      'notes.txt',
      '.editorconfig',
      'clone/x.json~',
      'clone/.x.json.swp',
      'clone/#y.json#',
    ])
      fixture.save(name, 'not an object');
    store = await fixture.open();
    expect((await store.versions('')).keys).toHaveLength(count);
    expect(await store.revision()).toBe(3);
    expect(store.problems()).toEqual([]);
    expect(fixture.read('.registry/.gitignore')).toBe('*\n');
  });
});

describe('YAML', () => {
  it('keeps its comments, order and style through a commit', async () => {
    fixture.save(
      's.yaml',
      '# the service\nzeta: 1 # last\nalpha: {b: 1, a: 2}\n\n# who\nnames:\n  - x # ex\n  - "y"\n',
    );
    await eventually(async () => expect(await store.get('s')).toBeDefined());
    const revision = (await store.get('s'))?.revision;
    await commit(
      store,
      put('s', { zeta: 2, alpha: { b: 1, a: 3 }, names: ['x', 'y', 'z'], status: { ok: true } }, revision),
    );
    expect(fixture.read('s.yaml')).toBe(
      '# the service\nzeta: 2 # last\nalpha: { b: 1, a: 3 }\n\n# who\nnames:\n  - x # ex\n  - "y"\n  - z\nstatus:\n  ok: true\n',
    );
    expect(await store.revision()).toBe((revision ?? 0) + 1);
    await commit(store, put('s', { zeta: 2 }));
    expect(fixture.read('s.yaml')).toBe('# the service\nzeta: 2 # last\n');
    expect(existsSync(fixture.path('s.json'))).toBe(false);
  });

  it('is rewritten if an alias makes a change in place impossible', async () => {
    fixture.save('s.yaml', 'a: &x {n: 1}\nb: *x\n');
    await eventually(async () => expect(await stored(store, 's')).toEqual({ a: { n: 1 }, b: { n: 1 } }));
    await commit(store, put('s', { b: { n: 1 } }));
    expect(fixture.read('s.yaml')).toBe('b:\n  n: 1\n');
  });

  it.each([
    ['a string of blank lines', { text: ' \n' }],
    ['a merge key', { spec: { '<<': { n: 1 } } }],
  ])('writes a YAML file that reads back as the same value: %s', async (_, value) => {
    fixture.save('s.yaml', 'n: 1');
    await eventually(async () => expect(await stored(store, 's')).toEqual({ n: 1 }));
    await commit(store, put('s', value));
    await store.close();
    rmSync(fixture.path('.registry'), { recursive: true });
    store = await fixture.open();
    expect(await stored(store, 's')).toEqual(value);
    expect(store.problems()).toEqual([]);
  });

  it('with data that YAML cannot represent, or only at great length, is written as JSON, which is also YAML', async () => {
    fixture.save('s.yaml', 'n: 1');
    await eventually(async () => expect(await store.get('s')).toBeDefined());
    await commit(store, put('s', { text: '\u007f' }));
    expect(fixture.read('s.yaml')).toBe('{"text":"\\u007f"}\n');
    let wide: unknown = Array.from({ length: 40_000 }, () => 1);
    for (let depth = 0; depth < 60; depth++) wide = [wide];
    await commit(store, put('s', wide), put('t', 1));
    expect(fixture.read('s.yaml').startsWith('[[[')).toBe(true);
    await store.close();
    rmSync(fixture.path('.registry'), { recursive: true });
    store = await fixture.open();
    expect(await stored(store, 's')).toEqual(wide);
  });

  it('replaces JSON when a user renames and rewrites the file', async () => {
    const revision = await commit(store, put(key, { n: 1 }));
    rmSync(fixture.path(file));
    fixture.save(`${key}.yaml`, '# now yaml\nn: 1\n');
    await eventually(() => expect(history(store, revision)).resolves.toEqual([]));
    await eventually(async () => {
      await commit(store, put(key, { n: 2 }));
      expect(fixture.read(`${key}.yaml`)).toBe('# now yaml\nn: 2\n');
    });
    expect(existsSync(fixture.path(file))).toBe(false);
  });
});

const hasGit = spawnSync('git', ['--version']).status === 0;
if (!hasGit) console.warn('skipped: git checkout needs git');

describe.skipIf(!hasGit)('git', () => {
  const git = (...words: string[]) => {
    const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.io', '-c', 'commit.gpgsign=false'];
    const { status, stderr } = spawnSync('git', [...identity, ...words], { cwd: fixture.directory, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  const all = async () => {
    const { entries } = await store.list('');
    return Object.fromEntries(entries.map((entry) => [entry.key, JSON.parse(new TextDecoder().decode(entry.value))]));
  };

  it('checkout goes from one branch to another and back, with no trace of the store in the repository', async () => {
    git('init', '--quiet', '--initial-branch', 'main');
    await commit(store, put('x/a', { n: 1 }), put('x/b', { n: 1 }), put('x/c', { n: 1 }));
    git('add', '.');
    git('commit', '--quiet', '--message', 'one');
    expect(spawnSync('git', ['ls-files'], { cwd: fixture.directory, encoding: 'utf8' }).stdout).toBe(
      'x/a.json\nx/b.json\nx/c.json\n',
    );
    git('checkout', '--quiet', '-b', 'two');
    await commit(store, put('x/a', { n: 2 }), { type: 'delete', key: 'x/b' }, put('y/d', { n: 2 }));
    git('add', '.');
    git('commit', '--quiet', '--message', 'two');
    const revision = await store.revision();

    git('checkout', '--quiet', 'main');
    await eventually(async () => expect(await all()).toEqual({ 'x/a': { n: 1 }, 'x/b': { n: 1 }, 'x/c': { n: 1 } }));
    git('checkout', '--quiet', 'two');
    await eventually(async () => expect(await all()).toEqual({ 'x/a': { n: 2 }, 'x/c': { n: 1 }, 'y/d': { n: 2 } }));
    const changes = (await history(store, revision)).join(', ').split(', ').sort();
    expect(changes).toEqual(['delete x/b', 'delete y/d', 'put x/a', 'put x/a', 'put x/b', 'put y/d']);
    expect(spawnSync('git', ['status', '--porcelain'], { cwd: fixture.directory, encoding: 'utf8' }).stdout).toBe('');
  });
});

describe('the drafts', () => {
  it('are removed when the store is closed, and those of a process that died when the next opens', async () => {
    fixture.save('.registry/tmp/999999999-dead/1', 'draft');
    fixture.save(`.registry/tmp/${process.pid}-alive/1`, 'draft');
    fixture.save('.registry/tmp/other/1', 'not a draft');
    await commit(store, put(key, 1));
    await store.close();
    store = await fixture.open();
    await store.close();
    expect(existsSync(fixture.path('.registry/tmp/999999999-dead'))).toBe(false);
    expect(readFileSync(fixture.path(`.registry/tmp/${process.pid}-alive/1`), 'utf8')).toBe('draft');
    expect(fixture.read('.registry/tmp/other/1')).toBe('not a draft');
    expect(statSync(fixture.path('.registry/tmp')).nlink).toBe(4);
  });
});
