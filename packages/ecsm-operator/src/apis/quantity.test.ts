import { describe, expect, it } from 'vitest';
import { parseQuantity, quantityFormat } from './quantity.ts';

describe('a quantity', () => {
  it.each([
    ['1', 1],
    ['1024', 1024],
    ['1k', 1000],
    ['200M', 200_000_000],
    ['3G', 3e9],
    ['2T', 2e12],
    ['1Ki', 1024],
    ['512Mi', 536_870_912],
    ['1Gi', 1_073_741_824],
    ['1Ti', 1_099_511_627_776],
    ['1.5Gi', 1_610_612_736],
  ])('%s is %d bytes', (text, bytes) => {
    expect(parseQuantity(text)).toBe(bytes);
    expect(quantityFormat.check(text)).toBeUndefined();
  });

  it('is rounded up to whole bytes', () => {
    expect(parseQuantity('0.3')).toBe(1);
    expect(parseQuantity('1.0001k')).toBe(1001);
  });

  it.each([
    '',
    'Mi',
    '-1',
    '1mi',
    '1KB',
    '1 Gi',
    '1e3',
    '0x10',
    '.5Gi',
    '1.Gi',
    '１Gi',
    '99999999999999999',
    '9999999Ti',
  ])('is not "%s"', (text) => {
    expect(parseQuantity(text)).toBeUndefined();
    expect(quantityFormat.check(text)).toMatch(/must be a quantity such as 512Mi/);
  });

  it('is greater than 0', () => {
    expect(quantityFormat.check('0')).toBe('must be greater than 0');
    expect(quantityFormat.check('0.0Gi')).toBe('must be greater than 0');
  });
});
