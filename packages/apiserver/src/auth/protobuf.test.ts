/** Bodies that kubectl 1.32 has sent, bodies written here field by field, and random ones. */
import { isApiError } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { isProtobuf, protobufLimits, readProtobufReview } from './protobuf.ts';

/** From `kubectl auth …`. */
const recorded = {
  'can-i get secrets/x -n a':
    '6b3873000a320a17617574686f72697a6174696f6e2e6b38732e696f2f7631121753656c665375626a656374416363657373526576696577123a0a100a0012001a0022002a00320038004200121c0a1a0a016112036765741a0022002a077365637265747332003a01781a08080012001a0020001a002200',
  'can-i get pods --subresource=log -A':
    '6b3873000a320a17617574686f72697a6174696f6e2e6b38732e696f2f7631121753656c665375626a65637441636365737352657669657712380a100a0012001a0022002a00320038004200121a0a180a0012036765741a0022002a04706f647332036c6f673a001a08080012001a0020001a002200',
  'can-i get /metrics':
    '6b3873000a320a17617574686f72697a6174696f6e2e6b38732e696f2f7631121753656c665375626a656374416363657373526576696577122f0a100a0012001a0022002a003200380042001211120f0a082f6d65747269637312036765741a08080012001a0020001a002200',
  'can-i --list -n a':
    '6b3873000a310a17617574686f72697a6174696f6e2e6b38732e696f2f7631121653656c665375626a65637452756c6573526576696577121d0a100a0012001a0022002a0032003800420012030a01611a04180022001a002200',
  whoami:
    '6b3873000a2d0a1861757468656e7469636174696f6e2e6b38732e696f2f7631121153656c665375626a656374526576696577121a0a100a0012001a0022002a0032003800420012060a040a0012001a002200',
} as const;

function varint(value: number): number[] {
  return value < 128 ? [value] : [128 | (value % 128), ...varint(Math.floor(value / 128))];
}
const field = (number: number, contents: Buffer | string): Buffer => {
  const bytes = Buffer.from(contents);
  return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes]);
};
const message = (...fields: Buffer[]) => Buffer.concat(fields);
const envelope = (apiVersion: string, kind: string, raw: Buffer, ...more: Buffer[]) =>
  message(Buffer.from('k8s\0'), field(1, message(field(1, apiVersion), field(2, kind))), field(2, raw), ...more);
const authorization = 'authorization.k8s.io/v1';
const authentication = 'authentication.k8s.io/v1';

