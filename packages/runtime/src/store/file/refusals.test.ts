/** Goal: an invalid file is reported, left unchanged, and does not affect other objects. */
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../contract.ts';
import { commit, eventually, FileStoreFixture, history, isRoot, put, stored } from './file-store.kit.ts';
import { problemsMax } from './problems.ts';
import type { FileStore } from './store.ts';

let fixture: FileStoreFixture;
let store: FileStore;
beforeEach(async () => {
  fixture = new FileStoreFixture();
  store = await fixture.open({ scanMs: 100 });
});
afterEach(() => fixture.cleanup());

const reasons = () =>
  store.problems().map(({ file, reason }) => `${file.slice(fixture.directory.length + 1)}: ${reason}`);

describe('an invalid edit', () => {
  it('is reported once and unchanged, the last valid value is returned, a write is refused; corrected, it is taken in', async () => {
    const revision = await commit(store, put('a', { n: 1 }), put('b', 1));
    fixture.save('a.json', '{\n  "n": 2,\n}\n');
    await eventually(() =>
      expect(store.problems()).toEqual([
        {
          file: fixture.path('a.json'),
          key: 'a',
          reason: expect.stringContaining('a.json:3:1: not JSON'),
          sinceMs: expect.any(Number),
        },
      ]),
    );
    const { sinceMs } = store.problems()[0] ?? {};
    expect(await stored(store, 'a')).toEqual({ n: 1 });
    const refused = store.commit([put('a', { n: 3 })]);
    const together = [put('b', 2), put('c', 2)].map((write) => store.commit([write]));
    await expect(refused).rejects.toMatchObject({
      code: 'Forbidden',
      message: expect.stringContaining('correct it or remove it'),
    });
    await expect(store.commit([{ type: 'delete', key: 'a' }])).rejects.toMatchObject({ code: 'Forbidden' });
    for (const outcome of await Promise.all(together)) expect(outcome.committed).toBe(true);
    await commit(store, { type: 'check', key: 'a', expected: revision });
    expect(fixture.read('a.json')).toBe('{\n  "n": 2,\n}\n');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(fixture.logged).toEqual([expect.objectContaining({ key: 'a', file: fixture.path('a.json') })]);
    expect(store.problems()[0]?.sinceMs).toBe(sinceMs);

    fixture.save('a.json', { n: 2 });
    await eventually(async () => expect(await stored(store, 'a')).toEqual({ n: 2 }));
    await eventually(() => expect(store.problems()).toEqual([]));
    await commit(store, put('a', { n: 3 }));
    expect(JSON.parse(fixture.read('a.json'))).toEqual({ n: 3 });
  });

  it('that is incomplete for a short time is not reported', async () => {
    writeFileSync(fixture.path('a.json'), '{ "n":');
    await new Promise((resolve) => setTimeout(resolve, 300));
    writeFileSync(fixture.path('a.json'), '{ "n": 1 }');
    await eventually(async () => expect(await stored(store, 'a')).toEqual({ n: 1 }));
    expect(fixture.logged).toEqual([]);
  });

  it('that is reverted is no longer reported', async () => {
    const revision = await commit(store, put('a', 1));
    const good = fixture.read('a.json');
    fixture.save('a.json', '');
    await eventually(() => expect(reasons()).toEqual([expect.stringContaining('the file is empty')]));
    fixture.save('a.json', good);
    await eventually(() => expect(store.problems()).toEqual([]));
    expect(await store.revision()).toBe(revision);
  });

  it('that is removed instead of corrected deletes the object', async () => {
    await commit(store, put('a', 1));
    fixture.save('a.json', 'oops');
    await eventually(() => expect(store.problems()).toHaveLength(1));
    rmSync(fixture.path('a.json'));
    await eventually(async () => expect(await store.get('a')).toBeUndefined());
    // The object is deleted first, then the problem of its file.
    await eventually(() => expect(store.problems()).toEqual([]));
  });

  it.each([
    ['empty.json', '', 'the file is empty'],
    ['empty.yaml', '# nothing but a comment\n', 'the file is empty'],
    ['binary.json', new Uint8Array([0, 1, 2, 3]), 'NUL byte'],
    ['latin1.yaml', new Uint8Array([0x61, 0x3a, 0x20, 0xe4]), 'is not UTF-8'],
    ['cut.json', '{"n": "x', 'not JSON'],
    ['loose.json', 'n: 1', 'not JSON'],
    ['twice.json', '{"n": 1, "n": 2}', 'duplicate key'],
    ['twice.yaml', 'n: 1\nn: 2\n', 'duplicate key'],
    ['two.yaml', 'n: 1\n---\nn: 2\n', 'a file may contain only one object'],
    [
      'bomb.yaml',
      `a: &a [${'x,'.repeat(50)}]\n${['b', 'c', 'd', 'e', 'f'].map((name, n) => `${name}: &${name} [${`*${'abcde'[n]},`.repeat(20)}]\n`).join('')}`,
      'aliases',
    ],
    ['deep.json', '['.repeat(100) + ']'.repeat(100), 'nested deeper'],
    ['large.json', JSON.stringify('x'.repeat(limits.commitBytesMax)), 'over the limit'],
    ['huge.json', 'x'.repeat(4 * limits.commitBytesMax + 1), 'over the limit'],
    ['not a key.json', '1', 'not that of an object'],
    [`${'x'.repeat(201)}.json`, '1', 'not that of an object'],
    ['dir.json/x.json', '1', 'looks like a file'],
  ])('%s is refused with a reason', async (name, content, reason) => {
    await store.close();
    fixture.save('good.json', 1);
    fixture.save(name, content);
    // Old enough not to count as incomplete.
    utimesSync(fixture.path(name), 1, 1);
    store = await fixture.open({ scanMs: 100 });
    expect((await store.versions('')).keys).toEqual(['good']);
    expect(reasons()).toEqual([expect.stringContaining(reason)]);
    expect(store.problems()[0]?.file).toBe(fixture.path(name));
    rmSync(fixture.path(name));
    await eventually(() => expect(store.problems()).toEqual([]));
    expect(await history(store)).toEqual(['put good']);
  });
});

