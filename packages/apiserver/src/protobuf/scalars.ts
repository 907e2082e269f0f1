/** Converts the values of fields to those of JSON. All functions throw `BadRequest`; `name` is the field in the message. */
import { type JsonObject, type JsonValue, readPlainJson, timestampAt } from '@ecsm/runtime';
import { malformed, type WireField } from './wire.ts';

export function bytesOf(name: string, value: WireField['value']): Buffer {
  if (!Buffer.isBuffer(value)) throw malformed(`${name} has the wrong type`);
  return value;
}

export function integerOf(name: string, value: WireField['value']): bigint {
  if (typeof value !== 'bigint') throw malformed(`${name} has the wrong type`);
  return value;
}

export function exactOf(name: string, value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw malformed(`${name} is beyond ±(2^53 - 1) and cannot be stored exactly`);
  return number;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function textOf(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw malformed('a text in it is not UTF-8');
  }
}

export function jsonOf(name: string, bytes: Buffer): JsonValue | undefined {
  if (bytes.length === 0) return undefined;
  const value = readPlainJson(textOf(bytes));
  if (value === undefined) throw malformed(`${name} is not valid JSON`);
  return value;
}

/** The years 1 to 9999, which RFC 3339 can express. */
const timeSecondsMin = -62_135_596_800;
const timeSecondsMax = 253_402_300_799;
const nanosMax = 999_999_999;

/** Go writes a zero time as an empty message, and 1970 with both fields. */
export function timeOf(
  type: 'time' | 'microTime',
  name: string,
  { seconds, nanos = 0 }: JsonObject,
): string | undefined {
  if (seconds === undefined) return undefined;
  const time = Number(seconds);
  const fraction = Number(nanos);
  if (time < timeSecondsMin || time > timeSecondsMax || fraction < 0 || fraction > nanosMax) {
    throw malformed(`${name} is not a valid time`);
  }
  const text = timestampAt(time * 1_000);
  if (type === 'time') return text;
  return `${text.slice(0, -1)}.${String(Math.floor(fraction / 1_000)).padStart(6, '0')}Z`;
}
