import { describe, expect, it } from 'vitest';
import { connectionError } from './http-errors.ts';

const link = { name: 'http://host:3001', what: 'GET /api/v1/service', isReused: false };
const failure = (code: string) => Object.assign(new Error('system words'), { code });

describe('a connection error', () => {
  it("has a description and the system's code", () => {
    expect(connectionError(failure('ENOTFOUND'), link).message).toBe(
      'http://host:3001 is unavailable: the host name is unknown (ENOTFOUND)',
    );
    expect(connectionError(failure('EWEIRD'), link).message).toContain('the connection failed (EWEIRD)');
    expect(connectionError(new Error('x'), link).message).toBe(
      'http://host:3001 is unavailable: the connection failed',
    );
    expect(connectionError(failure('EPIPE'), { ...link, isReused: true }).message).toContain('on a reused connection');
  });

  it('on several addresses of a host is described by the first', () => {
    const all = new AggregateError([failure('ECONNREFUSED'), failure('ENETUNREACH')]);
    const error = connectionError(all, link);
    expect(error.message).toContain('connection refused (ECONNREFUSED)');
    expect(error.cause).toBe(all);
  });

  it('of the HTTP parser is BadAnswer', () => {
    expect(connectionError(failure('HPE_INVALID_CONSTANT'), link).code).toBe('BadAnswer');
  });
});
