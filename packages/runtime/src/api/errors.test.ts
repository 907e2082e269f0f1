import { describe, expect, it } from 'vitest';
import { ApiError, catalogue, type ErrorCode, type ErrorDetails, formatFieldError, isApiError } from './errors.ts';

const object = { kind: 'Widget', name: 'a' };
const examples: { [C in ErrorCode]: [details: ErrorDetails[C], message: string] } = {
  NotFound: [object, 'Widget "a" not found'],
  AlreadyExists: [object, 'Widget "a" already exists'],
  Conflict: [{ ...object, reason: 'it changed' }, 'Widget "a": it changed'],
  Invalid: [
    {
      ...object,
      errors: [
        { path: 'spec.x', type: 'Required value', message: 'must be set' },
        { path: '', type: 'Forbidden', message: 'no' },
      ],
    },
    'Widget "a" is invalid: spec.x: Required value: must be set; Forbidden: no',
  ],
  BadRequest: [{ reason: 'what?' }, 'what?'],
  Malformed: [{ position: { file: 'f', line: 2, column: 3 }, reason: 'odd' }, 'f:2:3: odd'],
  Expired: [{ reason: 'too old' }, 'too old'],
  Unauthorized: [{ reason: 'no' }, 'no'],
  Forbidden: [{ reason: 'no' }, 'no'],
  Fenced: [{ fence: 'leader', epoch: 4 }, 'epoch 4 of fence "leader" is over: another leader has taken over'],
  TooLarge: [{ what: 'f', sizeBytes: 2, limitBytes: 1 }, 'f is 2 bytes, over the limit of 1'],
  Unavailable: [{ what: 'etcd', reason: 'gone' }, 'etcd is unavailable: gone'],
  Timeout: [{ what: 'etcd', timeoutMs: 5 }, 'etcd did not respond within 5 ms'],
  Rejected: [{ what: 'POST /service', reason: 'no (code 31099)' }, 'POST /service was rejected: no (code 31099)'],
  BadAnswer: [{ what: 'GET /service', reason: 'it is HTML' }, 'unexpected response from GET /service: it is HTML'],
  StorageFull: [{ what: '/r', reason: 'ENOSPC' }, 'no space left for /r: ENOSPC'],
  ReadOnly: [{ what: '/r', reason: 'EROFS' }, '/r cannot be written: EROFS'],
  Corrupt: [{ what: '/r/a', reason: 'cut short' }, '/r/a is damaged: cut short'],
  Closed: [{ what: 'the store' }, 'the store is closed'],
  Internal: [{ reason: 'impossible' }, 'internal error: impossible'],
};

describe('the error catalogue', () => {
  it('has a message, a retry class and a status for every error', () => {
    const made = <C extends ErrorCode>(code: C) => new ApiError(code, examples[code][0]);
    for (const code of Object.keys(catalogue) as ErrorCode[]) {
      const error = made(code);
      expect(error.message).toBe(examples[code][1]);
      expect([error.code, error.retry, error.status]).toEqual([code, catalogue[code].retry, catalogue[code].status]);
    }
  });

  it('distinguishes its errors from others, and one code from another', () => {
    const cause = new Error('why');
    const error: unknown = new ApiError('NotFound', object, cause);
    expect(isApiError(error)).toBe(true);
    expect(isApiError(error, 'NotFound')).toBe(true);
    expect(isApiError(error, 'Conflict')).toBe(false);
    expect(isApiError(cause)).toBe(false);
    expect(isApiError({ code: 'NotFound' })).toBe(false);
    expect((error as Error).cause).toBe(cause);
    expect(new ApiError('Closed', { what: 'x' })).not.toHaveProperty('cause');
  });

  it('recognizes errors of a second copy of this module', async () => {
    const url = './errors.ts?second-copy';
    const copy: typeof import('./errors.ts') = await import(url);
    const error = new copy.ApiError('NotFound', object);
    expect(error).not.toBeInstanceOf(ApiError);
    expect(isApiError(error, 'NotFound')).toBe(true);
  });

  it('names the field of a field error, unless it is the whole object', () => {
    expect(formatFieldError({ path: 'a.b', type: 'Too many', message: '3' })).toBe('a.b: Too many: 3');
    expect(formatFieldError({ path: '', type: 'Too many', message: '3' })).toBe('Too many: 3');
  });
});
