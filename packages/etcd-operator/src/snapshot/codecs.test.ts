import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decrypt, encrypt, parseEncryptionKey } from './encryption.ts';
import { compress, decompress } from './gzip.ts';
import { collect, failing, pieces } from './streams.kit.ts';

const key = parseEncryptionKey(Buffer.alloc(32, 7));
const sizes = [0, 1, 31, 262_143, 262_144, 262_145, 1_000_000];
const headerBytes = 32;
const frameBytes = 262_144 + 16;

describe('compression', () => {
  it.each(sizes)('returns %i bytes as they were', async (size) => {
    const bytes = randomBytes(size);
    expect((await collect(decompress(compress(pieces(bytes))))).equals(bytes)).toBe(true);
  });

  it('refuses what is cut, damaged or something else', async () => {
    const packed = await collect(compress(pieces(randomBytes(100_000))));
    await expect(collect(decompress(pieces(packed.subarray(0, -1))))).rejects.toThrow('is cut');
    const damaged = Buffer.from(packed);
    damaged[50_000] = (damaged[50_000] ?? 0) ^ 0xff;
    await expect(collect(decompress(pieces(damaged)))).rejects.toThrow('compressed snapshot is damaged');
    await expect(collect(decompress(pieces(Buffer.from([1, 2, 3, 4]))))).rejects.toThrow(
      'compressed snapshot is damaged',
    );
  });

  it('fails with the error of its source, and stops with its reader', async () => {
    const error = new Error('broken source');
    await expect(collect(compress(failing(Buffer.alloc(10), error)))).rejects.toBe(error);
    for await (const _ of compress(pieces(randomBytes(3_000_000)))) break;
  });
});

describe('encryption', () => {
  it.each(sizes)('returns %i bytes as they were', async (size) => {
    const bytes = randomBytes(size);
    for (const piece of [1_000, 300_000]) {
      const sealed = await collect(encrypt(pieces(bytes, piece), key));
      expect((await collect(decrypt(pieces(sealed, piece + 1), key))).equals(bytes)).toBe(true);
      if (size >= 31) expect(sealed.includes(bytes.subarray(0, 31))).toBe(false);
    }
  });

  it('never makes the same bytes twice', async () => {
    const make = () => collect(encrypt(pieces(Buffer.alloc(100)), key));
    expect(await make()).not.toEqual(await make());
  });

  it('refuses bytes that were changed, at every place', async () => {
    const sealed = await collect(encrypt(pieces(Buffer.alloc(600, 1)), key));
    for (let at = 0; at < sealed.byteLength; at += 5) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(collect(decrypt(pieces(changed), key))).rejects.toMatchObject({ name: 'SnapshotError' });
    }
  });

  it('refuses frames that are cut off, swapped, repeated or of another backup', async () => {
    const bytes = randomBytes(1_000_000);
    const sealed = await collect(encrypt(pieces(bytes), key));
    const other = await collect(encrypt(pieces(bytes), key));
    const frame = (of: Buffer, index: number) =>
      of.subarray(headerBytes + index * frameBytes, headerBytes + (index + 1) * frameBytes);
    const header = sealed.subarray(0, headerBytes);
    const build = (...frames: readonly Buffer[]) => collect(decrypt(pieces(Buffer.concat([header, ...frames])), key));
    const [a, b, c, last] = [0, 1, 2, 3].map((index) => frame(sealed, index)) as [Buffer, Buffer, Buffer, Buffer];
    expect((await build(a, b, c, last)).equals(bytes)).toBe(true);
    for (const frames of [
      [a, b, c],
      [b, a, c, last],
      [a, a, b, c, last],
      [a, frame(other, 1), c, last],
      [a, b, c, last, last],
    ]) {
      await expect(build(...frames)).rejects.toThrow('is damaged');
    }
    await expect(build()).rejects.toThrow('it is cut');
    await expect(collect(decrypt(pieces(sealed.subarray(0, 20)), key))).rejects.toThrow('it is cut');
  });

  it('names both keys if it is another one, and says when there is nothing to decrypt', async () => {
    const sealed = await collect(encrypt(pieces(Buffer.alloc(10)), key));
    const other = parseEncryptionKey(Buffer.alloc(32, 8));
    await expect(collect(decrypt(pieces(sealed), other))).rejects.toThrow(
      `encrypted with the key ${key.id}, and the given key is ${other.id}; use the key with which it was made`,
    );
    await expect(collect(decrypt(pieces(Buffer.alloc(100)), key))).rejects.toThrow('is not encrypted');
    const newer = Buffer.from(sealed);
    newer[7] = '2'.charCodeAt(0);
    await expect(collect(decrypt(pieces(newer), key))).rejects.toThrow('by a newer release');
  });

  it('takes a key as bytes, hexadecimal digits or base64', () => {
    const bytes = randomBytes(32);
    const forms = [bytes, Buffer.from(`${bytes.toString('hex')}\n`), Buffer.from(bytes.toString('base64'))];
    expect(new Set(forms.map((form) => parseEncryptionKey(form).id)).size).toBe(1);
    expect(() => parseEncryptionKey(Buffer.alloc(16))).toThrow('has 16 bytes; it has to be 32 bytes');
    expect(() => parseEncryptionKey(Buffer.from('x'.repeat(64)))).toThrow('openssl rand -hex 32');
  });
});
