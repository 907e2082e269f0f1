import { expect, it } from 'vitest';
import { bytesQuantity, kibibytesQuantity, nanocoresQuantity } from './quantity.ts';

it.each([
  [0, '0'],
  [1023, '1023'],
  [1024, '1Ki'],
  [1536, '1536'],
  [512 * 2 ** 20, '512Mi'],
  [3 * 2 ** 30, '3Gi'],
  [2 ** 30 + 2 ** 10, '1048577Ki'],
  [0.4, '0'],
])('writes %d bytes as %s', (bytes, text) => {
  expect(bytesQuantity(bytes)).toBe(text);
});

it('rounds down to kibibytes', () => {
  expect(kibibytesQuantity(2047.9)).toBe('1Ki');
});

it('writes cores in nanocores', () => {
  expect([nanocoresQuantity(0), nanocoresQuantity(0.25), nanocoresQuantity(1 / 3)]).toEqual([
    '0n',
    '250000000n',
    '333333333n',
  ]);
});
