import { describe, expect, it } from 'vitest';
import { imageFormat, osOf, parseImage } from './image.ts';

describe('an image reference', () => {
  it.each([
    ['telemetry@1.2.0', { name: 'telemetry', tag: '1.2.0' }],
    ['telemetry@1.2.0#sylixos', { name: 'telemetry', tag: '1.2.0', os: 'sylixos' }],
    ['site/base/nginx@latest#linux', { name: 'site/base/nginx', tag: 'latest', os: 'linux' }],
    ['a@1.0.0-rc.1+7', { name: 'a', tag: '1.0.0-rc.1+7' }],
  ])('%s is read in parts', (text, parts) => {
    expect(parseImage(text)).toEqual(parts);
    expect(imageFormat.check(text)).toBeUndefined();
  });

  it.each([
    '',
    'telemetry',
    'telemetry:1.0',
    '@1.0',
    'a@',
    'a@1#',
    'a@1#Linux',
    'a b@1',
    'a@1 ',
    'a@1@2',
    'a@1#x#y',
    '-a@1',
  ])('is not "%s"', (text) => {
    expect(parseImage(text)).toBeUndefined();
    expect(imageFormat.check(text)).toMatch(/must be an image such as telemetry@1.2.0/);
  });
});

describe('an image for an operating system without nodes', () => {
  it('is refused', () => {
    expect(imageFormat.check('a@1#windows')).toBe(
      'must be for sylixos or linux, such as telemetry@1.2.0#sylixos, not for "windows"',
    );
  });
});

describe('the operating system of a template', () => {
  it('is that of the image, else of the template, else SylixOS', () => {
    const onLinux = { platform: { os: 'linux' } };
    expect(osOf({ image: 'a@1#sylixos', platformSpecific: onLinux })).toBe('sylixos');
    expect(osOf({ image: 'a@1', platformSpecific: onLinux })).toBe('linux');
    expect(osOf({ image: 'a@1', platformSpecific: { platform: {} } })).toBe('sylixos');
    expect(osOf({ image: 'a@1', platformSpecific: {} })).toBe('sylixos');
  });
});
