import { describe, expect, it } from 'vitest';
import { formatImageRef, isLargerVersion, parseImageRef } from './image-ref.ts';

describe('a reference of an image', () => {
  it('has a name, a tag and mostly an operating system', () => {
    expect(parseImageRef('worker@1.0.0#sylixos')).toEqual({ name: 'worker', tag: '1.0.0', os: 'sylixos' });
    expect(parseImageRef('library/nginx@latest')).toEqual({ name: 'library/nginx', tag: 'latest' });
    expect(formatImageRef({ name: 'a', tag: 'b', os: 'linux' })).toBe('a@b#linux');
  });

  it.each(['', 'worker', 'worker@', '@1#linux', 'a@b@c', 'a@b#', 'a b@1', 'a@b#c#d'])('is not "%s"', (ref) => {
    expect(parseImageRef(ref)).toBeUndefined();
  });
});

describe('a version', () => {
  it.each([
    ['1.0.1', '1.0.0'],
    ['1.10.0', '1.9.9'],
    ['2.0.0', '1.99.99'],
    ['v2', '1.9'],
    ['1.0.0', '1.0.0-rc.1'],
    ['1.0.0-rc.2', '1.0.0-rc.1'],
    ['1.0.0-rc.10', '1.0.0-rc.9'],
    ['1.0.0-rc.1', '1.0.0-beta'],
    ['1.0.0-alpha.1', '1.0.0-alpha'],
    ['1.0.0-alpha', '1.0.0-1'],
  ])('%s is larger than %s, and not the other way round', (larger, smaller) => {
    expect([isLargerVersion(larger, smaller), isLargerVersion(smaller, larger)]).toEqual([true, false]);
  });

  it.each([
    ['1.0.0', '1.0.0'],
    ['1.0.0+build.2', '1.0.0+build.1'],
    ['latest', '1.0.0'],
    ['1.0.0', 'latest'],
  ])('%s is not larger than %s', (tag, than) => {
    expect(isLargerVersion(tag, than)).toBe(false);
  });
});
