import { describe, expect, it } from 'vitest';
import {
  checkDnsLabel,
  checkDnsSubdomain,
  checkLabelValue,
  checkMicroTimestamp,
  checkQualifiedName,
  checkTimestamp,
} from './names.ts';

const long = (length: number) => 'a'.repeat(length);

describe('names', () => {
  it.each([
    [
      'DNS label',
      checkDnsLabel,
      ['a', '1', 'my-name', '123-abc', long(63)],
      ['', 'A', '-a', 'a-', 'a.b', 'a_b', 'é', long(64), 'a\n'],
    ],
    [
      'DNS subdomain',
      checkDnsSubdomain,
      ['a', 'a.b', 'ecsm.sh', `${long(63)}.${long(63)}`],
      ['', '.a', 'a.', 'a..b', 'A.b', long(254)],
    ],
    [
      'qualified name',
      checkQualifiedName,
      ['a', 'MyName', 'my.name', 'a_b', 'example.com/x', `example.com/${long(63)}`],
      ['', '/x', 'x/', 'a/b/c', 'Example.com/x', '_a', 'a-', long(64), `${long(254)}/a`, 'example.com/_'],
    ],
    ['label value', checkLabelValue, ['', 'a', 'A.b_c-d', long(63)], ['-a', 'a-', 'a b', 'a/b', long(64)]],
    [
      'timestamp',
      checkTimestamp,
      ['2026-02-03T04:05:06Z', '2026-02-03T04:05:06.123Z', '2024-02-29T00:00:00+08:00', '2000-02-29T00:00:00Z'],
      [
        '',
        '2026-02-03',
        '2026-02-03 04:05:06Z',
        '2026-13-01T00:00:00Z',
        '2026-04-31T00:00:00Z',
        '2025-02-29T00:00:00Z',
        '1900-02-29T00:00:00Z',
        '2026-02-03T24:00:00Z',
      ],
    ],
    [
      'timestamp with microseconds',
      checkMicroTimestamp,
      ['2026-02-03T04:05:06.000000Z', '2024-02-29T00:00:00.123456+08:00'],
      [
        '2026-02-03T04:05:06Z',
        '2026-02-03T04:05:06.123Z',
        '2026-02-03T04:05:06.1234567Z',
        '2025-02-29T00:00:00.000000Z',
      ],
    ],
  ] as const)('%s', (_name, check, good, bad) => {
    expect(good.filter((value) => check(value) !== undefined)).toEqual([]);
    expect(bad.filter((value) => check(value) === undefined)).toEqual([]);
  });

  it('are refused with the messages of Kubernetes', () => {
    expect(checkDnsLabel('A')).toContain(
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'",
    );
    expect(checkQualifiedName('/x')).toBe('prefix part must be non-empty');
    expect(checkQualifiedName('x/')).toBe('name part must be non-empty');
    expect(checkQualifiedName('A/x')).toContain('prefix part a lowercase RFC 1123 subdomain');
    expect(checkLabelValue('-')).toContain(
      'a valid label must be an empty string or consist of alphanumeric characters',
    );
  });
});
