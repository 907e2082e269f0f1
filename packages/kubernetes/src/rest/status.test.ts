/** The responses are those of kube-apiserver 1.34.4, recorded. */
import { describe, expect, it } from 'vitest';
import { statusBody } from './server.kit.ts';
import { type ErrorContext, errorOf, retryAfterMs } from './status.ts';

const context: ErrorContext = {
  subject: { kind: 'Widget', plural: 'widgets', name: 'a' },
  what: 'PUT /apis/example.io/v1/namespaces/default/widgets/a',
  server: 'https://host:6443',
  connection: 'context "site-7"',
  requestBytes: 4_000_100,
  timeoutMs: 30_000,
};
const details = { name: 'a', group: 'example.io', kind: 'widgets' };

const responses: readonly [what: string, code: number, body: unknown, error: string, message: string][] = [
  [
    'a missing object',
    404,
    statusBody(404, 'NotFound', 'widgets.example.io "a" not found', details),
    'NotFound',
    'Widget "a" not found',
  ],
  [
    'a missing namespace',
    404,
    statusBody(404, 'NotFound', 'namespaces "none" not found', { name: 'none', kind: 'namespaces' }),
    'NotFound',
    'namespaces "none" not found',
  ],
  [
    'a kind that is not served',
    404,
    undefined,
    'Rejected',
    `${context.what} was rejected: the server has no widgets; is the CustomResourceDefinition of Widget installed?`,
  ],
  [
    'an existing object',
    409,
    statusBody(409, 'AlreadyExists', 'widgets.example.io "a" already exists', details),
    'AlreadyExists',
    'Widget "a" already exists',
  ],
  [
    'an old version',
    409,
    statusBody(
      409,
      'Conflict',
      'Operation cannot be fulfilled on widgets.example.io "a": the object has been modified; please apply your changes to the latest version and try again',
      details,
    ),
    'Conflict',
    'Widget "a": the object has been modified; read it again and repeat the change',
  ],
  [
    'another uid',
    409,
    statusBody(
      409,
      'Conflict',
      'Operation cannot be fulfilled on widgets.example.io "a": StorageError: invalid object, Code: 4, Key: /registry/example.io/widgets/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: a3655781',
      details,
    ),
    'Conflict',
    'Widget "a": it has another uid: this is another object of the same name',
  ],
  [
    'a field of another manager',
    409,
    statusBody(409, 'Conflict', 'Apply failed with 1 conflict: conflict with "one": .spec.size', {
      causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.spec.size' }],
    }),
    'Conflict',
    'Apply failed with 1 conflict: conflict with "one": .spec.size',
  ],
  [
    'invalid fields',
    422,
    statusBody(422, 'Invalid', 'Widget.example.io "a" is invalid: […]', {
      ...details,
      kind: 'Widget',
      causes: [
        { reason: 'FieldValueInvalid', message: 'Invalid value: -1: should be at least 0', field: 'spec.size' },
        {
          reason: 'FieldValueNotSupported',
          message: 'Unsupported value: "pink": supported values: "red"',
          field: 'spec.colour',
        },
        { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.name' },
        {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: null: some validation rules were not checked because the object was invalid',
          field: '<nil>',
        },
      ],
    }),
    'Invalid',
    'Widget "a" is invalid: spec.size: Invalid value: -1: should be at least 0; spec.colour: Unsupported value: "pink": supported values: "red"; spec.name: Required value: Required value',
  ],
  [
    'an unknown field',
    400,
    statusBody(
      400,
      'BadRequest',
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.color", duplicate field "spec.size"',
    ),
    'Invalid',
    'Widget "a" is invalid: spec.color: Unknown field: the server does not know it; spec.size: Duplicate value: the field occurs twice',
  ],
  [
    'an unknown field of a patch, whose message contains the whole object',
    422,
    statusBody(422, 'Invalid', ' "" is invalid: patch: …', {
      causes: [
        {
          reason: 'FieldValueInvalid',
          message: `Invalid value: "{\\"data\\":\\"${'x'.repeat(5_000)}\\"}": strict decoding error: unknown field "spec.color"`,
          field: 'patch',
        },
      ],
    }),
    'Invalid',
    'Widget "a" is invalid: spec.color: Unknown field: the server does not know it',
  ],
  [
    'a wrong type in an apply',
    500,
    statusBody(
      500,
      '',
      'failed to create typed patch object (/s; example.io/v1, Kind=Widget): .metadata.finalizers: expected list, got &{x}',
    ),
    'Invalid',
    'Widget "a" is invalid: metadata.finalizers: Invalid value: expected list, got &{x}',
  ],
  [
    'wrong credentials',
    401,
    statusBody(401, 'Unauthorized', 'Unauthorized'),
    'Unauthorized',
    'https://host:6443 did not accept the credentials of context "site-7" (Unauthorized)',
  ],
  [
    'a missing permission',
    403,
    statusBody(
      403,
      'Forbidden',
      'widgets.example.io is forbidden: User "nobody" cannot list resource "widgets"',
      details,
    ),
    'Forbidden',
    'widgets.example.io is forbidden: User "nobody" cannot list resource "widgets"',
  ],
  [
    'an old version of a watch',
    410,
    statusBody(410, 'Expired', 'too old resource version: 2 (200)'),
    'Expired',
    'too old resource version: 2 (200)',
  ],
  [
    'a body over the limit',
    413,
    statusBody(413, 'RequestEntityTooLarge', 'Request entity too large: limit is 3145728'),
    'TooLarge',
    `the body of ${context.what} is 4000100 bytes, over the limit of 3145728`,
  ],
  [
    'an object over the limit of etcd',
    500,
    statusBody(
      500,
      '',
      'rpc error: code = ResourceExhausted desc = trying to send message larger than max (2500331 vs. 2097152)',
    ),
    'TooLarge',
    `the body of ${context.what} is 4000100 bytes, over the limit of 1572864`,
  ],
  [
    'a version of the future',
    504,
    statusBody(504, 'Timeout', 'Timeout: Too large resource version: 99999999, current: 204'),
    'Timeout',
    `${context.what} did not respond within 30000 ms`,
  ],
  [
    'a busy server',
    429,
    statusBody(429, 'TooManyRequests', 'Too many requests, please try again later.'),
    'Unavailable',
    'https://host:6443 is unavailable: Too many requests, please try again later.',
  ],
  [
    'a proxy without a server',
    503,
    undefined,
    'Unavailable',
    'https://host:6443 is unavailable: the server answered 503',
  ],
  [
    'an unsupported selector',
    400,
    statusBody(400, 'BadRequest', 'field label not supported: spec.parts'),
    'BadRequest',
    'field label not supported: spec.parts',
  ],
  [
    'an unknown method',
    405,
    statusBody(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource'),
    'BadRequest',
    `${context.what}: the server does not allow this method on the requested resource`,
  ],
  [
    'something new',
    418,
    statusBody(418, 'Teapot', 'short and stout'),
    'Rejected',
    `${context.what} was rejected: short and stout`,
  ],
];

describe('a response of the server', () => {
  it.each(responses)('(%s) becomes an error of the catalogue', (_, code, body, error, message) => {
    const found = errorOf(code, body, context);
    expect([found.code, found.message]).toEqual([error, message]);
  });

  it('names the fields and their managers in a conflict of an apply', () => {
    const causes = [{ reason: 'FieldManagerConflict', message: 'conflict with "k\\"x" using v1', field: '.spec.a' }];
    expect(errorOf(409, statusBody(409, 'Conflict', 'm', { causes }), context).details).toMatchObject({
      causes: [{ field: '.spec.a', manager: 'k"x', message: 'conflict with "k\\"x" using v1' }],
    });
  });

  it('is bounded, and shows no secret', () => {
    const { message } = errorOf(
      500,
      statusBody(500, '', `Authorization: Bearer abcdef ${'x'.repeat(10_000)}`),
      context,
    );
    expect(message.length).toBeLessThan(2_200);
    expect(message).not.toContain('abcdef');
  });

  it('may name the time until the next attempt, in a header or in its body', () => {
    const body = statusBody(429, 'TooManyRequests', 'busy', { retryAfterSeconds: 3 });
    expect([retryAfterMs('2', body), retryAfterMs(undefined, body), retryAfterMs('soon', undefined)]).toEqual([
      2_000,
      3_000,
      undefined,
    ]);
  });
});
