/**
 * Converts between protobuf and its JSON, as the gateway of etcd has it (gateway/answer.ts), by a description of the message.
 * Fields that are not described are skipped.
 */
import { type Answer, malformed } from '../gateway/answer.ts';

/** An enumeration is the list of its names. */
type FieldType = 'uint64' | 'int64' | 'bool' | 'string' | 'bytes' | readonly string[] | Message;

/** By the name of a field: its number and its type. */
export interface Message {
  readonly [name: string]: readonly [number: number, type: FieldType, repeated?: 'repeated'];
}

const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;
const varintBytesMax = 10;

/** `value` has the fields of the message only. */
export function encodeMessage(value: Answer, message: Message): Buffer {
  const parts: Buffer[] = [];
  for (const [name, [number, type, repeated]] of Object.entries(message)) {
    const field = value[name];
    const values: readonly unknown[] = field === undefined ? [] : repeated && Array.isArray(field) ? field : [field];
    for (const each of values) parts.push(...encodeField(number, type, each));
  }
  return Buffer.concat(parts);
}

function encodeField(number: number, type: FieldType, value: unknown): readonly Buffer[] {
  const tag = (wireType: number) => varint(BigInt(number * 8 + wireType));
  if (type === 'uint64' || type === 'int64') return [tag(wireTypes.varint), varint(BigInt(String(value)))];
  if (type === 'bool') return [tag(wireTypes.varint), varint(value === true ? 1n : 0n)];
  if (isNames(type)) return [tag(wireTypes.varint), varint(BigInt(type.indexOf(String(value))))];
  const bytes =
    typeof type === 'string'
      ? Buffer.from(String(value), type === 'bytes' ? 'base64' : 'utf8')
      : encodeMessage(value as Answer, type);
  return [tag(wireTypes.bytes), varint(BigInt(bytes.byteLength)), bytes];
}

/** Throws `EtcdError` if it is not such a message. */
export function decodeMessage(bytes: Buffer, message: Message): Answer {
  const reader = new Reader(bytes);
  const fields = new Map(
    Object.entries(message).map(([name, [number, type, repeated]]) => [number, { name, type, repeated }]),
  );
  const answer: Record<string, unknown> = {};
  while (!reader.isAtEnd) {
    const tag = Number(reader.varint());
    const field = fields.get(Math.floor(tag / 8));
    const content = reader.content(tag % 8);
    if (!field) continue;
    const value = decodeField(content, field.type, field.name);
    if (!field.repeated) answer[field.name] = value;
    else answer[field.name] = [...((answer[field.name] as readonly unknown[] | undefined) ?? []), value];
  }
  return answer;
}

function decodeField(content: bigint | Buffer, type: FieldType, name: string): unknown {
  if (typeof content === 'bigint') {
    if (type === 'uint64') return String(content);
    if (type === 'int64') return String(BigInt.asIntN(64, content));
    if (type === 'bool') return content !== 0n;
    if (isNames(type)) return type[Number(content)] ?? String(content);
  } else {
    if (type === 'string') return content.toString('utf8');
    if (type === 'bytes') return content.toString('base64');
    if (typeof type === 'object' && !isNames(type)) return decodeMessage(content, type);
  }
  throw malformed(`${name} has another type`);
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.byteLength;
  }

  varint(): bigint {
    let value = 0n;
    for (let index = 0; index < varintBytesMax; index++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw malformed('it is cut');
      value |= BigInt(byte & 0x7f) << BigInt(7 * index);
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw malformed('a number is too long');
  }

  /** Of a field. */
  content(wireType: number): bigint | Buffer {
    if (wireType === wireTypes.varint) return this.varint();
    if (wireType === wireTypes.bytes) return this.#take(Number(this.varint()));
    if (wireType === wireTypes.fixed64) return this.#take(8);
    if (wireType === wireTypes.fixed32) return this.#take(4);
    throw malformed(`a field has the type ${wireType}`);
  }

  #take(count: number): Buffer {
    const end = this.#at + count;
    if (end > this.#bytes.byteLength) throw malformed('it is cut');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}

function isNames(type: FieldType): type is readonly string[] {
  return Array.isArray(type);
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}
