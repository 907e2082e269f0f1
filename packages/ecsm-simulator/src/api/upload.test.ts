import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { Bench, field, succeeded } from './api.kit.ts';

const file = new TextEncoder().encode(JSON.stringify({ name: 'camera', tag: '1.0.0', os: 'sylixos' }));
const half = Math.ceil(file.length / 2);
const chunks = [file.slice(0, half), file.slice(half)] as const;
const hashOf = (algorithm: string) => createHash(algorithm).update(file).digest('hex');
const sha1 = hashOf('sha1');

const headers = (index: number, change: Record<string, string> = {}) => ({
  imagehash: sha1,
  total: '2',
  index: String(index),
  totalsize: String(file.length),
  buffersize: String(chunks[index - 1]?.length),
  offset: String(half),
  'content-type': 'application/octet-stream',
  ...change,
});
const send = (bench: Bench, index: 1 | 2, change: Record<string, string> = {}) =>
  bench.call('POST', '/image', chunks[index - 1], headers(index, change));
const check = (bench: Bench, imageHash = sha1) =>
  bench.data('POST', '/image/hash/check', { imageHash, chunkIndexArray: [1, 2], imageSize: file.length });
const codeOf = ({ body }: { body: Parameters<typeof field>[0] }) => field(body, 'status');

test('an image is uploaded in chunks, in any order, and each response has the same upload', () => {
  const bench = new Bench();
  const first = send(bench, 2, { description: '%E5%8D%AB%E6%98%9F' });
  const uploadId = field(field(first.body, 'data'), 'uploadId');
  expect(first).toEqual(succeeded({ uploadId }));
  expect(bench.call('GET', `/image/upload/${uploadId}`)).toEqual(succeeded({ progress: 50, status: 'running' }));
  expect(send(bench, 1, { description: '%E5%8D%AB%E6%98%9F' })).toEqual(succeeded({ uploadId }));
  expect(bench.call('GET', `/image/upload/${uploadId}`)).toEqual(succeeded({ progress: 100, status: 'success' }));
  expect(bench.platform.imageByRef('camera@1.0.0#sylixos')).toMatchObject({ description: '卫星' });
  expect(send(bench, 1)).toEqual(succeeded({ uploadId }));
  expect(bench.code('GET', '/image/upload/nothing')).toBe(34004);
});

test('an interrupted upload gets the list of present chunks', () => {
  const bench = new Bench();
  const is = (one: boolean, two: boolean) => [
    { index: 1, isExist: one },
    { index: 2, isExist: two },
  ];
  const unknown = { imageId: null, imageHashExist: false, isImage: { result: false, detail: null } };
  expect(check(bench)).toEqual({ ...unknown, uploadId: null, chunkIndexArray: is(false, false) });
  const uploadId = field(field(send(bench, 2).body, 'data'), 'uploadId');
  expect(check(bench)).toEqual({ ...unknown, uploadId, chunkIndexArray: is(false, true) });
  send(bench, 1);
  const imageId = bench.platform.imageByRef('camera@1.0.0#sylixos')?.id;
  expect(check(bench)).toEqual({
    imageId,
    uploadId,
    imageHashExist: true,
    isImage: { result: true, detail: null },
    chunkIndexArray: is(true, true),
  });
  bench.platform.deleteImage('local', imageId ?? '');
  expect(check(bench)).toMatchObject({ imageId: null, imageHashExist: false, chunkIndexArray: is(false, false) });
});

test.each(['sha256', 'sha1', 'md5'] as const)('a hash is verified as %s', (algorithm) => {
  const bench = new Bench({ imageHash: algorithm });
  const right = { imagehash: hashOf(algorithm).toUpperCase() };
  const wrong = { imagehash: hashOf('sha512') };
  send(bench, 1, right);
  send(bench, 1, wrong);
  expect(codeOf(send(bench, 2, wrong))).toBe(34007);
  expect(bench.platform.images('local')).toHaveLength(2);
  expect(codeOf(send(bench, 2, right))).toBe(200);
  expect(bench.platform.images('local')).toHaveLength(3);
});

test('any hash is accepted by default, but not a wrong length', () => {
  const bench = new Bench();
  const wrong = { imagehash: 'abc', totalsize: '7' };
  send(bench, 1, wrong);
  expect(codeOf(send(bench, 2, wrong))).toBe(34007);
  send(bench, 1, { imagehash: 'def' });
  expect(codeOf(send(bench, 2, { imagehash: 'def' }))).toBe(200);
});

test.each([
  ['imagehash', ''],
  ['imagehash', 'no hash at all'],
  ['total', ''],
  ['total', '0'],
  ['total', '1.5'],
  ['total', '10001'],
  ['index', '3'],
  ['index', '0'],
  ['index', 'first'],
  ['totalsize', '-1'],
  ['totalsize', '99999999999999'],
  ['buffersize', '1'],
  ['offset', ''],
])('a chunk with %s: %j is refused', (name, value) => {
  const bench = new Bench();
  expect(codeOf(send(bench, 1, { [name]: value }))).toBe(30001);
  expect(bench.platform.uploadOfHash(sha1)).toBeUndefined();
});

test('chunks of one file must have the same description', () => {
  const bench = new Bench();
  send(bench, 1);
  expect(codeOf(send(bench, 2, { total: '3' }))).toBe(30001);
  expect(codeOf(send(bench, 2, { totalsize: '5' }))).toBe(30001);
  expect(codeOf(send(bench, 2))).toBe(200);
});

test('a description that is too large is rejected', () => {
  const bench = new Bench();
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  const bytes = new TextEncoder().encode(`{"name":"a","tag":"1","os":"linux","config":{"a":${deep}}}`);
  const size = String(bytes.length);
  const about = { imagehash: 'abc', total: '1', index: '1', totalsize: size, buffersize: size, offset: size };
  expect(bench.code('POST', '/image', bytes, about)).toBe(30001);
  expect(() => JSON.stringify(bench.platform.snapshot())).not.toThrow();
});
