/** Objects that Go has encoded, bodies written field by field, and random ones. */
import { isApiError, type JsonObject } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { HttpError } from '../response/http-error.ts';
import { statusOf } from '../response/status.ts';
import { decodeProtobuf, protobufBytesMax } from './decode.ts';
import { envelope, field, integer, randomOf, sampleMessage } from './encoder.kit.ts';
import { encodedByGo, sentByClientGo, sentByKubectl } from './fixtures.kit.ts';
import { deleteOptions } from './meta.ts';
import { objectMessages } from './objects.ts';
import { readerLimits } from './reader.ts';
import { reviewMessages } from './reviews.ts';

const decode = (hex: string): JsonObject => decodeProtobuf(Buffer.from(hex, 'hex'));
const knownMessages = [...objectMessages, ...reviewMessages, ['v1 DeleteOptions', deleteOptions] as const];

describe('decodeProtobuf', () => {
  it.each(encodedByGo.map(([json, hex]) => ({ object: JSON.parse(json), hex })))(
    'reads every field of $object.kind as Go writes it',
    ({ object, hex }) => {
      expect(decode(hex)).toEqual(object);
    },
  );

  it('has a fixture of Go for every known message', () => {
    const kinds = encodedByGo.map(([json]) => JSON.parse(json)).map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
    expect(kinds.sort()).toEqual(knownMessages.map(([apiVersionAndKind]) => apiVersionAndKind).sort());
  });

  it.each(knownMessages)('reads random objects of %s, with fields in any order', (apiVersionAndKind, message) => {
    const random = randomOf(7);
    const [apiVersion = '', kind = ''] = apiVersionAndKind.split(' ');
    for (let run = 0; run < 100; run++) {
      const { value, bytes } = sampleMessage(message, random);
      expect(decodeProtobuf(envelope(apiVersion, kind, bytes))).toEqual({ apiVersion, kind, ...Object(value) });
    }
  });

  it('keeps an empty holder of a lease, which is how client-go releases it', () => {
    const body = envelope('coordination.k8s.io/v1', 'Lease', field(2, field(1, ''), integer(2, 1)));
    expect(decodeProtobuf(body).spec).toEqual({ holderIdentity: '', leaseDurationSeconds: 1 });
  });

  it('keeps __proto__ as an ordinary key', () => {
    const read = decodeProtobuf(envelope('v1', 'ConfigMap', field(2, field(1, '__proto__'), field(2, 'x'))));
    expect(JSON.stringify(read.data)).toBe('{"__proto__":"x"}');
  });

  it('answers 415 to an object that has no known message', () => {
    for (const body of [
      Buffer.from(sentByKubectl['create serviceaccount robot -n x'], 'hex'),
      envelope('authorization.k8s.io/v2', 'SelfSubjectAccessReview', Buffer.alloc(0)),
      envelope('v1', 'constructor', Buffer.alloc(0)),
    ]) {
      expect(statusOf(thrownBy(body))).toMatchObject({ code: 415, body: { reason: 'UnsupportedMediaType' } });
    }
  });

  const secret = (...fields: readonly Buffer[]) => envelope('v1', 'Secret', Buffer.concat(fields));
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['JSON', Buffer.from('{"kind":"SelfSubjectReview"}')],
    ['without an envelope', Buffer.from('k8s\0')],
    ['without a kind', envelope('v1', '', Buffer.alloc(0))],
    ['with contents in JSON', envelope('v1', 'Secret', Buffer.from('{}'), field(4, 'application/json'))],
    ['with compressed contents', envelope('v1', 'Secret', Buffer.alloc(0), field(3, 'gzip'))],
    ['with a text that is not UTF-8', secret(field(3, Buffer.from([0xff])))],
    ['with a number for a text', secret(integer(3, 1))],
    ['with a text for a number', secret(field(5, 'x'))],
    ['with a fixed-width number for a text', secret(Buffer.from([3 * 8 + 5, 1, 2, 3, 4]))],
    ['with a length beyond the end', Buffer.from('6b3873000aff01', 'hex')],
    ['with an endless number', Buffer.from(`6b387300${'ff'.repeat(20)}`, 'hex')],
    ['with field zero', Buffer.from('6b3873000200', 'hex')],
    ['with a field number beyond 2^29', Buffer.concat([Buffer.from('k8s\0'), integer(2 ** 29, 0)])],
    ['with a group', Buffer.from('6b3873000b', 'hex')],
    ['with a time beyond the year 9999', secret(field(1, field(8, integer(1, 253_402_300_800))))],
    ['with a time before the year 1', secret(field(1, field(8, integer(1, -62_135_596_801))))],
    ['with a negative fraction', secret(field(1, field(8, integer(1, 1), integer(2, -1))))],
    ['with a number beyond 2^53', secret(field(1, integer(7, 2n ** 53n)))],
    ['with fields that are not JSON', secret(field(1, field(17, field(7, field(1, '{')))))],
    ['with deeply nested fields', secret(field(1, field(17, field(7, field(1, '[{"a":'.repeat(99))))))],
  ])('refuses a body that is %s', (_name, body) => {
    expect(() => decodeProtobuf(body)).toThrow('protobuf body is invalid');
    expect(statusOf(thrownBy(body)).code).toBe(400);
  });

  it('refuses more fields than the limit, in all messages together', () => {
    const finalizers = (count: number) => field(1, Buffer.alloc(count * 2, field(14, '')));
    // The envelope has 4 fields (the type with its 2, and the object), and the metadata is one.
    const rest = readerLimits.fieldsMax - 5;
    expect(decodeProtobuf(secret(finalizers(rest))).kind).toBe('Secret');
    expect(() => decodeProtobuf(secret(finalizers(rest - 10), finalizers(10)))).toThrow('too many fields');
  });

  it('refuses a body beyond the limit', () => {
    const ofBytes = (sizeBytes: number) => secret(field(99, Buffer.alloc(sizeBytes)));
    const overheadBytes = ofBytes(protobufBytesMax).length - protobufBytesMax;
    expect(decodeProtobuf(ofBytes(protobufBytesMax - overheadBytes)).kind).toBe('Secret');
    expect(statusOf(thrownBy(ofBytes(protobufBytesMax - overheadBytes + 1))).code).toBe(413);
  });

  it('reads a body or throws an error of the client, whatever the bytes are', () => {
    const random = randomOf(1);
    const bodies = [
      ...encodedByGo.map(([, hex]) => hex),
      ...Object.values(sentByKubectl),
      ...Object.values(sentByClientGo),
    ].map((hex) => Buffer.from(hex, 'hex'));
    let read = 0;
    for (let run = 0; run < 20_000; run++) {
      const base = bodies[random(bodies.length)] ?? Buffer.alloc(0);
      const isMutation = random(4) > 0;
      const body = isMutation ? Buffer.from(base) : Buffer.concat([base.subarray(0, 4), Buffer.alloc(random(200))]);
      const changes = isMutation ? 1 + random(4) : body.length;
      for (let change = 0; change < changes; change++)
        body[isMutation ? random(body.length) : 4 + change] = random(256);
      const error = thrownBy(body.subarray(0, random(8) === 0 ? random(body.length) : body.length));
      if (error === undefined) read++;
      else if (!isApiError(error, 'BadRequest') && !(error instanceof HttpError && error.code === 415)) throw error;
    }
    // Some mutations only change a text.
    expect(read).toBeGreaterThan(500);
    expect(read).toBeLessThan(19_000);
  });
});

function thrownBy(body: Buffer): unknown {
  try {
    decodeProtobuf(body);
    return undefined;
  } catch (error) {
    return error;
  }
}
