/**
 * Reads the review requests that kubectl and client-go send as protobuf, whatever the server offers: the magic bytes
 * `k8s\0`, an envelope (runtime.Unknown), and in it the object. The result is the object as JSON would have it. Only the
 * fields that a review needs are known; others are skipped.
 */
import { ApiError, type JsonObject, type JsonValue } from '@ecsm/runtime';

export const protobufMediaType = 'application/vnd.kubernetes.protobuf';

export const protobufLimits = {
  /** A review has a few hundred bytes. */
  bodyBytesMax: 65_536,
  /** Fields in a message, known or not. */
  fieldsMax: 4_096,
} as const;

/** `k8s` and a zero byte. */
const magic = Buffer.from([0x6b, 0x38, 0x73, 0]);

/** How the field of a message is read: as text, as a list of texts, as a map to such a list, or as a message. */
type Reader = 'string' | 'strings' | 'extra' | Message;
type Message = Readonly<Record<number, readonly [name: string, reader: Reader]>>;

const metadata: Message = { 1: ['name', 'string'], 2: ['generateName', 'string'], 3: ['namespace', 'string'] };
const resourceAttributes: Message = {
  1: ['namespace', 'string'],
  2: ['verb', 'string'],
  3: ['group', 'string'],
  4: ['version', 'string'],
  5: ['resource', 'string'],
  6: ['subresource', 'string'],
  7: ['name', 'string'],
};
const access: Message = {
  1: ['resourceAttributes', resourceAttributes],
  2: ['nonResourceAttributes', { 1: ['path', 'string'], 2: ['verb', 'string'] }],
};
const accessOfSubject: Message = {
  ...access,
  3: ['user', 'string'],
  4: ['groups', 'strings'],
  5: ['extra', 'extra'],
  6: ['uid', 'string'],
};
const review = (spec?: Message): Message => ({
  1: ['metadata', metadata],
  ...(spec === undefined ? {} : { 2: ['spec', spec] }),
});

/** The objects that are accepted, by apiVersion and kind. */
const messages: ReadonlyMap<string, Message> = new Map([
  ['authorization.k8s.io/v1 SelfSubjectAccessReview', review(access)],
  ['authorization.k8s.io/v1 SubjectAccessReview', review(accessOfSubject)],
  ['authorization.k8s.io/v1 LocalSubjectAccessReview', review(accessOfSubject)],
  ['authorization.k8s.io/v1 SelfSubjectRulesReview', review({ 1: ['namespace', 'string'] })],
  ['authentication.k8s.io/v1 SelfSubjectReview', review()],
  ['authentication.k8s.io/v1 TokenReview', review({ 1: ['token', 'string'], 2: ['audiences', 'strings'] })],
]);

const envelope: Message = {
  1: ['typeMeta', { 1: ['apiVersion', 'string'], 2: ['kind', 'string'] }],
  3: ['contentEncoding', 'string'],
  4: ['contentType', 'string'],
};

/** Whether a body starts as one of protobuf does. */
export const isProtobuf = (body: Buffer): boolean => body.subarray(0, magic.length).equals(magic);

/** Throws `BadRequest` or `TooLarge` for anything else than one of these reviews. */
export function readProtobufReview(body: Buffer): JsonObject {
  const { bodyBytesMax } = protobufLimits;
  if (body.length > bodyBytesMax) {
    throw new ApiError('TooLarge', { what: 'review', sizeBytes: body.length, limitBytes: bodyBytesMax });
  }
  if (!isProtobuf(body)) throw malformed('it does not start with k8s and a zero byte');
  const outer = body.subarray(magic.length);
  const { typeMeta, contentEncoding = '', contentType = '' } = readMessage(envelope, outer);
  if (contentEncoding !== '' || (contentType !== '' && contentType !== protobufMediaType)) {
    throw malformed('its contents are encoded in another way');
  }
  const { apiVersion = '', kind = '' } = isObject(typeMeta) ? typeMeta : {};
  const message = messages.get(`${apiVersion} ${kind}`);
  if (!message) throw malformed(`only reviews can be sent as protobuf, not ${JSON.stringify(`${apiVersion} ${kind}`)}`);
  const raw = [...fieldsOf(outer)].findLast(({ number, bytes }) => number === 2 && bytes !== undefined)?.bytes;
  return { apiVersion, kind, ...readMessage(message, raw ?? Buffer.alloc(0)) };
}

function readMessage(message: Message, bytes: Buffer): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const field of fieldsOf(bytes)) {
    const [name, reader] = message[field.number] ?? [];
    if (name === undefined || reader === undefined) continue;
    if (field.bytes === undefined) throw malformed(`${name} has the wrong type`);
    // Go writes empty texts too, which JSON leaves out. Of several values the last counts.
    if (reader === 'string' && field.bytes.length === 0) delete result[name];
    else result[name] = readField(reader, field.bytes, result[name]);
  }
  return result;
}

/** A repeated field adds to what is known of it; of any other one the last counts. */
function readField(reader: Reader, bytes: Buffer, known: JsonValue | undefined): JsonValue {
  if (reader === 'string') return textOf(bytes);
  if (reader === 'strings') return [...(Array.isArray(known) ? known : []), textOf(bytes)];
  if (reader === 'extra') {
    const { key = '', value } = readMessage({ 1: ['key', 'string'], 2: ['value', { 1: ['items', 'strings'] }] }, bytes);
    const items = isObject(value) ? (value.items ?? []) : [];
    return Object.fromEntries([...Object.entries(isObject(known) ? known : {}), [String(key), items]]);
  }
  return readMessage(reader, bytes);
}

interface Field {
  readonly number: number;
  /** Undefined for numbers, which no field of a review is. */
  readonly bytes: Buffer | undefined;
}

function* fieldsOf(bytes: Buffer): Generator<Field> {
  let offset = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 10; shift++) {
      const byte = bytes[offset++];
      if (byte === undefined) throw malformed('it is cut off');
      value += (byte & 0x7f) * 2 ** (7 * shift);
      if (byte < 0x80) return value;
    }
    throw malformed('a number in it is too long');
  };
  const take = (length: number): Buffer => {
    if (length > bytes.length - offset) throw malformed('it is cut off');
    offset += length;
    return bytes.subarray(offset - length, offset);
  };
  for (let count = 0; offset < bytes.length; count++) {
    if (count === protobufLimits.fieldsMax) throw malformed('it has too many fields');
    const tag = varint();
    const number = Math.floor(tag / 8);
    if (number === 0 || number >= 2 ** 29) throw malformed('a field has no valid number');
    yield { number, bytes: readValue(tag % 8, varint, take) };
  }
}

function readValue(wireType: number, varint: () => number, take: (length: number) => Buffer): Buffer | undefined {
  switch (wireType) {
    case 0:
      varint();
      return undefined;
    case 1:
      take(8);
      return undefined;
    case 2:
      return take(varint());
    case 5:
      take(4);
      return undefined;
    default:
      throw malformed('a field has an unknown type');
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw malformed('a text in it is not UTF-8');
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function malformed(reason: string): ApiError<'BadRequest'> {
  return new ApiError('BadRequest', { reason: `the protobuf body is invalid: ${reason}` });
}
