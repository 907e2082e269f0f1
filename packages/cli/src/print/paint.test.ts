import { expect, it } from 'vitest';
import { paintOf } from './paint.ts';

it('adds a start and an end code to each text', () => {
  const paint = paintOf(true);
  expect(paint.red('bad')).toBe('\u001b[31mbad\u001b[39m');
  expect(paint.bold(paint.cyan('x'))).toBe('\u001b[1m\u001b[36mx\u001b[39m\u001b[22m');
  expect([paint.dim('x'), paint.green('x'), paint.yellow('x')]).toEqual([
    '\u001b[2mx\u001b[22m',
    '\u001b[32mx\u001b[39m',
    '\u001b[33mx\u001b[39m',
  ]);
});

it('does not colour an empty text', () => {
  expect(paintOf(true).red('')).toBe('');
});

it('returns the text unchanged without colours', () => {
  const { bold, dim, red, green, yellow, cyan } = paintOf(false);
  for (const paint of [bold, dim, red, green, yellow, cyan]) expect(paint('text')).toBe('text');
});
