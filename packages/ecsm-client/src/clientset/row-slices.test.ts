/** The rows that are found in bytes are those that a parser finds. */
import { SeededRandom } from '@ecsm/runtime/simulation';
import { describe, expect, it } from 'vitest';
import { rowSlicesOf } from './row-slices.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const textOf = (body: Uint8Array) => new TextDecoder().decode(body);

function found(text: string): unknown[] | undefined {
  const body = bytes(text);
  return rowSlicesOf(body)?.rows.map(({ start, end }) => JSON.parse(textOf(body.subarray(start, end))));
}

describe('the rows of a list', () => {
  it('are found in any random response', () => {
    const random = new SeededRandom(7);
    const strange = ['"', '\\', '}', ']', '{', '[', ',', ':', '列', '\n', 'list', 'data', '"list":[{'];
    const text = () => Array.from({ length: random.integer(0, 6) }, () => random.pick(strange)).join('');
    const value = (depth: number): unknown => {
      const kind = random.integer(0, depth > 2 ? 2 : 4);
      if (kind === 0) return text();
      if (kind === 1) return random.integer(-5, 5);
      if (kind === 2) return random.pick([null, true, false]);
      const items = Array.from({ length: random.integer(0, 3) }, () => value(depth + 1));
      return kind === 3 ? items : Object.fromEntries(items.map((item) => [text(), item]));
    };
    for (let run = 0; run < 2_000; run++) {
      const rows = Array.from({ length: random.integer(0, 4) }, () => ({ id: text(), more: value(0), list: [{}] }));
      const data = random.pick([
        { list: rows, total: 1 },
        { total: value(0), list: rows, pageNum: 1 },
      ]);
      const envelope = random.pick([
        { status: 200, message: text(), data },
        { data, more: value(0), status: 200 },
      ]);
      const indent = random.pick([0, 2]);
      const written = JSON.stringify(envelope, undefined, indent);
      expect(found(written), written).toEqual(rows);
      const slices = rowSlicesOf(bytes(written));
      expect(JSON.parse(textOf(slices?.envelope ?? bytes('')))).toEqual({ ...envelope, data: { ...data, list: [] } });
    }
  });

  it('are found wherever the text that is searched at once ends', () => {
    const filler = (length: number) => ({ id: '"'.repeat(length), more: [{ list: [{ text: '\\'.repeat(length) }] }] });
    // With escapes, each of them is up to 260 KB long: several rows in one window, and several windows for one row.
    for (const length of [1, 900, 8_191, 8_192, 16_370, 30_000, 65_000]) {
      const rows = [filler(1), ...Array.from({ length: 20 }, () => filler(length)), filler(2)];
      expect(found(JSON.stringify({ data: { list: rows, total: 22 } }))).toEqual(rows);
    }
  });

  it('are not found if one is nested too deeply, or too long', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    const response = (row: object) => JSON.stringify({ data: { list: [row], total: 1 } });
    expect(found(response({ value: nested(7) }))).toHaveLength(1);
    expect(found(response({ value: nested(8) }))).toBeUndefined();
    expect(found(response({ value: ' '.repeat(4 * 2 ** 20 - 12) }))).toHaveLength(1);
    expect(found(response({ value: ' '.repeat(4 * 2 ** 20) }))).toBeUndefined();
  });

  it.each([
    ['{"status":200,"data":null}'],
    ['{"status":200,"data":{"list":null,"total":0}}'],
    ['{"status":200,"data":{"list":[1,2],"total":2}}'],
    ['{"status":200,"data":{"list":[{"id":"a"}'],
    ['{"status":200,"data":{"list":[{"id":"a'],
    ['{"status":200,"data":{"list":[{"id":"a\\'],
    ['{"list":[{"id":"a"}]}'],
    ['<html>'],
    [''],
  ])('are not found in %s', (text) => {
    expect(found(text)).toBeUndefined();
  });

  it('have another hash if one byte differs', () => {
    const hashes = new Set<number>();
    for (let number = 0; number < 20_000; number++) {
      hashes.add(rowSlicesOf(bytes(`{"data":{"list":[{"id":"${number}"}]}}`))?.rows[0]?.hash ?? -1);
    }
    expect(hashes.size).toBe(20_000);
  });
});
