import { shape } from '@ecsm/runtime';
import { expect, test } from 'vitest';
import { Refusal } from '../platform/refusal.ts';
import { bodyDepthMax, readBytes, readJson } from './input.ts';

const anyBody = shape.record(shape.anything());
const request = (body: string | Uint8Array, headers: Record<string, string> = {}) => ({
  method: 'POST',
  target: '/',
  headers,
  body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
});

const fieldsOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal && error.why === 'badRequest') return error.fields;
    throw error;
  }
  throw new Error('nothing was refused');
};

test('a body is JSON in UTF-8, with or without a byte order mark', () => {
  expect(readJson(request('{"a":"é"}'), anyBody, 100)).toEqual({ a: 'é' });
  expect(readJson(request('\ufeff{"a":1}'), anyBody, 100)).toEqual({ a: 1 });
  expect(readJson(request('{}', { 'content-type': 'application/json; charset="UTF-8"' }), anyBody, 100)).toEqual({});
});

test('a body that cannot be read is a bad request that does not quote it', () => {
  const cases: readonly [string | Uint8Array, Record<string, string>, string][] = [
    ['', {}, 'is missing'],
    [' \n', {}, 'is missing'],
    ['{"password":"secret"', {}, 'is not JSON'],
    [new Uint8Array([0x22, 0xff, 0x22]), {}, 'is not UTF-8'],
    ['{}', { 'content-type': 'application/json; charset=gbk' }, 'is written in gbk and not in UTF-8'],
    ['{}', { 'content-encoding': 'gzip' }, 'is encoded as gzip, which is not supported'],
    [`{"a":"${'x'.repeat(100)}"}`, {}, 'has 108 bytes, the limit is 100'],
    ['{"a":1e999}', {}, 'contains a number that is too large'],
    ['{"a":[{"__proto__":{"b":1}}]}', {}, 'contains a field named __proto__'],
  ];
  for (const [body, headers, reason] of cases) {
    expect(
      fieldsOf(() => readJson(request(body, headers), anyBody, 100)),
      reason,
    ).toEqual({ body: reason });
  }
});

test('nesting is limited', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  expect(readJson(request(nested(bodyDepthMax)), anyBody, 1e6)).toHaveProperty('a');
  const tooDeep = { body: `is nested deeper than ${bodyDepthMax} levels` };
  expect(fieldsOf(() => readJson(request(nested(bodyDepthMax + 1)), anyBody, 1e6))).toEqual(tooDeep);
  expect(fieldsOf(() => readJson(request('['.repeat(1e6) + ']'.repeat(1e6)), anyBody, 1e7))).toEqual(tooDeep);
});

test('a wrong field is named by its path', () => {
  const body = shape.object({ image: shape.object({ mounts: shape.list(shape.object({ source: shape.string() })) }) });
  const read = (value: unknown) => fieldsOf(() => readJson(request(JSON.stringify(value)), body, 1e6));
  expect(read({ image: { mounts: [{ source: 'a' }, { source: 5 }] } })).toEqual({
    'image.mounts[1].source': 'should be a string, but is 5',
  });
  expect(read({})).toEqual({ image: 'is missing' });
  expect(read([])).toEqual({ body: 'should be an object, but is a list' });
});

test('raw bytes have the same limit', () => {
  expect(readBytes(request('abc'), 3)).toHaveLength(3);
  expect(fieldsOf(() => readBytes(request('abcd'), 3))).toEqual({ body: 'has 4 bytes, the limit is 3' });
});