describe('what is not a plain file', () => {
  it('such as a symbolic link is reported and not followed', async () => {
    const elsewhere = new FileStoreFixture();
    elsewhere.save('x.json', 1);
    await commit(store, put('a', 1), put('d/x', 1));
    renameSync(fixture.path('d'), fixture.path('.d'));
    symlinkSync(elsewhere.directory, fixture.path('d'));
    symlinkSync(elsewhere.path('x.json'), fixture.path('b.json'));
    symlinkSync('nowhere', fixture.path('README.md'));
    await eventually(() =>
      expect(reasons().sort()).toEqual([
        'b.json: it is a symbolic link, and links are not followed',
        'd: it is a symbolic link, and links are not followed',
      ]),
    );
    expect((await store.versions('')).keys).toEqual(['a', 'd/x']);
    await expect(store.commit([put('d/x', 2)])).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(store.commit([put('b', 2)])).rejects.toMatchObject({ code: 'Forbidden' });
    expect(elsewhere.read('x.json')).toBe('1\n');
    await elsewhere.cleanup();
  });

  it('such as a directory in its place, or a file in place of a directory, blocks that object alone', async () => {
    mkdirSync(fixture.path('a.json'));
    writeFileSync(fixture.path('d'), '');
    await expect(store.commit([put('a', 1)])).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(store.commit([put('d/x', 1)])).rejects.toMatchObject({ code: 'Forbidden' });
    await commit(store, put('b', 1));
    rmSync(fixture.path('a.json'), { recursive: true });
    rmSync(fixture.path('d'));
    await commit(store, put('a', 1), put('d/x', 1));
    expect(fixture.read('d/x.json')).toBe('1\n');
  });

  it.skipIf(isRoot())('or may not be read is reported, and taken in once it may', async () => {
    fixture.save('a.json', 1);
    chmodSync(fixture.path('a.json'), 0);
    await eventually(() => expect(reasons()).toEqual([expect.stringContaining('EACCES')]));
    chmodSync(fixture.path('a.json'), 0o644);
    await eventually(async () => expect(await stored(store, 'a')).toBe(1));
  });
});

describe('two files for one object', () => {
  it('are reported; the one that was there first stays in use', async () => {
    await commit(store, put('a', { n: 1 }));
    fixture.save('a.yaml', 'n: 2');
    await eventually(() => expect(reasons()).toEqual([expect.stringContaining('a.json is for the same object')]));
    await commit(store, put('a', { n: 3 }));
    expect(JSON.parse(fixture.read('a.json'))).toEqual({ n: 3 });
    expect(fixture.read('a.yaml')).toBe('n: 2');
    rmSync(fixture.path('a.json'));
    await eventually(async () => expect(await stored(store, 'a')).toEqual({ n: 2 }));
    await eventually(() => expect(store.problems()).toEqual([]));
  });

  it('are reported as soon as there are two, and no longer than that, without a scan in between', async () => {
    await store.close();
    store = await fixture.open({ scanMs: 600_000 });
    await commit(store, put('a', { n: 1 }));
    fixture.save('a.yaml', 'n: 2');
    await eventually(() => expect(reasons()).toEqual([expect.stringContaining('a.json is for the same object')]));
    rmSync(fixture.path('a.yaml'));
    await eventually(() => expect(store.problems()).toEqual([]));
  });

  it('that are both new are both ignored until one of them is removed', async () => {
    await store.close();
    fixture.save('a.yml', 'n: 1');
    fixture.save('a.yaml', 'n: 2');
    store = await fixture.open({ scanMs: 100 });
    expect(reasons()).toEqual([expect.stringContaining('for the same object')]);
    expect(await store.get('a')).toBeUndefined();
    await expect(store.commit([put('a', 1)])).rejects.toMatchObject({ code: 'Forbidden' });
    rmSync(fixture.path('a.yaml'));
    await eventually(async () => expect(await stored(store, 'a')).toEqual({ n: 1 }));
    expect(existsSync(fixture.path('a.json'))).toBe(false);
  });
});

it('the list of problems is bounded', async () => {
  await store.close();
  for (let n = 0; n < problemsMax + 5; n++) fixture.save(`bad name ${n}.json`, '1');
  store = await fixture.open();
  expect(store.problems()).toHaveLength(problemsMax);
  expect(fixture.logged.at(-1)).toEqual({ count: problemsMax + 5 });
});

it('commits to a file that is written continuously fail, and it is taken in when it is stable', async () => {
  await commit(store, put('a', 0));
  let n = 0;
  const write = () => fixture.save('a.json', { n: ++n });
  write();
  const timer = setInterval(write, 10);
  await expect(store.commit([put('a', 'program')])).rejects.toMatchObject({
    code: 'Unavailable',
    message: expect.stringContaining('being changed'),
  });
  clearInterval(timer);
  await eventually(async () => expect(await stored(store, 'a')).toEqual({ n }));
  expect(fixture.logged).toEqual([]);
});
