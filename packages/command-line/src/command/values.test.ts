import { describe, expect, it } from 'vitest';
import { UsageError } from './errors.ts';
import { addressOf, httpHeadersOf, httpUrlOf, secondsOf, wholeNumberOf } from './values.ts';

describe('values', () => {
  it('are numbers within their limits', () => {
    expect(wholeNumberOf('64', '--workers', 1, 64)).toBe(64);
    expect(secondsOf('2.5', '--observe-seconds', 1, 3600)).toBe(2_500);
    for (const text of ['', '0', '65', '1e1', '-1', '2.5']) {
      expect(() => wholeNumberOf(text, '--workers', 1, 64)).toThrow(
        `--workers has to be a whole number from 1 to 64, not "${text}"`,
      );
    }
    for (const text of ['0.9', '3600.1', '1e3', '1.0001']) {
      expect(() => secondsOf(text, 'ECSM_SECONDS', 1, 3600)).toThrow(
        `ECSM_SECONDS has to be a number of seconds from 1 to 3600, not "${text}"`,
      );
    }
  });

  it('are addresses', () => {
    expect(addressOf('localhost:0', '--listen')).toEqual({ host: 'localhost', port: 0 });
    expect(addressOf('[::1]:65535', '--listen')).toEqual({ host: '::1', port: 65_535 });
    for (const text of ['3001', 'a:b', 'a:65536', '::1:3001']) {
      expect(() => addressOf(text, '--listen', 'off')).toThrow(/^--listen has to be HOST:PORT, .*, or off, not "/);
    }
  });

  it('are URLs without user, query and fragment, and no message shows a password', () => {
    expect(httpUrlOf('https://site/x', '--ecsm').protocol).toBe('https:');
    for (const text of ['127.0.0.1:3001', 'ftp://site', 'http://site?a=1', 'http://site#x']) {
      expect(() => httpUrlOf(text, '--ecsm')).toThrow('--ecsm has to be a URL such as http://127.0.0.1:3001');
    }
    expect(() => httpUrlOf('http://root:hunter2@site', '--ecsm')).toThrow(
      /^--ecsm must not hold a user or password: send them with --header$/,
    );
  });

  it('are headers with names in lower case, and no message shows a value', () => {
    expect(httpHeadersOf(['X-One:1', 'Authorization: Bearer a b '], '--header')).toEqual({
      'x-one': '1',
      authorization: 'Bearer a b',
    });
    for (const texts of [['hunter2'], ['Host: hunter2'], ['A: hunter2', 'a: hunter2'], ['A: hunter2\n']]) {
      const read = () => httpHeadersOf(texts, '--header');
      expect(read).toThrow(UsageError);
      expect(read).not.toThrow(/hunter2/);
    }
  });
});