describe('a review in protobuf', () => {
  it.each([
    [
      'can-i get secrets/x -n a',
      'SelfSubjectAccessReview',
      { resourceAttributes: { namespace: 'a', verb: 'get', resource: 'secrets', name: 'x' } },
    ],
    [
      'can-i get pods --subresource=log -A',
      'SelfSubjectAccessReview',
      { resourceAttributes: { verb: 'get', resource: 'pods', subresource: 'log' } },
    ],
    ['can-i get /metrics', 'SelfSubjectAccessReview', { nonResourceAttributes: { path: '/metrics', verb: 'get' } }],
    ['can-i --list -n a', 'SelfSubjectRulesReview', { namespace: 'a' }],
  ] as const)('is read as kubectl auth %s sends it', (command, kind, spec) => {
    const body = Buffer.from(recorded[command], 'hex');
    expect(isProtobuf(body)).toBe(true);
    expect(readProtobufReview(body)).toEqual({ apiVersion: authorization, kind, metadata: {}, spec });
  });

  it('is read as kubectl auth whoami sends it', () => {
    expect(readProtobufReview(Buffer.from(recorded.whoami, 'hex'))).toEqual({
      apiVersion: authentication,
      kind: 'SelfSubjectReview',
      metadata: {},
    });
  });

  it('may be about another user', () => {
    const extra = (key: string, ...items: string[]) =>
      field(5, message(field(1, key), field(2, message(...items.map((item) => field(1, item))))));
    const spec = message(
      field(1, message(field(1, 'a'), field(2, 'get'), field(3, 'ecsm.sh'), field(4, 'v1'), field(5, 'ecsmservices'))),
      field(3, 'jane'),
      field(4, 'dev'),
      field(4, 'ops'),
      extra('scopes', 'x', 'y'),
      extra('__proto__', 'z'),
      field(6, 'u1'),
    );
    const raw = message(field(1, message(field(1, 'n'), field(3, 'a'))), field(2, spec));
    const read = readProtobufReview(envelope(authorization, 'LocalSubjectAccessReview', raw));
    expect(read.metadata).toEqual({ name: 'n', namespace: 'a' });
    expect(read.spec).toEqual({
      resourceAttributes: { namespace: 'a', verb: 'get', group: 'ecsm.sh', version: 'v1', resource: 'ecsmservices' },
      user: 'jane',
      groups: ['dev', 'ops'],
      extra: Object.fromEntries([
        ['scopes', ['x', 'y']],
        ['__proto__', ['z']],
      ]),
      uid: 'u1',
    });
  });

  it('may be one of a token', () => {
    const raw = field(2, message(field(1, 'ecsm_x'), field(2, 'api')));
    expect(readProtobufReview(envelope(authentication, 'TokenReview', raw)).spec).toEqual({
      token: 'ecsm_x',
      audiences: ['api'],
    });
  });

  it('skips fields of every type that it does not know', () => {
    const unknown = Buffer.from([
      ...varint(9 * 8),
      5,
      ...varint(10 * 8 + 1),
      1,
      2,
      3,
      4,
      5,
      6,
      7,
      8,
      ...varint(11 * 8 + 5),
      1,
      2,
      3,
      4,
    ]);
    const raw = message(unknown, field(2, message(field(1, 'a'), field(99, 'x'))));
    expect(readProtobufReview(envelope(authorization, 'SelfSubjectRulesReview', raw)).spec).toEqual({ namespace: 'a' });
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['JSON', Buffer.from('{"kind":"SelfSubjectReview"}')],
    ['another object', envelope('v1', 'Secret', Buffer.alloc(0))],
    ['a review of another version', envelope('authorization.k8s.io/v2', 'SelfSubjectAccessReview', Buffer.alloc(0))],
    [
      'contents in JSON',
      envelope(authentication, 'SelfSubjectReview', Buffer.from('{}'), field(4, 'application/json')),
    ],
    ['compressed contents', envelope(authentication, 'SelfSubjectReview', Buffer.alloc(0), field(3, 'gzip'))],
    [
      'a text that is not UTF-8',
      envelope(authorization, 'SelfSubjectRulesReview', field(2, field(1, Buffer.from([0xff])))),
    ],
    ['a number for a text', envelope(authorization, 'SelfSubjectRulesReview', field(2, Buffer.from([8, 1])))],
    ['a length beyond the end', Buffer.from('6b3873000aff01', 'hex')],
    ['an endless number', Buffer.from(`6b387300${'ff'.repeat(20)}`, 'hex')],
    ['field zero', Buffer.from('6b3873000200', 'hex')],
    ['a group', Buffer.from('6b3873000b', 'hex')],
    [
      'too many fields',
      message(Buffer.from('k8s\0'), ...Array.from({ length: protobufLimits.fieldsMax + 1 }, () => field(9, ''))),
    ],
  ])('is rejected if it is %s', (_name, body) => {
    expect(() => readProtobufReview(body)).toThrow('protobuf body is invalid');
  });

  it('is rejected if it is too large', () => {
    const body = Buffer.concat([Buffer.from('k8s\0'), Buffer.alloc(protobufLimits.bodyBytesMax)]);
    expect(() => readProtobufReview(body)).toThrow('over the limit');
  });

  it('is read or rejected with an error of the catalogue, whatever its bytes are', () => {
    let seed = 1;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    const bodies = Object.values(recorded).map((hex) => Buffer.from(hex, 'hex'));
    let read = 0;
    for (let run = 0; run < 30_000; run++) {
      const base = bodies[random(bodies.length)] ?? Buffer.alloc(0);
      const isMutation = random(4) > 0;
      const body = isMutation ? Buffer.from(base) : Buffer.concat([base.subarray(0, 4), Buffer.alloc(random(200))]);
      const changes = isMutation ? 1 + random(4) : body.length;
      for (let change = 0; change < changes; change++)
        body[isMutation ? random(body.length) : 4 + change] = random(256);
      try {
        readProtobufReview(body.subarray(0, random(8) === 0 ? random(body.length) : body.length));
        read++;
      } catch (error) {
        if (!isApiError(error)) throw error;
      }
    }
    // Some mutations only change a text.
    expect(read).toBeGreaterThan(500);
    expect(read).toBeLessThan(29_000);
  });
});
