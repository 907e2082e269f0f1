/** Goal: what a person does to the files of a registry obeys the same rules as a write through it. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Crate, Widget } from '@ecsm/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EmbeddedRegistry } from './embedded.ts';
import { collectGarbage } from './garbage.ts';
import { openRegistry } from './open.ts';

let directory: string;
let registry: EmbeddedRegistry;
const warnings: string[] = [];
const open = async () => {
  const log = {
    write: (_: string, message: string, fields: object = {}) => warnings.push(`${message} ${JSON.stringify(fields)}`),
  };
  registry = await openRegistry(`file:${directory}`, { kinds: [Widget, Crate], log });
};

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ecsm-admission-'));
  warnings.length = 0;
  await open();
});
afterEach(async () => {
  await registry.close();
  rmSync(directory, { recursive: true, force: true });
});

const fileOf = (name: string, extension = 'json') =>
  join(directory, `example.io/v1/widgets/default/${name}.${extension}`);
const readJson = (name: string) => JSON.parse(readFileSync(fileOf(name), 'utf8'));
const edit = (path: string, content: string | object) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
};
const widgets = () => registry.resource(Widget);
const eventually = <T>(look: () => T | Promise<T>) =>
  expect.poll(async () => Promise.resolve(look()).catch((error) => error), { interval: 20 });
const warned = (part: string) => eventually(() => warnings.filter((warning) => warning.includes(part)).length);

describe('a file that a user writes', () => {
  it('keeps the identity and the history that it has, as in a clone of the directory', async () => {
    const history = {
      uid: 'b1c2',
      generation: 7,
      creationTimestamp: '2020-02-03T04:05:06Z',
      managedFields: [
        {
          manager: 'someone',
          operation: 'Update',
          apiVersion: 'example.io/v1',
          time: '2020-02-03T04:05:06Z',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:spec': { 'f:size': {} } },
        },
      ],
    };
    const object = { apiVersion: 'example.io/v1', kind: 'Widget', spec: { size: 2 }, status: { phase: 'Ready' } };
    edit(fileOf('cloned'), { ...object, metadata: { name: 'cloned', namespace: 'default', ...history } });
    await eventually(async () => (await widgets().get('cloned')).status).toEqual({ phase: 'Ready' });
    expect((await widgets().get('cloned')).metadata).toMatchObject(history);
    const finalizers = ['example.io/wait'];
    const deletion = { ...history, uid: 'd3e4', deletionTimestamp: '2020-02-03T04:05:07Z', finalizers };
    edit(fileOf('deleted'), { ...object, metadata: { name: 'deleted', namespace: 'default', ...deletion } });
    await eventually(async () => (await widgets().get('deleted')).metadata).toMatchObject(deletion);
  });

  it('has no managers with an empty list of them, so the next write records none', async () => {
    const metadata = { managedFields: [] };
    edit(fileOf('a'), { apiVersion: 'example.io/v1', kind: 'Widget', metadata, spec: { size: 2 } });
    await eventually(async () => (await widgets().get('a')).spec.size).toBe(2);
    const { managedFields: _, ...written } = (await widgets().get('a')).metadata;
    const updated = await widgets().update({ metadata: written, spec: { size: 3 } });
    expect(updated.metadata).not.toHaveProperty('managedFields');
  });

  it('becomes an object with identity and defaults, which are added to the file', async () => {
    edit(fileOf('new', 'yaml'), '# my widget\nspec:\n  colour: red # nice\n');
    await eventually(async () => (await widgets().get('new')).spec).toEqual({ size: 1, colour: 'red' });
    const { metadata } = await widgets().get('new');
    expect(metadata).toMatchObject({ name: 'new', namespace: 'default', generation: 1, uid: expect.any(String) });
    await eventually(() => readFileSync(fileOf('new', 'yaml'), 'utf8')).toContain(metadata.uid);
    const text = readFileSync(fileOf('new', 'yaml'), 'utf8');
    expect(text).toContain('# my widget');
    expect(text).toContain('colour: red # nice');
    expect(text).toContain('size: 1');
  });

  it('changes spec and generation, but not identity and status', async () => {
    const made = await widgets().create({ metadata: { name: 'a' }, spec: { size: 1 } });
    await widgets().updateStatus({ ...made, status: { phase: 'Ready' } });
    const object = readJson('a');
    edit(fileOf('a'), {
      ...object,
      metadata: { ...object.metadata, uid: 'forged', generation: 99 },
      spec: { size: 7 },
      status: { phase: 'Forged' },
    });
    await eventually(async () => (await widgets().get('a')).spec.size).toBe(7);
    const after = await widgets().get('a');
    expect(after.metadata).toMatchObject({ uid: made.metadata.uid, generation: 2 });
    expect(after.status).toEqual({ phase: 'Ready' });
    await eventually(() => readJson('a').metadata.uid).toBe(made.metadata.uid);
  });

  it('is rejected with its errors if it is invalid, and does not change the object', async () => {
    const made = await widgets().create({ metadata: { name: 'a' }, spec: { size: 1 } });
    const bad = { ...readJson('a'), spec: { sise: 7 } };
    edit(fileOf('a'), bad);
    await warned('did you mean').toBe(1);
    expect(warnings.join('\n')).toContain('spec.sise: Unknown field');
    expect(registry.problems()).toEqual([expect.objectContaining({ file: fileOf('a') })]);
    expect(await widgets().get('a')).toEqual(made);
    expect(readJson('a')).toEqual(bad);
    await expect(widgets().patch('a', { spec: { size: 2 } })).rejects.toMatchObject({ code: 'Forbidden' });
    edit(fileOf('a'), { ...bad, spec: { size: 7 } });
    await eventually(async () => (await widgets().get('a')).spec.size).toBe(7);
  });

  it.each([
    ['example.io/v1/widgets/default/b.json', { metadata: { name: 'c' }, spec: {} }, 'metadata.name'],
    ['example.io/v1/widgets/default/b.json', { metadata: { namespace: 'other' }, spec: {} }, 'metadata.namespace'],
    ['example.io/v1/widgets/default/b.json', { kind: 'Crate', spec: {} }, 'kind'],
    ['example.io/v1/widgets/default/b.json', ['a list'], 'object'],
    ['example.io/v1/wigdets/default/b.json', { spec: {} }, 'no kind matches'],
  ])('in the wrong place or of the wrong kind is refused: %s %j', async (path, content, reason) => {
    edit(join(directory, path), content);
    await warned(reason).toBe(1);
    expect((await widgets().list()).items).toEqual([]);
    expect(existsSync(join(directory, path))).toBe(true);
  });
});

describe('a file that a user removes', () => {
  it('deletes the object', async () => {
    await widgets().create({ metadata: { name: 'a' }, spec: {} });
    rmSync(fileOf('a'));
    await eventually(async () => (await widgets().list()).items).toEqual([]);
  });

  it('is restored with a deletion timestamp if the object has finalizers', async () => {
    await widgets().create({ metadata: { name: 'a', finalizers: ['example.io/wait'] }, spec: {} });
    rmSync(fileOf('a'));
    await eventually(async () => (await widgets().get('a')).metadata.deletionTimestamp).toBeDefined();
    await eventually(() => existsSync(fileOf('a')) && readJson('a').metadata.deletionTimestamp).toBeTruthy();
    await widgets().patch('a', { metadata: { finalizers: null } });
    await eventually(() => existsSync(fileOf('a'))).toBe(false);
  });

  it('is removed with the object when the user removes the last finalizer from the file', async () => {
    await widgets().create({ metadata: { name: 'a', finalizers: ['example.io/wait'] }, spec: {} });
    await widgets().delete('a');
    const { finalizers: _, ...metadata } = readJson('a').metadata;
    edit(fileOf('a'), { ...readJson('a'), metadata });
    await eventually(async () => (await widgets().list()).items).toEqual([]);
    await eventually(() => existsSync(fileOf('a'))).toBe(false);
  });
});

describe('a file with an invalid edit', () => {
  it('does not stop the garbage collector, which deletes the object when the file is corrected', async () => {
    const crate = await registry.resource(Crate).create({ metadata: { name: 'owner' }, spec: {} });
    const { apiVersion, kind, metadata } = crate;
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }];
    for (const name of ['a', 'b']) await widgets().create({ metadata: { name, ownerReferences }, spec: {} });
    const before = readJson('a');
    edit(fileOf('a'), { ...before, spec: { sise: 7 } });
    await warned('spec.sise').toBe(1);
    const stop = new AbortController();
    const collecting = collectGarbage(registry, { signal: stop.signal });
    await registry.resource(Crate).delete('owner');
    await eventually(async () => (await widgets().list()).items.map((one) => one.metadata.name)).toEqual(['a']);
    edit(fileOf('a'), { ...before, spec: { size: 7 } });
    await eventually(async () => (await widgets().list()).items).toEqual([]);
    stop.abort();
    await collecting;
  });
});

describe('a directory of files without a ledger, as git clones it', () => {
  it('accepts new fences (a fence in the clone used to be rejected)', async () => {
    await registry.raiseFence('leader');
    await registry.close();
    rmSync(join(directory, '.registry'), { recursive: true });
    await open();
    const fence = await registry.raiseFence('leader');
    await registry
      .fencedBy(fence)
      .resource(Widget)
      .create({ metadata: { name: 'a' }, spec: {} });
    expect(registry.problems()).toEqual([]);
  });

  it('contains the same objects', async () => {
    const made = await widgets().create({ metadata: { name: 'a' }, spec: { size: 3 } });
    await widgets().patch('a', { spec: { size: 4 } });
    await widgets().updateStatus({ ...made, status: { phase: 'Ready' } });
    await registry.close();
    rmSync(join(directory, '.registry'), { recursive: true });
    await open();
    const again = await widgets().get('a');
    expect(again.metadata).toMatchObject({
      uid: made.metadata.uid,
      generation: 2,
      creationTimestamp: made.metadata.creationTimestamp,
    });
    expect(again.spec).toEqual({ size: 4 });
    expect(again.status).toEqual({ phase: 'Ready' });
  });
});
