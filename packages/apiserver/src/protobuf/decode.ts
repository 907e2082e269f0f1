/**
 * Decodes the objects that kubectl and client-go send as protobuf, whatever the server offers: the magic bytes `k8s\0`, an
 * envelope (runtime.Unknown), and in it the object. The result is the object as JSON has it.
 */
import { ApiError, isPlainObject, type JsonObject } from '@ecsm/runtime';
import { unsupportedMediaType } from '../response/http-error.ts';
import type { MessageType } from './message.ts';
import { deleteOptions } from './meta.ts';
import { objectMessages } from './objects.ts';
import { MessageReader } from './reader.ts';
import { reviewMessages } from './reviews.ts';
import { fieldsOf, malformed } from './wire.ts';

export const protobufMediaType = 'application/vnd.kubernetes.protobuf';

/** As for JSON: the limit of Kubernetes for the body of a request. */
export const protobufBytesMax = 3 * 1024 * 1024;

/** `k8s` and a zero byte. */
const magic = Buffer.from([0x6b, 0x38, 0x73, 0]);

const envelope: MessageType = {
  fields: {
    1: ['typeMeta', { fields: { 1: ['apiVersion', 'string'], 2: ['kind', 'string'] } }],
    3: ['contentEncoding', 'string'],
    4: ['contentType', 'string'],
  },
};

const messages: ReadonlyMap<string, MessageType> = new Map([...objectMessages, ...reviewMessages]);

/**
 * Throws `BadRequest` for damaged bytes, `TooLarge`, and an UnsupportedMediaType HttpError for an object that can be sent
 * as JSON or YAML only.
 */
export function decodeProtobuf(bytes: Uint8Array): JsonObject {
  if (bytes.length > protobufBytesMax) {
    throw new ApiError('TooLarge', { what: 'request body', sizeBytes: bytes.length, limitBytes: protobufBytesMax });
  }
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!body.subarray(0, magic.length).equals(magic)) throw malformed('it does not start with k8s and a zero byte');
  const outer = body.subarray(magic.length);
  const reader = new MessageReader();
  const { typeMeta, contentEncoding = '', contentType = '' } = reader.read(envelope, outer);
  if (contentEncoding !== '' || (contentType !== '' && contentType !== protobufMediaType)) {
    throw malformed('its contents are encoded in another way');
  }
  const { apiVersion, kind } = isPlainObject(typeMeta) ? typeMeta : {};
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') throw malformed('it has no apiVersion or no kind');
  const message = messageOf(apiVersion, kind);
  if (message === undefined) throw unsupportedMediaType(['application/json', 'application/yaml']);
  return { apiVersion, kind, ...reader.read(message, rawOf(outer)) };
}

/** Every group has its own DeleteOptions, with the same fields. */
function messageOf(apiVersion: string, kind: string): MessageType | undefined {
  return kind === 'DeleteOptions' ? deleteOptions : messages.get(`${apiVersion} ${kind}`);
}

function rawOf(outer: Buffer): Buffer {
  let raw: Buffer = Buffer.alloc(0);
  for (const { number, value } of fieldsOf(outer)) if (number === 2 && Buffer.isBuffer(value)) raw = value;
  return raw;
}
