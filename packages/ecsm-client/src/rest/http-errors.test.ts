import { describe, expect, it } from 'vitest';
import { connectionError } from './http-errors.ts';

const link = { name: 'http://host:3001', what: 'GET /api/v1/service', isReused: false };
const failure = (code: string) => Object.assign(new Error('system words'), { code });

describe('a failure of the system', () => {
  it('is told in a sentence, with its code', () => {
    expect(connectionError(failure('ENOTFOUND'), link).message).toBe(
      'http://host:3001 is unavailable: the host name is unknown (ENOTFOUND)',
    );
    expect(connectionError(failure('EWEIRD'), link).message).toContain('the connection failed (EWEIRD)');
    expect(connectionError(new Error('x'), link).message).toBe(
      'http://host:3001 is unavailable: the connection failed',
    );
    expect(connectionError(failure('EPIPE'), { ...link, isReused: true }).message).toContain(
      'kept from an earlier call',
    );
  });

  it('on several addresses of a host is told by the first', () => {
    const all = new AggregateError([failure('ECONNREFUSED'), failure('ENETUNREACH')]);
    const error = connectionError(all, link);
    expect(error.message).toContain('connection refused (ECONNREFUSED)');
    expect(error.cause).toBe(all);
  });

  it('of the HTTP parser is an answer that makes no sense', () => {
    expect(connectionError(failure('HPE_INVALID_CONSTANT'), link).code).toBe('BadAnswer');
  });
});
