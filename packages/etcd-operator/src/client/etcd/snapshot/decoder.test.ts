import { describe, expect, it } from 'vitest';
import { blockBytes, SnapshotDecoder } from './decoder.ts';

function message(...fields: readonly Buffer[]): Buffer {
  const body = Buffer.concat(fields);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(body.byteLength, 1);
  return Buffer.concat([prefix, body]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

const field = (number: number, content: Buffer) =>
  Buffer.concat([varint((number << 3) | 2), varint(content.byteLength), content]);
const remaining = (value: number) => Buffer.concat([varint(2 << 3), varint(value)]);
const blob = (size: number, byte: number) => field(3, Buffer.alloc(size, byte));
const header = field(1, Buffer.from([8, 1, 16, 2]));

function decode(bytes: Buffer, pieceBytes: number) {
  const blocks: Buffer[] = [];
  const decoder = new SnapshotDecoder((block) => blocks.push(block));
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) decoder.push(bytes.subarray(at, at + pieceBytes));
  decoder.end();
  const { announcedBytes, version, receivedBytes } = decoder;
  return { blocks, content: Buffer.concat(blocks), announcedBytes, version, receivedBytes };
}

describe('a snapshot in gRPC messages', () => {
  const answer = Buffer.concat([
    message(header, remaining(5_000_000_000), blob(300, 1), field(4, Buffer.from('3.6.0'))),
    message(header, remaining(200), blob(200, 2)),
    message(header, blob(32, 3)),
  ]);
  const content = Buffer.concat([Buffer.alloc(300, 1), Buffer.alloc(200, 2), Buffer.alloc(32, 3)]);

  it.each([1, 2, 3, 7, 64, 10_000])('is the same in pieces of %i bytes', (pieceBytes) => {
    expect(decode(answer, pieceBytes)).toMatchObject({
      content,
      announcedBytes: 5_000_000_300,
      version: '3.6.0',
      receivedBytes: 532,
    });
  });

  it('leaves in blocks of one size', () => {
    const { blocks } = decode(Buffer.concat([message(blob(blockBytes + 10, 1)), message(blob(blockBytes, 2))]), 9_000);
    expect(blocks.map(({ byteLength }) => byteLength)).toEqual([blockBytes, blockBytes, 10]);
  });

  it('announces nothing before the first message is complete', () => {
    const decoder = new SnapshotDecoder(() => {});
    const first = message(remaining(9), blob(3, 1));
    decoder.push(first.subarray(0, -1));
    expect(decoder.announcedBytes).toBeUndefined();
    decoder.push(first.subarray(-1));
    expect(decoder.announcedBytes).toBe(12);
  });

  it.each([
    ['ends within a message', answer.subarray(0, -1)],
    ['is compressed', Buffer.from([1, 0, 0, 0, 1, 0])],
    ['exceeds its message', message(Buffer.from([(3 << 3) | 2, 5, 1]))],
    ['exceeds its message', message(Buffer.from([2 << 3, 0x80]), Buffer.alloc(0)).fill(2, 4, 5)],
    ['number is too long', message(Buffer.alloc(12, 0x80))],
    ['type 5', message(Buffer.from([(2 << 3) | 5, 1, 2, 3, 4]))],
    ['version is too long', message(field(4, Buffer.alloc(65, 48)))],
    ['size is too large', message(Buffer.from([2 << 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]))],
  ])('is refused if it %s', (problem, bytes) => {
    expect(() => decode(Buffer.from(bytes), 4)).toThrow(
      problem === 'exceeds its message' ? /exceeds its message|ends within/ : problem,
    );
  });
});
