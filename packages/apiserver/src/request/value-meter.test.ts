import { describe, expect, it } from 'vitest';
import { bodyValuesMax, ValueMeter } from './value-meter.ts';

/** Whether the text is accepted, in one part and byte by byte. */
function accepts(text: string): boolean {
  const bytes = Buffer.from(text);
  const whole = new ValueMeter().add(bytes);
  const meter = new ValueMeter();
  let isAccepted = true;
  for (let index = 0; index < bytes.length; index++) isAccepted &&= meter.add(bytes.subarray(index, index + 1));
  expect(isAccepted).toBe(whole);
  return whole;
}

describe('ValueMeter', () => {
  it.each([
    ['a list', (count: number) => `[${Array(count).fill(0)}]`],
    ['an object', (count: number) => `{${Array.from({ length: count }, (_, n) => `"${n}":""`)}}`],
    ['lists in lists', (count: number) => `[${Array(count >> 1).fill('[]')}]`],
  ])('accepts %s of as many values as are allowed, and not one more', (_, textOf) => {
    expect(accepts(` \n${textOf(bodyValuesMax)}`)).toBe(true);
    expect(accepts(` \n${textOf(bodyValuesMax + 2)}`)).toBe(false);
  });

  it('does not count what is in strings', () => {
    const text = ',[{\\"\\\\'.repeat(bodyValuesMax);
    expect(accepts(`{"a":"${text}","b":["${text}"]}`)).toBe(true);
  });

  it('does not count what is not JSON', () => {
    expect(accepts(`data: |\n  ${'1,2,3,'.repeat(bodyValuesMax)}`)).toBe(true);
  });
});
