import { isApiError } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { formatImageRef, parseImageRef } from './image-ref.ts';

describe('an image reference', () => {
  it.each([
    ['nginx@1.0.0#linux', { name: 'nginx', tag: '1.0.0', os: 'linux' }],
    ['worker@latest#sylixos', { name: 'worker', tag: 'latest', os: 'sylixos' }],
    ['team/worker@1.0.0', { name: 'team/worker', tag: '1.0.0' }],
  ])('%s is read and written back', (text, parts) => {
    expect(parseImageRef(text)).toEqual(parts);
    expect(formatImageRef(parts)).toBe(text);
  });

  it.each(['', 'nginx', 'nginx@', '@1.0.0', 'nginx@1.0.0#', 'nginx#linux', 'a@b@c', 'a@b#c#d', 'a b@1', 'a@1#x y'])(
    '%j is refused',
    (text) => {
      expect(() => parseImageRef(text)).toThrow('is not a valid image reference: expected name@tag');
    },
  );

  it.each([
    { name: 'a@b', tag: '1' },
    { name: 'a', tag: '1#x' },
    { name: 'a', tag: '1', os: '' },
    { name: '', tag: '1' },
  ])('%j is not written, for it could not be read back', (parts) => {
    expect(() => formatImageRef(parts)).toThrow('is not a valid image reference');
  });

  it('is rejected with BadRequest, and truncated in the message if long', () => {
    try {
      parseImageRef('x'.repeat(10_000));
      expect.unreachable();
    } catch (error) {
      expect(isApiError(error, 'BadRequest') && error.message.length < 300).toBe(true);
    }
  });
});
