import { displayWidth } from '@ecsm/command-line';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bar } from './bar.ts';

it.each([
  [0, '    '],
  [0.0001, '▏   '],
  [1 / 32, '▏   '],
  [0.25, '█   '],
  [0.3, '█▎  '],
  [0.5, '██  '],
  [0.97, '███▉'],
  [0.9999, '███▉'],
  [1, '████'],
  [3, '████'],
  [-1, '    '],
  [Number.NaN, '    '],
])('draws %d in four columns as %j', (fraction, text) => {
  expect(bar(fraction, 4)).toBe(text);
});

it.each([
  [0, '          '],
  [0.01, '#         '],
  [0.42, '####      '],
  [0.99, '######### '],
  [1, '##########'],
])('draws %d in ten columns of ASCII as %j', (fraction, text) => {
  expect(bar(fraction, 10, { ascii: true })).toBe(text);
});

it('has the given width, and never shrinks when the fraction grows', () => {
  const fraction = fc.double({ min: -1, max: 2, noNaN: true });
  fc.assert(
    fc.property(fraction, fraction, fc.integer({ min: 0, max: 80 }), fc.boolean(), (one, other, columns, ascii) => {
      const [less, more] = [
        bar(Math.min(one, other), columns, { ascii }),
        bar(Math.max(one, other), columns, { ascii }),
      ];
      expect([displayWidth(less), displayWidth(more)]).toEqual([columns, columns]);
      expect(more.trimEnd().length).toBeGreaterThanOrEqual(less.trimEnd().length);
    }),
  );
});
