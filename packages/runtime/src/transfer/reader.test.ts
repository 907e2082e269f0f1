/**
 * Goal: a damaged backup is always refused, with one clear error that names the line. Method: a small backup with all
 * kinds of records is truncated, and its bytes are changed one at a time; then come typical changes by users and programs.
 * It is tried with every fourth byte and those around line ends, and with each byte by `make test THOROUGH=1`.
 */
import { SeededRandom } from '@ecsm/runtime/simulation';
import { repetitions } from '@ecsm/runtime/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { MemoryStore } from '../store/memory/store.ts';
import { lineBytesMax } from './format.ts';
import { verifyBackup } from './restore.ts';
import { addOddities, backupOf, bytes, chunked, failure, fillWith, furnish, sealed } from './transfer.kit.ts';

const verify = (whole: Uint8Array, chunkBytes?: number) =>
  verifyBackup(chunked(whole, chunkBytes), { file: 'b.jsonl' });
const namesALine =
  /^b\.jsonl:\d+:1: |^line \d+ of b\.jsonl is damaged: |^b\.jsonl is damaged: it was truncated at line \d+/u;

const header = { format: 'ecsm-registry-backup', version: 1, revision: 1, time: '2026-01-01T00:00:00Z' };
const record = { key: 'a/v1/b/c/d', created: 1, revision: 1, value: {} };
const end = { end: true, objects: 1, damaged: 0 };

const stepBytes = repetitions({ test: 4, thorough: 1 });

describe('a backup', () => {
  let whole: Buffer;
  const isTried = (index: number) =>
    index % stepBytes === 0 || [index - 1, index, index + 1].some((near) => whole[near] === 0x0a);
  beforeAll(async () => {
    const store = new MemoryStore();
    await furnish(store);
    await addOddities(store);
    whole = await backupOf(store);
  });

  it('is refused wherever it is truncated', async () => {
    // Without its last line feed it is still complete.
    expect((await verify(whole.subarray(0, -1))).objects).toBe(21);
    for (let length = 0; length < whole.byteLength - 1; length++) {
      if (!isTried(length)) continue;
      const { code, message } = await failure(verify(whole.subarray(0, length), 100_000));
      expect(['Malformed', 'Corrupt'], `cut at ${length}: ${message}`).toContain(code);
      expect(message).toMatch(namesALine);
    }
  });

  it('is refused with the line at which it was truncated', async () => {
    const lines = whole.toString('latin1').split('\n');
    const half = Buffer.from(`${lines.slice(0, 4).join('\n')}\n${lines[4]?.slice(0, 30)}`, 'latin1');
    expect((await failure(verify(half))).message).toBe(
      'b.jsonl is damaged: it was truncated at line 5: its end is missing',
    );
    const atEnd = Buffer.from(`${lines.slice(0, 4).join('\n')}\n`, 'latin1');
    expect((await failure(verify(atEnd))).message).toBe(
      'b.jsonl is damaged: it was truncated at line 4: its end is missing',
    );
  });

  it('is refused with the right line whichever byte is changed', async () => {
    const random = new SeededRandom(1);
    let line = 1;
    for (let index = 0; index < whole.byteLength; index++) {
      if (whole[index - 1] === 0x0a) line++;
      if (!isTried(index)) continue;
      const flipped = Buffer.from(whole);
      flipped[index] = (whole[index] ?? 0) ^ (1 << random.integer(0, 7));
      const { code, message } = await failure(verify(flipped, 100_000));
      expect(['Malformed', 'Corrupt'], `flipped at ${index}: ${message}`).toContain(code);
      expect(message).toMatch(namesALine);
      expect(message).toMatch(new RegExp(`^b\\.jsonl:${line}:1: |line ${line}\\b`, 'u'));
    }
  });

  it('is refused when lines are lost, duplicated or swapped', async () => {
    const lines = whole.toString('latin1').split('\n');
    for (let index = 0; index < lines.length - 1; index++) {
      const [line = '', next = ''] = lines.slice(index, index + 2);
      const variants = [[], [line, line], [next, line, next]].map((instead) => lines.toSpliced(index, 1, ...instead));
      for (const variant of variants) {
        expect((await failure(verify(Buffer.from(variant.join('\n'), 'latin1')))).message).toMatch(namesALine);
      }
    }
  });

  it('is refused when a line is replaced by the line of another backup for the same key', async () => {
    const [older, newer] = await Promise.all(
      ['1', '2'].map(async (value) => {
        const store = new MemoryStore();
        for (const key of ['n/v1/k/default/a', 'n/v1/k/default/b'])
          await store.commit([{ type: 'put', key, value: Buffer.from(value) }]);
        return (await backupOf(store)).toString('latin1').split('\n');
      }),
    );
    const mixed = newer?.with(2, older?.[2] ?? '').join('\n') ?? '';
    expect(await failure(verify(Buffer.from(mixed, 'latin1')))).toMatchObject({ code: 'Corrupt' });
  });

  it('is refused when two are put together', async () => {
    const store = new MemoryStore();
    await fillWith(store, 3);
    const error = await failure(verify(Buffer.concat([whole, await backupOf(store)])));
    expect(error.message).toBe('b.jsonl:24:1: there is more text after the end of the backup');
  });

  it('reads the same in pieces of any size', async () => {
    const sums = await Promise.all([1, 7, 1_000, 1_000_000].map(async (size) => (await verify(whole, size)).sum));
    expect(new Set(sums).size).toBe(1);
  });

  it('is read with a byte order mark and other line ends', async () => {
    const text = `\ufeff${whole.toString('utf8').replaceAll('\n', '\r\n')}\r\n\r\n`;
    expect((await verify(Buffer.from(text))).objects).toBe(21);
  });
});

