/**
 * Encryption of a stream with AES-256-GCM, in frames of one size. Format: a header of 32 bytes (the magic with the version,
 * the id of the key, the size of a frame, a random salt), then frames, each with its tag of 16 bytes. The key of a file is
 * derived from the given key and the salt. The number of a frame and whether it is the last one are in its nonce, and the
 * header is authenticated with every frame: frames that are changed, cut off, reordered or of another file are detected.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { SnapshotError } from './error.ts';

const algorithm = 'aes-256-gcm';
const magicText = 'ETCDBKE1';
const magic = Buffer.from(magicText, 'latin1');
const headerBytes = 32;
const saltBytes = 16;
const tagBytes = 16;
const nonceBytes = 12;
const frameBytesDefault = 256 * 1024;
const frameBytesMax = 16 * 1024 * 1024;
const keyBytes = 32;
const keyIdBytes = 4;

export interface EncryptionKey {
  /** The first 8 hexadecimal digits of the SHA-256 of the key. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** 32 bytes as they are, as 64 hexadecimal digits, or in base64. Throws `SnapshotError`. */
export function parseEncryptionKey(content: Uint8Array): EncryptionKey {
  const bytes = Buffer.from(content);
  const text = bytes.toString('latin1').trim();
  if (bytes.byteLength === keyBytes) return keyOf(bytes);
  if (/^[0-9a-fA-F]{64}$/.test(text)) return keyOf(Buffer.from(text, 'hex'));
  if (/^[0-9A-Za-z+/_-]{43}=?$/.test(text)) return keyOf(Buffer.from(text, 'base64'));
  const problem = `the key for encryption has ${bytes.byteLength} bytes`;
  const remedy =
    'it has to be 32 bytes, or these as 64 hexadecimal digits or in base64: "openssl rand -hex 32" makes one';
  throw new SnapshotError('InvalidKey', `${problem}; ${remedy}`);
}

export async function* encrypt(source: AsyncIterable<Uint8Array>, key: EncryptionKey): AsyncGenerator<Uint8Array> {
  const header = Buffer.alloc(headerBytes);
  magic.copy(header);
  header.write(key.id, magic.byteLength, 'hex');
  header.writeUInt32BE(frameBytesDefault, magic.byteLength + keyIdBytes);
  randomBytes(saltBytes).copy(header, headerBytes - saltBytes);
  const fileKey = derive(key, header);
  yield header;
  let index = 0;
  for await (const { frame, isLast } of framesOf(source, frameBytesDefault)) {
    const cipher = createCipheriv(algorithm, fileKey, nonceOf(index++, isLast)).setAAD(header);
    const sealed = cipher.update(frame);
    cipher.final();
    yield sealed;
    yield cipher.getAuthTag();
  }
}

/** Throws `SnapshotError` if it is not encrypted, damaged or cut, or with another key. */
export async function* decrypt(source: AsyncIterable<Uint8Array>, key: EncryptionKey): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    const { header, rest } = await readHeader(iterator);
    const found = header.toString('hex', magic.byteLength, magic.byteLength + keyIdBytes);
    if (found !== key.id) {
      const problem = `the backup is encrypted with the key ${found}, and the given key is ${key.id}`;
      throw new SnapshotError('WrongKey', `${problem}; use the key with which it was made`);
    }
    const frameBytes = header.readUInt32BE(magic.byteLength + keyIdBytes);
    if (frameBytes === 0 || frameBytes > frameBytesMax) throw damaged('its header is not valid');
    const fileKey = derive(key, header);
    let index = 0;
    const following = { [Symbol.asyncIterator]: () => iterator };
    for await (const { frame, isLast } of framesOf(following, frameBytes + tagBytes, rest)) {
      if (frame.byteLength < tagBytes) throw damaged('it is cut');
      const decipher = createDecipheriv(algorithm, fileKey, nonceOf(index, isLast)).setAAD(header);
      decipher.setAuthTag(frame.subarray(-tagBytes));
      const plain = decipher.update(frame.subarray(0, -tagBytes));
      try {
        decipher.final();
      } catch {
        throw damaged(`its frame ${index} is not authentic: it is cut, changed, or of another backup`);
      }
      index++;
      yield plain;
    }
  } finally {
    await iterator.return?.();
  }
}

/** Whether a stored object starts like an encrypted one. */
export function isEncrypted(start: Uint8Array): boolean {
  return Buffer.from(start.subarray(0, magic.byteLength - 1)).equals(magic.subarray(0, -1));
}

async function readHeader(iterator: AsyncIterator<Uint8Array>): Promise<{ header: Buffer; rest: Buffer }> {
  let bytes: Buffer = Buffer.alloc(0);
  while (bytes.byteLength < headerBytes) {
    const { done, value } = await iterator.next();
    if (done) break;
    bytes = Buffer.concat([bytes, value]);
  }
  if (!isEncrypted(bytes)) {
    throw new SnapshotError('WrongKey', 'the backup is not encrypted; read it without a key');
  }
  if (bytes[magic.byteLength - 1] !== magic.at(-1)) {
    throw new SnapshotError('NewerVersion', 'the backup was encrypted by a newer release; use that release to read it');
  }
  if (bytes.byteLength < headerBytes) throw damaged('it is cut');
  return { header: bytes.subarray(0, headerBytes), rest: bytes.subarray(headerBytes) };
}

/** All frames but the last one have the size. There is always a last one, which may be empty. */
async function* framesOf(
  source: AsyncIterable<Uint8Array>,
  sizeBytes: number,
  start: Uint8Array = Buffer.alloc(0),
): AsyncGenerator<{ readonly frame: Buffer; readonly isLast: boolean }> {
  let pending: Buffer = Buffer.from(start);
  const parts = () => pending.byteLength > sizeBytes;
  const split = () => {
    const frame = pending.subarray(0, sizeBytes);
    pending = pending.subarray(sizeBytes);
    return { frame, isLast: false };
  };
  while (parts()) yield split();
  for await (const chunk of source) {
    pending =
      pending.byteLength === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
        : Buffer.concat([pending, chunk]);
    while (parts()) yield split();
    // The memory of the chunk is used again for the next one.
    pending = Buffer.from(pending);
  }
  yield { frame: pending, isLast: true };
}

function derive(key: EncryptionKey, header: Buffer): Buffer {
  const salt = header.subarray(headerBytes - saltBytes);
  return Buffer.from(hkdfSync('sha256', key.bytes, salt, 'etcd-operator/backup/v1', keyBytes));
}

function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(nonceBytes);
  nonce.writeBigUInt64BE(BigInt(index), 0);
  nonce[nonceBytes - 1] = isLast ? 1 : 0;
  return nonce;
}

function keyOf(bytes: Buffer): EncryptionKey {
  return {
    id: createHash('sha256')
      .update(bytes)
      .digest('hex')
      .slice(0, 2 * keyIdBytes),
    bytes,
  };
}

function damaged(problem: string): SnapshotError {
  return new SnapshotError('Corrupt', `the encrypted backup is damaged: ${problem}; use another backup`);
}
