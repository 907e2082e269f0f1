/**
 * Goal: whatever a person does to the files, with an editor or with git, becomes an ordinary change, once, and is never
 * overwritten by a program that has not seen it. Method: real files, and waiting for the end state.
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
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Commit } from '../contract.ts';
import { bytes, commit, eventually, FileStoreFixture, history, put, stored } from './file-store.kit.ts';
import type { FileStore } from './store.ts';

let bench: FileStoreFixture;
let store: FileStore;
beforeEach(async () => {
  bench = new FileStoreFixture();
  store = await bench.open();
});
afterEach(() => bench.cleanup());

const key = 'example.io/v1/things/default/a';
const file = `${key}.json`;

describe('what a program writes', () => {
  it('is a readable file when the commit is acknowledged, and gone when its deletion is', async () => {
    await commit(store, put(key, { name: 'a', list: [1] }));
    expect(bench.read(file)).toBe('{\n  "name": "a",\n  "list": [\n    1\n  ]\n}\n');
    await commit(store, { type: 'delete', key });
    expect(existsSync(bench.path(file))).toBe(false);
  });

  it('makes no change of its own: events about our own files are not edits', async () => {
    for (let n = 0; n < 5; n++) await commit(store, put(key, n));
    const revision = await store.revision();
    await store.close();
    store = await bench.open({ scanMs: 20 });
    await commit(store, put(key, 'last'));
    const other = await bench.open({ scanMs: 20 });
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

  it('keeps keys apart that would share a path', async () => {
    await commit(store, put('a', 1), put('a.json/b', 2), put('a.json', 3), put('a.yaml/b.yml', 4));
    expect(bench.read('a.json')).toBe('1\n');
    expect(bench.read('a.json+/b.json')).toBe('2\n');
    expect(bench.read('a.json.json')).toBe('3\n');
    rmSync(bench.path('.registry'), { recursive: true });
    await store.close();
    store = await bench.open();
    expect((await store.versions('')).keys).toEqual(['a', 'a.json', 'a.json/b', 'a.yaml/b.yml']);
  });

  it('leaves a file as private as a person has made it', async () => {
    await commit(store, put(key, 1));
    chmodSync(bench.path(file), 0o600);
    await commit(store, put(key, 2));
    expect(bench.read(file)).toBe('2\n');
    expect(statSync(bench.path(file)).mode & 0o777).toBe(0o600);
  });

  it('is read again in full after a clone, rare characters and all', async () => {
    const value = { text: '火星 \u0000 \u007f \u0085 \u2028 \ud800', ['__proto__']: 1, number: 1e300 };
    await commit(store, put(key, value));
    await store.close();
    rmSync(bench.path('.registry'), { recursive: true });
    store = await bench.open();
    expect(await stored(store, key)).toEqual(value);
  });
});

describe('an edit', () => {
  it('by truncating and writing is one change with a revision of its own', async () => {
    const revision = await commit(store, put(key, { n: 1 }));
    const descriptor = openSync(bench.path(file), 'r+');
    ftruncateSync(descriptor, 0);
    await new Promise((resolve) => setTimeout(resolve, 30));
    writeSync(descriptor, '{"n": 2}');
    closeSync(descriptor);
    await eventually(async () => expect(await stored(store, key)).toEqual({ n: 2 }));
    expect(await store.revision()).toBe(revision + 1);
    expect(bench.read(file)).toBe('{"n": 2}');
  });

  it('by renaming a new file over the old one is one change', async () => {
    const revision = await commit(store, put(key, { n: 1 }));
    bench.save('example.io/v1/things/default/.a.json.tmp', { n: 2 });
    renameSync(bench.path('example.io/v1/things/default/.a.json.tmp'), bench.path(file));
    await eventually(async () => expect(await stored(store, key)).toEqual({ n: 2 }));
    expect(await history(store, revision)).toEqual([`put ${key}`]);
  });

  it('in the way of vim, old file to a backup and then a new one, is one change and no deletion', async () => {
    const revision = await commit(store, put(key, { n: 1 }));
    renameSync(bench.path(file), bench.path(`${file}~`));
    await new Promise((resolve) => setTimeout(resolve, 100));
    bench.save(file, { n: 2 });
    rmSync(bench.path(`${file}~`));
    await eventually(async () => expect(await stored(store, key)).toEqual({ n: 2 }));
    expect(await history(store, revision)).toEqual([`put ${key}`]);
  });

  it('of the same length in the moment after a write is noticed', async () => {
    for (let n = 0; n < 8; n++) {
      await commit(store, put(key, n));
      writeFileSync(bench.path(file), `${n + 1}\n`);
      await eventually(async () => expect(await stored(store, key)).toBe(n + 1));
    }
  });

  it('reaches watchers in this and in another store, with the value before', async () => {
    const after = await commit(store, put(key, { n: 1 }));
    const other = await bench.open();
    const next = async (from: FileStore): Promise<Commit | undefined> => {
      for await (const found of from.watch('example.io/', { after, detail: 'history' })) return found;
      return undefined;
    };
    const watching = [next(store), next(other)];
    bench.save(file, { n: 2 });
    const change = { type: 'put', key, value: expect.anything(), created: after, previous: bytes({ n: 1 }) };
    for (const found of await Promise.all(watching)) {
      expect(found?.revision).toBe(after + 1);
      expect(found?.changes.map((seen) => ({ ...seen, previous: new Uint8Array(seen.previous ?? []) }))).toEqual([
        change,
      ]);
    }
  });

  it('that only changes the formatting makes no revision and stays as it is', async () => {
    const revision = await commit(store, put(key, { n: 1, m: 2 }));
    bench.save(file, '{"m":2,\n"n":1}');
    await commit(store, put('other', 1));
    bench.save('marker.json', 1);
    await eventually(async () => expect(await stored(store, 'marker')).toBe(1));
    expect(await history(store, revision)).toEqual(['put other', 'put marker']);
    expect(bench.read(file)).toBe('{"m":2,\n"n":1}');
    await commit(store, put(key, { n: 2, m: 2 }));
    expect(JSON.parse(bench.read(file))).toEqual({ n: 2, m: 2 });
  });

  it('of nothing but the time makes no revision', async () => {
    const revision = await commit(store, put(key, 1));
    utimesSync(bench.path(file), 1, 1);
    bench.save('marker.json', 1);
    await eventually(async () => expect(await stored(store, 'marker')).toBe(1));
    expect(await history(store, revision)).toEqual(['put marker']);
    await commit(store, put(key, 2));
    expect(bench.read(file)).toBe('2\n');
  });

  it('makes a compare-and-set fail for a program that read before it, even before any scan', async () => {
    await store.close();
    store = await bench.open({ scanMs: 600_000 });
    const revision = await commit(store, put(key, { n: 1 }));
    bench.save(file, { n: 'by hand' });
    const outcome = await store.commit([put(key, { n: 'by program' }, revision)]);
    expect(outcome).toEqual({ committed: false, key, expected: revision, actual: revision + 1 });
    expect(await stored(store, key)).toEqual({ n: 'by hand' });
    const check = await store.commit([{ type: 'check', key, expected: revision }]);
    expect(check).toMatchObject({ committed: false, actual: revision + 1 });
    await commit(store, put(key, { n: 'by program' }, revision + 1));
    expect(JSON.parse(bench.read(file))).toEqual({ n: 'by program' });
  });

  it('is on record before a program that does not compare overwrites it', async () => {
    const revision = await commit(store, put(key, { n: 1 }));
    bench.save(file, { n: 2 });
    expect(await commit(store, put(key, { n: 3 }))).toBe(revision + 2);
    expect(await history(store, revision)).toEqual([`put ${key}`, `put ${key}`]);
    expect(JSON.parse(bench.read(file))).toEqual({ n: 3 });
  });

  it('made while the store was closed is there when it opens, and revisions go on', async () => {
    const revision = await commit(store, put(key, 1), put('b', 1), put('c', 1));
    await store.close();
    bench.save(file, 2);
    bench.save('d.json', 2);
    rmSync(bench.path('b.json'));
    store = await bench.open();
    expect([await stored(store, key), await stored(store, 'b'), await stored(store, 'd')]).toEqual([2, undefined, 2]);
    expect(await history(store, revision)).toEqual([`delete b, put d, put ${key}`]);
    expect(await store.revision()).toBe(revision + 1);
  });
});

describe('a new file', () => {
  it('is a new object, also in a new directory', async () => {
    bench.save('new/deep/er/b.json', { n: 1 });
    await eventually(async () => expect(await stored(store, 'new/deep/er/b')).toEqual({ n: 1 }));
    bench.save('new/deep/er/c.yml', 'n: 2');
    await eventually(async () => expect(await stored(store, 'new/deep/er/c')).toEqual({ n: 2 }));
  });

  it('keeps a program from creating the same object', async () => {
    await store.close();
    store = await bench.open({ scanMs: 600_000 });
    bench.save('b.yaml', 'n: 1');
    expect(await store.commit([put('b', { n: 2 }, 0)])).toMatchObject({ committed: false, actual: 1 });
    expect(existsSync(bench.path('b.json'))).toBe(false);
  });

  it('is found by the scan where no event tells of it', async () => {
    await store.close();
    store = await bench.open({ scanMs: 30 });
    const hidden = bench.path('sub');
    bench.save('sub/.hidden', '');
    await new Promise((resolve) => setTimeout(resolve, 200));
    writeFileSync(join(hidden, 'x.json'), '1');
    await eventually(async () => expect(await stored(store, 'sub/x')).toBe(1));
  });

  it('of a whole clone is taken in when the store opens, in commits of bounded size', async () => {
    await store.close();
    const count = 300;
    for (let n = 0; n < count; n++) bench.save(`clone/${String(n).padStart(3, '0')}.json`, { n });
    for (const name of [
      'README.md',
      'notes.txt',
      '.editorconfig',
      'clone/x.json~',
      'clone/.x.json.swp',
      'clone/#y.json#',
    ])
      bench.save(name, 'not an object');
    store = await bench.open();
    expect((await store.versions('')).keys).toHaveLength(count);
    expect(await store.revision()).toBe(3);
    expect(store.problems()).toEqual([]);
    expect(bench.read('.registry/.gitignore')).toBe('*\n');
  });
});

describe('YAML', () => {
  it('keeps its comments, order and style through a program’s write', async () => {
    bench.save('s.yaml', '# the service\nzeta: 1 # last\nalpha: {b: 1, a: 2}\n\n# who\nnames:\n  - x # ex\n  - "y"\n');
    await eventually(async () => expect(await store.get('s')).toBeDefined());
    const revision = (await store.get('s'))?.revision;
    await commit(
      store,
      put('s', { zeta: 2, alpha: { b: 1, a: 3 }, names: ['x', 'y', 'z'], status: { ok: true } }, revision),
    );
    expect(bench.read('s.yaml')).toBe(
      '# the service\nzeta: 2 # last\nalpha: { b: 1, a: 3 }\n\n# who\nnames:\n  - x # ex\n  - "y"\n  - z\nstatus:\n  ok: true\n',
    );
    expect(await store.revision()).toBe((revision ?? 0) + 1);
    await commit(store, put('s', { zeta: 2 }));
    expect(bench.read('s.yaml')).toBe('# the service\nzeta: 2 # last\n');
    expect(existsSync(bench.path('s.json'))).toBe(false);
  });

  it('is written anew where an alias makes a change in place impossible', async () => {
    bench.save('s.yaml', 'a: &x {n: 1}\nb: *x\n');
    await eventually(async () => expect(await stored(store, 's')).toEqual({ a: { n: 1 }, b: { n: 1 } }));
    await commit(store, put('s', { b: { n: 1 } }));
    expect(bench.read('s.yaml')).toBe('b:\n  n: 1\n');
  });

  it('with what YAML cannot show, or only at great length, is written as JSON, which is YAML too', async () => {
    bench.save('s.yaml', 'n: 1');
    await eventually(async () => expect(await store.get('s')).toBeDefined());
    await commit(store, put('s', { text: '\u007f' }));
    expect(bench.read('s.yaml')).toBe('{"text":"\\u007f"}\n');
    let wide: unknown = Array.from({ length: 40_000 }, () => 1);
    for (let depth = 0; depth < 60; depth++) wide = [wide];
    await commit(store, put('s', wide), put('t', 1));
    expect(bench.read('s.yaml').startsWith('[[[')).toBe(true);
    await store.close();
    rmSync(bench.path('.registry'), { recursive: true });
    store = await bench.open();
    expect(await stored(store, 's')).toEqual(wide);
  });

  it('takes the place of JSON when a person renames and rewrites the file', async () => {
    const revision = await commit(store, put(key, { n: 1 }));
    rmSync(bench.path(file));
    bench.save(`${key}.yaml`, '# now yaml\nn: 1\n');
    await eventually(() => expect(history(store, revision)).resolves.toEqual([]));
    await eventually(async () => {
      await commit(store, put(key, { n: 2 }));
      expect(bench.read(`${key}.yaml`)).toBe('# now yaml\nn: 2\n');
    });
    expect(existsSync(bench.path(file))).toBe(false);
  });
});

const hasGit = spawnSync('git', ['--version']).status === 0;
if (!hasGit) console.warn('skipped: git checkout needs git');

describe.skipIf(!hasGit)('git', () => {
  const git = (...words: string[]) => {
    const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.io', '-c', 'commit.gpgsign=false'];
    const { status, stderr } = spawnSync('git', [...identity, ...words], { cwd: bench.directory, encoding: 'utf8' });
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
    expect(spawnSync('git', ['ls-files'], { cwd: bench.directory, encoding: 'utf8' }).stdout).toBe(
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
    expect(spawnSync('git', ['status', '--porcelain'], { cwd: bench.directory, encoding: 'utf8' }).stdout).toBe('');
  });
});

describe('the drafts', () => {
  it('are gone when the store is closed, and those of a process that died when the next opens', async () => {
    bench.save('.registry/tmp/999999999-dead/1', 'draft');
    bench.save(`.registry/tmp/${process.pid}-alive/1`, 'draft');
    await commit(store, put(key, 1));
    await store.close();
    store = await bench.open();
    await store.close();
    expect(existsSync(bench.path('.registry/tmp/999999999-dead'))).toBe(false);
    expect(readFileSync(bench.path(`.registry/tmp/${process.pid}-alive/1`), 'utf8')).toBe('draft');
    expect(statSync(bench.path('.registry/tmp')).nlink).toBe(3);
  });
});
