/** Writes protobuf field by field, as tests need it, and random objects of a descriptor with their bytes. */
import type { JsonValue } from '@ecsm/runtime';
import type { FieldType, MessageType } from './message.ts';

function varint(value: bigint | number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

export const integer = (number: number, value: bigint | number): Buffer =>
  Buffer.concat([varint(number * 8), varint(value)]);

export function field(number: number, ...contents: readonly (Buffer | string)[]): Buffer {
  const bytes = Buffer.concat(contents.map((part) => Buffer.from(part)));
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

/** `k8s\0` and a runtime.Unknown. */
export function envelope(apiVersion: string, kind: string, raw: Buffer, ...more: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('k8s\0'), field(1, field(1, apiVersion), field(2, kind)), field(2, raw), ...more]);
}

/** A number of at least 0 and below the limit. */
type Random = (below: number) => number;

export function randomOf(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

interface Sample {
  readonly value: JsonValue;
  /** The fields on the wire, in any order. */
  readonly fields: readonly Buffer[];
}

/** A random object of a message. Fields are in random order, as protobuf allows. */
export function sampleMessage({ fields }: MessageType, random: Random): { value: JsonValue; bytes: Buffer } {
  const value: Record<string, JsonValue> = {};
  const written: Buffer[] = [];
  for (const [number, [name, type, zero]] of Object.entries(fields)) {
    if (random(4) === 0) continue;
    const sample = sampleField(Number(number), type, random);
    written.splice(random(written.length + 1), 0, ...sample.fields);
    const isZero = sample.value === '' || sample.value === 0 || sample.value === false;
    if (!isZero || zero === 'kept') value[name] = sample.value;
  }
  return { value, bytes: Buffer.concat(written) };
}

const texts = ['', 'a', 'zwölf', '令牌', '__proto__', 'x'.repeat(200)];
const numbers = [0, 1, -1, 127, 128, 2 ** 31 - 1, -(2 ** 31)];
const times = [
  ['1970-01-01T00:00:00', 0],
  ['2026-11-16T23:00:01', 1_794_870_001],
  ['1969-12-31T23:59:59', -1],
  ['9999-12-31T23:59:59', 253_402_300_799],
] as const;

function pick<Value>(values: readonly Value[], random: Random): Value {
  const value = values[random(values.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}

function sampleField(number: number, type: FieldType, random: Random): Sample {
  if (typeof type === 'object' && 'list' in type) {
    const items = Array.from({ length: 1 + random(3) }, () => sampleField(number, type.list, random));
    return { value: items.map(({ value }) => value), fields: items.flatMap(({ fields }) => fields) };
  }
  if (typeof type === 'object' && 'map' in type) {
    const keys = texts.filter(() => random(2) === 0);
    const entries = (keys.length === 0 ? ['k'] : keys).map((key) => ({ key, ...sampleField(2, type.map, random) }));
    return {
      value: Object.fromEntries(entries.map(({ key, value }) => [key, value])),
      fields: entries.map(({ key, fields }) => field(number, field(1, key), ...fields)),
    };
  }
  if (typeof type === 'object' && 'wrapped' in type) {
    const { value, fields } = sampleField(1, type.wrapped, random);
    return { value, fields: [field(number, ...fields)] };
  }
  if (typeof type === 'object') {
    const { value, bytes } = sampleMessage(type, random);
    return { value, fields: [field(number, bytes)] };
  }
  const { value, bytes } = sampleScalar(number, type, random);
  return { value, fields: [bytes] };
}

function sampleScalar(number: number, type: FieldType, random: Random): { value: JsonValue; bytes: Buffer } {
  const text = pick(texts, random);
  const [time, seconds] = pick(times, random);
  switch (type) {
    case 'string':
      return { value: text, bytes: field(number, text) };
    case 'bytes':
      return { value: Buffer.from(text).toString('base64'), bytes: field(number, text) };
    case 'bool': {
      const value = random(2) === 0;
      return { value, bytes: integer(number, value ? 1 : 0) };
    }
    case 'int32':
    case 'int64': {
      const value = pick(numbers, random);
      return { value, bytes: integer(number, value) };
    }
    case 'time':
      return { value: `${time}Z`, bytes: field(number, integer(1, seconds), integer(2, random(1e9))) };
    case 'microTime': {
      const micros = random(1e6);
      const fraction = String(micros).padStart(6, '0');
      return {
        value: `${time}.${fraction}Z`,
        bytes: field(number, integer(1, seconds), integer(2, micros * 1_000 + random(1_000))),
      };
    }
    case 'intOrString': {
      const value = pick(numbers, random);
      return random(2) === 0
        ? { value, bytes: field(number, integer(1, 0), integer(2, value), field(3, '')) }
        : { value: text, bytes: field(number, integer(1, 1), integer(2, 0), field(3, text)) };
    }
    default: {
      const value = { 'f:a': { 'f:b': {} }, 'k:{"name":"x"}': {} };
      return { value, bytes: field(number, JSON.stringify(value)) };
    }
  }
}