describe('an input that is not a backup', () => {
  const cases: readonly (readonly [what: string, content: Buffer, message: string])[] = [
    ['an empty file', Buffer.alloc(0), 'b.jsonl:1:1: it is empty'],
    [
      'some other text',
      Buffer.from('apiVersion: v1\nkind: Pod\n'),
      'b.jsonl:1:1: it is not a backup of a registry: its first line has no "format":"ecsm-registry-backup"',
    ],
    [
      'some other JSON',
      Buffer.from('{"format":"tar"}\n'),
      'b.jsonl:1:1: it is not a backup of a registry: its first line has no "format":"ecsm-registry-backup"',
    ],
    [
      'UTF-16',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('{"format":1}\n', 'utf16le')]),
      'b.jsonl:1:1: it is UTF-16 text, and a backup is UTF-8: was it redirected by a shell that changes encodings?',
    ],
    [
      'UTF-16 without a mark',
      Buffer.from('{"format":1}\n', 'utf16le'),
      'b.jsonl:1:1: it is UTF-16 text, and a backup is UTF-8: was it redirected by a shell that changes encodings?',
    ],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), 'b.jsonl:1:1: it is compressed with gzip: unpack it first'],
    ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'b.jsonl:1:1: it is compressed with zstd: unpack it first'],
    [
      'a later version',
      sealed({ ...header, version: 2 }, end),
      'b.jsonl:1:1: its format version is 2, but only 1 is supported',
    ],
    [
      'a header without a revision',
      sealed({ ...header, revision: 'x' }, end),
      'b.jsonl:1:1: its header is not complete',
    ],
    ['a line that is not JSON', Buffer.concat([sealed(header), Buffer.from('hello\n')]), 'b.jsonl:2:1: it is not JSON'],
    [
      'a line without a sum',
      Buffer.concat([sealed(header), Buffer.from('{"key":"a"}\n')]),
      'b.jsonl:2:1: it does not end in a checksum',
    ],
    [
      'a record without a revision',
      sealed(header, { key: 'a', created: 1 }),
      'b.jsonl:2:1: it is not a record: key, created or revision is missing',
    ],
    ['a record without a value', sealed(header, { ...record, value: undefined }), 'it has no valid value'],
    ['a record with two values', sealed(header, { ...record, base64: '' }), 'it has no valid value'],
    [
      'invalid base64',
      sealed(header, { ...record, value: undefined, base64: '%' }),
      'b.jsonl:2:1: it has no valid value',
    ],
    [
      'a key that no store takes',
      sealed(header, { ...record, key: '../x' }),
      'b.jsonl:2:1: key "../x" is not of the form',
    ],
    [
      'the marker of a transfer',
      sealed(header, { ...record, key: 'transfers/incomplete' }),
      'b.jsonl:2:1: "transfers/incomplete" is not part of a registry',
    ],
    ['a key twice', sealed(header, record, record), 'b.jsonl:3:1: "a/v1/b/c/d" may not come after "a/v1/b/c/d"'],
    ['a wrong count', sealed(header, end), 'b.jsonl:2:1: it ends with 1 objects, and there are 0'],
  ];
  it.each(cases)('is refused: %s', async (_, content, message) => {
    const error = await failure(verify(content));
    expect(error.code).toBe('Malformed');
    expect(error.message).toContain(message);
  });

  it('is refused early when a line has no end', async () => {
    let served = 0;
    async function* endless() {
      for (;;) {
        served += 65_536;
        yield new Uint8Array(65_536).fill(0x61);
      }
    }
    const error = await failure(verifyBackup(endless(), { file: 'b.jsonl' }));
    expect(error.message).toBe(`b.jsonl:1:1: it is longer than ${lineBytesMax} bytes`);
    expect(served).toBeLessThan(lineBytesMax + 2 * 65_536);
  });

  it('does not include a manually written backup with correct sums', async () => {
    const summary = await verify(sealed(header, record, end));
    expect(summary).toMatchObject({ revision: 1, objects: 1, bytes: bytes({}).byteLength, damaged: 0 });
  });
});
