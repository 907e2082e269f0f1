import { describe, expect, it } from 'vitest';
import { connectionErrorCode, describeConnectionError } from './connection-error.ts';

const withCode = (code: string) => Object.assign(new Error('failed'), { code });

describe('the code of a connection error', () => {
  it.each([
    ['an error with a code', withCode('ECONNREFUSED'), 'ECONNREFUSED'],
    ['several addresses', new AggregateError([withCode('ENETUNREACH'), withCode('ECONNREFUSED')]), 'ENETUNREACH'],
    ['no address', new AggregateError([]), ''],
    ['an error without a code', new Error('failed'), ''],
  ])('is found for %s', (_, error, code) => {
    expect(connectionErrorCode(error)).toBe(code);
  });
});

it('describes a known code, and says of an unknown one only that the connection failed', () => {
  expect(describeConnectionError('ENOTFOUND')).toBe('the host name is unknown');
  expect(describeConnectionError('EWHATEVER')).toBe('the connection failed');
});
