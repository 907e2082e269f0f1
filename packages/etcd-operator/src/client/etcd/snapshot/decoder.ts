/**
 * Decodes the answer of etcd's `Maintenance.Snapshot`: gRPC messages, each a `SnapshotResponse` in protobuf. Bytes arrive in
 * pieces of any size; the content leaves in blocks of one size, so that what follows handles few large pieces.
 */
import { EtcdError } from '../error.ts';

/** Of a block. Larger ones cost memory, smaller ones time. */
export const blockBytes = 128 * 1024;
/** A version such as `3.6.0`. */
const versionBytesMax = 64;
const varintBytesMax = 10;
/** A flag for compression, and the length of the message. */
const prefixBytes = 5;

/** Of `SnapshotResponse`: the number of a field in its upper bits, the type in its lower three. */
const remainingTag = (2 << 3) | 0;
const blobTag = (3 << 3) | 2;
const versionTag = (4 << 3) | 2;
const wireTypes = { varint: 0, bytes: 2 } as const;

type State = 'prefix' | 'tag' | 'varint' | 'length' | 'bytes';

export class SnapshotDecoder {
  readonly #emit: (block: Buffer) => void;
  #state: State = 'prefix';
  #prefix = Buffer.alloc(prefixBytes);
  #prefixFilled = 0;
  /** What is left of the message. */
  #messageBytes = 0;
  #tag = 0;
  #varint = 0;
  #varintLength = 0;
  /** What is left of a field of bytes. */
  #fieldBytes = 0;
  #block: Buffer = Buffer.allocUnsafeSlow(blockBytes);
  readonly #spares: Buffer[] = [];
  #blockFilled = 0;
  #version: Buffer[] = [];
  #receivedBytes = 0;
  #remainingBytes: number | undefined;
  #firstBlobBytes = 0;
  #messages = 0;

  constructor(emit: (block: Buffer) => void) {
    this.#emit = emit;
  }

  /** What was announced by the first message, without the checksum at the end; undefined before it is complete. */
  get announcedBytes(): number | undefined {
    return this.#messages === 0 ? undefined : (this.#remainingBytes ?? 0) + this.#firstBlobBytes;
  }

  /** Empty before 3.6. */
  get version(): string {
    return Buffer.concat(this.#version).toString('utf8');
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** Throws `EtcdError` if it is not the answer of etcd. */
  push(chunk: Uint8Array): void {
    let offset = 0;
    while (offset < chunk.byteLength) {
      if (this.#state === 'bytes') offset += this.#takeBytes(chunk, offset);
      else this.#takeByte(chunk[offset++] ?? 0);
    }
  }

  /** A block that was emitted and is not used any more. Without it, dead blocks would pile up until a garbage collection. */
  recycle(block: Buffer): void {
    this.#spares.push(Buffer.from(block.buffer));
  }

  /** Emits what is left. Throws if the answer ends within a message. */
  end(): void {
    if (this.#state !== 'prefix' || this.#prefixFilled > 0) throw unexpected('it ends within a message');
    this.#flush();
  }

  #takeByte(byte: number): void {
    if (this.#state === 'prefix') {
      this.#takePrefix(byte);
      return;
    }
    if (--this.#messageBytes < 0) throw unexpected('a field exceeds its message');
    if (++this.#varintLength > varintBytesMax) throw unexpected('a number is too long');
    // Without shifts, which have 32 bits. What is larger than a safe integer is refused below where it matters.
    this.#varint += (byte & 0x7f) * 2 ** (7 * (this.#varintLength - 1));
    if (byte >= 0x80) return;
    const value = this.#varint;
    this.#varint = 0;
    this.#varintLength = 0;
    this.#takeNumber(value);
  }

  #takePrefix(byte: number): void {
    this.#prefix[this.#prefixFilled++] = byte;
    if (this.#prefixFilled < prefixBytes) return;
    this.#prefixFilled = 0;
    if (this.#prefix[0] !== 0) throw unexpected('a message is compressed');
    this.#messageBytes = this.#prefix.readUInt32BE(1);
    this.#nextField();
  }

  #takeNumber(value: number): void {
    switch (this.#state) {
      case 'tag': {
        this.#tag = value;
        const type = value & 7;
        if (type === wireTypes.varint) this.#state = 'varint';
        else if (type === wireTypes.bytes) this.#state = 'length';
        else throw unexpected(`a field has the type ${type}`);
        return;
      }
      case 'varint':
        if (this.#tag === remainingTag) this.#remainingBytes ??= safe(value);
        this.#nextField();
        return;
      default:
        if (value > this.#messageBytes) throw unexpected('a field exceeds its message');
        this.#fieldBytes = value;
        if (this.#tag === versionTag && value > versionBytesMax) throw unexpected('the version is too long');
        if (this.#tag === versionTag) this.#version = [];
        if (this.#tag === blobTag && this.#messages === 0) this.#firstBlobBytes += value;
        if (value === 0) this.#nextField();
        else this.#state = 'bytes';
    }
  }

  #takeBytes(chunk: Uint8Array, offset: number): number {
    const count = Math.min(this.#fieldBytes, chunk.byteLength - offset);
    const part = chunk.subarray(offset, offset + count);
    if (this.#tag === blobTag) this.#append(part);
    else if (this.#tag === versionTag) this.#version.push(Buffer.from(part));
    this.#fieldBytes -= count;
    this.#messageBytes -= count;
    if (this.#fieldBytes === 0) this.#nextField();
    return count;
  }

  #nextField(): void {
    if (this.#messageBytes > 0) {
      this.#state = 'tag';
      return;
    }
    this.#state = 'prefix';
    this.#messages++;
  }

  #append(part: Uint8Array): void {
    this.#receivedBytes += part.byteLength;
    for (let offset = 0; offset < part.byteLength; ) {
      const count = Math.min(part.byteLength - offset, blockBytes - this.#blockFilled);
      this.#block.set(part.subarray(offset, offset + count), this.#blockFilled);
      this.#blockFilled += count;
      offset += count;
      if (this.#blockFilled === blockBytes) this.#flush();
    }
  }

  #flush(): void {
    if (this.#blockFilled === 0) return;
    this.#emit(this.#block.subarray(0, this.#blockFilled));
    this.#block = this.#spares.pop() ?? Buffer.allocUnsafeSlow(blockBytes);
    this.#blockFilled = 0;
  }
}

function safe(value: number): number {
  if (!Number.isSafeInteger(value)) throw unexpected('the size is too large');
  return value;
}

function unexpected(problem: string): EtcdError {
  return new EtcdError('Unavailable', `unexpected answer of etcd to the request for a snapshot: ${problem}`);
}
