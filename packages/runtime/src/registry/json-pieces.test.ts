import { expect, it } from 'vitest';
import { JsonPieces } from './json-pieces.ts';

it('copies objects of any size, with commas between them', () => {
  const pieces = new JsonPieces();
  const texts = [10, 20_000, 5, 400_000, 300, 262_140, 16_000].map((length) => JSON.stringify('ä'.repeat(length)));
  for (const text of texts) pieces.add({ head: text.slice(0, 3), rest: Buffer.from(text.slice(3)) });
  pieces.add({ head: JSON.stringify('€'.repeat(300_000)), rest: new Uint8Array(0) });
  const joined = Buffer.concat(pieces.finish()).toString();
  expect(joined === [...texts, JSON.stringify('€'.repeat(300_000))].join(',')).toBe(true);
});

it('has no pieces without objects', () => {
  expect(new JsonPieces().finish()).toEqual([]);
});

it('has a small piece and then larger ones, each filled to the last byte', () => {
  const pieces = new JsonPieces();
  const add = (sizeBytes: number) => pieces.add({ head: '', rest: Buffer.alloc(sizeBytes, '1') });
  // Every object but the first one has a comma before it.
  for (const sizeBytes of [8_191, 8_192, 131_071, 131_071, 1]) add(sizeBytes);
  expect(pieces.finish().map(({ byteLength }) => byteLength)).toEqual([16 * 1024, 256 * 1024, 2]);
});
