import { ApiError, catalogue, KindSet } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import {
  HttpError,
  methodNotAllowed,
  namespaceTerminating,
  resourceVersionTooLarge,
  tooManyRequests,
  unauthorized,
} from './http-error.ts';
import { statusOf, successStatus } from './status.ts';
import { Widget } from './widget.kit.ts';

const context = { group: 'example.io', resource: 'widgets', name: 'x' };

describe('statusOf', () => {
  it('reports a missing object as Kubernetes does', () => {
    expect(statusOf(new ApiError('NotFound', { kind: 'Widget', name: 'x' }), context)).toEqual({
      code: 404,
      body: {
        apiVersion: 'v1',
        kind: 'Status',
        metadata: {},
        status: 'Failure',
        message: 'widgets.example.io "x" not found',
        reason: 'NotFound',
        details: { name: 'x', group: 'example.io', kind: 'widgets' },
        code: 404,
      },
    });
  });

  it.each([
    [
      new ApiError('AlreadyExists', { kind: 'Widget', name: 'x' }),
      409,
      'AlreadyExists',
      'widgets.example.io "x" already exists',
    ],
    [
      new ApiError('Conflict', {
        kind: 'Widget',
        name: 'x',
        reason: 'the object has been modified; read it again and repeat the change',
      }),
      409,
      'Conflict',
      'Operation cannot be fulfilled on widgets.example.io "x": the object has been modified; please apply your changes to the latest version and try again',
    ],
    [
      new ApiError('Conflict', { kind: 'Widget', name: 'x', reason: 'the uid differs' }),
      409,
      'Conflict',
      'Operation cannot be fulfilled on widgets.example.io "x": the uid differs',
    ],
    [new ApiError('Forbidden', { reason: 'no' }), 403, 'Forbidden', 'widgets.example.io "x" is forbidden: no'],
    [new ApiError('BadRequest', { reason: 'bad' }), 400, 'BadRequest', 'bad'],
    [
      new ApiError('Malformed', { position: { file: 'body', line: 1, column: 2 }, reason: 'bad' }),
      400,
      'BadRequest',
      'body:1:2: bad',
    ],
    [
      new ApiError('Expired', { reason: 'too old resource version: 1 (5)' }),
      410,
      'Expired',
      'too old resource version: 1 (5)',
    ],
    [
      new ApiError('TooLarge', { what: 'the object', sizeBytes: 5, limitBytes: 4 }),
      413,
      'RequestEntityTooLarge',
      'Request entity too large: the object is 5 bytes, over the limit of 4',
    ],
    [unauthorized(), 401, 'Unauthorized', 'Unauthorized'],
    [
      new ApiError('Unauthorized', { reason: 'the bearer token is revoked' }),
      401,
      'Unauthorized',
      'the bearer token is revoked',
    ],
    [
      methodNotAllowed(context, 'create'),
      405,
      'MethodNotAllowed',
      'create is not supported on resources of kind "widgets.example.io"',
    ],
  ])('reports %s', (error, code, reason, message) => {
    expect(statusOf(error, context)).toMatchObject({ code, body: { code, reason, message, status: 'Failure' } });
  });

  it('names a core resource without a group', () => {
    const { body } = statusOf(new ApiError('NotFound', { kind: 'ConfigMap', name: 'x' }), {
      group: '',
      resource: 'configmaps',
    });
    expect(body).toMatchObject({ message: 'configmaps "x" not found', details: { name: 'x', kind: 'configmaps' } });
    expect(body.details).not.toHaveProperty('group');
  });

  it('names the resource of another kind than the requested one', () => {
    const error = new ApiError('NotFound', { kind: 'Widget', name: 'x' });
    const { body } = statusOf(error, { group: '', resource: 'pods', kinds: new KindSet([Widget]) });
    expect(body.message).toBe('widgets.example.io "x" not found');
  });

  it('reports one invalid field with its cause', () => {
    const errors = [{ path: 'spec.replicas', type: 'Invalid value', message: '-1: must be positive' } as const];
    expect(statusOf(new ApiError('Invalid', { kind: 'Widget', name: 'x', errors }), context).body).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'Widget.example.io "x" is invalid: spec.replicas: Invalid value: -1: must be positive',
      details: {
        name: 'x',
        group: 'example.io',
        kind: 'Widget',
        causes: [
          { reason: 'FieldValueInvalid', message: 'Invalid value: -1: must be positive', field: 'spec.replicas' },
        ],
      },
    });
  });

  it('lists several invalid fields', () => {
    const errors = [
      { path: 'spec.image', type: 'Required value', message: 'must be set' },
      { path: 'spec.type', type: 'Unsupported value', message: '"a"' },
    ] as const;
    const { body } = statusOf(new ApiError('Invalid', { kind: 'Widget', name: 'x', errors }), context);
    expect(body.message).toBe(
      'Widget.example.io "x" is invalid: [spec.image: Required value: must be set, spec.type: Unsupported value: "a"]',
    );
    expect(body.details?.causes?.map(({ reason }) => reason)).toEqual(['FieldValueRequired', 'FieldValueNotSupported']);
  });

  it('names the owners of fields that an apply would change', () => {
    const causes = [{ field: '.spec.replicas', manager: 'hpa', message: 'conflict with "hpa"' }];
    const reason = 'Apply failed with 1 conflict: conflict with "hpa": .spec.replicas';
    const error = new ApiError('Conflict', { kind: 'Widget', name: 'x', reason, causes });
    expect(statusOf(error, context).body).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: reason,
      details: {
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "hpa"', field: '.spec.replicas' }],
      },
    });
  });

  it('separates the group from the kind of options', () => {
    const error = new ApiError('Invalid', { kind: 'ListOptions.meta.k8s.io', name: '', errors: [] });
    const { body } = statusOf(error, context);
    expect(body.message).toBe('ListOptions.meta.k8s.io "" is invalid');
    expect(body.details).toEqual({ group: 'meta.k8s.io', kind: 'ListOptions' });
  });

  it.each([
    ['an Error', new Error('password at 10.0.0.1')],
    ['a TypeError', new TypeError('password at 10.0.0.1')],
    ['anything', { message: 'password at 10.0.0.1' }],
    ['undefined', undefined],
    ['Internal', new ApiError('Internal', { reason: 'password at 10.0.0.1' })],
    ['Corrupt', new ApiError('Corrupt', { what: 'password', reason: '10.0.0.1' })],
  ])('answers 500 to %s without its details', (_, error) => {
    const { code, body } = statusOf(error, context);
    expect(code).toBe(500);
    expect(body.reason).toBe('InternalError');
    expect(JSON.stringify(body)).not.toMatch(/password|10\.0\.0\.1/);
  });

  it.each([
    ['Unavailable', 503, 'ServiceUnavailable', 1],
    ['Timeout', 504, 'Timeout', 1],
    ['Closed', 503, 'ServiceUnavailable', 1],
    ['Fenced', 403, 'Forbidden', undefined],
    ['ReadOnly', 403, 'Forbidden', undefined],
    ['StorageFull', 507, 'InternalError', undefined],
    ['Rejected', 502, 'InternalError', undefined],
    ['BadAnswer', 502, 'InternalError', undefined],
  ] as const)(
    'reports %s of the store without names of files and hosts',
    (errorCode, code, reason, retryAfterSeconds) => {
      const details = { what: '/var/secret', reason: '10.0.0.1', timeoutMs: 5, fence: '/var/secret', epoch: 1 };
      const { body } = statusOf(new ApiError(errorCode, details), context);
      expect(body).toMatchObject({ code, reason });
      expect(body.details?.retryAfterSeconds).toBe(retryAfterSeconds);
      expect(JSON.stringify(body)).not.toMatch(/secret|10\.0\.0\.1/);
    },
  );

  it('has the code of the catalogue for each of its errors', () => {
    for (const [code, { status }] of Object.entries(catalogue)) {
      const details = { kind: 'Widget', name: 'x', reason: 'r', errors: [], what: 'w', position: {} };
      // The details of one code are those of another one with more fields; only the code counts here.
      const error = Object.assign(new ApiError('NotFound', details), { code, details, status });
      expect(statusOf(error, context).code, code).toBe(status);
    }
  });

  it('keeps the details of an HttpError', () => {
    expect(statusOf(tooManyRequests('too many requests', 3)).body).toMatchObject({
      code: 429,
      reason: 'TooManyRequests',
      details: { retryAfterSeconds: 3 },
    });
    expect(statusOf(resourceVersionTooLarge('9', '5')).body).toMatchObject({
      code: 504,
      reason: 'Timeout',
      message: 'Timeout: Too large resource version: 9, current: 5',
      details: { retryAfterSeconds: 1, causes: [{ reason: 'ResourceVersionTooLarge' }] },
    });
    expect(statusOf(namespaceTerminating(context, 'x', 'old')).body).toMatchObject({
      code: 403,
      message:
        'widgets.example.io "x" is forbidden: unable to create new content in namespace old because it is being terminated',
      details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
    });
    expect(statusOf(new HttpError(418, 'Teapot', 'no')).body).not.toHaveProperty('details');
  });
});

describe('successStatus', () => {
  it('answers a deletion', () => {
    expect(successStatus({ name: 'x', group: 'example.io', kind: 'widgets', uid: 'u' })).toEqual({
      apiVersion: 'v1',
      kind: 'Status',
      metadata: {},
      status: 'Success',
      details: { name: 'x', group: 'example.io', kind: 'widgets', uid: 'u' },
      code: 200,
    });
  });
});
