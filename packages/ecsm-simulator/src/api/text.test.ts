import { expect, test } from 'vitest';
import { cleanPath } from '../platform/templates.ts';
import { defaultPullPolicy, imageNameOf, isWithin, joinPath, searchFor } from './text.ts';

test('a reference is a name, a tag and a system, each of which may be missing', () => {
  expect(imageNameOf('worker@1.0.0#sylixos')).toEqual({ name: 'worker', tag: '1.0.0', os: 'sylixos' });
  expect(imageNameOf('worker@1.0.0')).toEqual({ name: 'worker', tag: '1.0.0', os: '' });
  expect(imageNameOf('worker')).toEqual({ name: 'worker', tag: '', os: '' });
});

test('latest is always pulled, other tags only if absent', () => {
  expect(defaultPullPolicy('worker@latest#sylixos')).toBe('Always');
  expect(defaultPullPolicy('worker@1.0.0#sylixos')).toBe('IfNotPresent');
});

test('search finds a part, ignoring case', () => {
  expect(searchFor('METR')('Telemetry')).toBe(true);
  expect(searchFor(undefined)('Telemetry')).toBe(true);
  expect(searchFor('x')('Telemetry')).toBe(false);
});

test('paths are equal in any notation, and contain only what is below them', () => {
  expect([cleanPath('a/b/'), cleanPath('//a//b'), cleanPath('/'), cleanPath('')]).toEqual(['/a/b', '/a/b', '/', '/']);
  expect(joinPath('/', 'a')).toBe('/a');
  expect([isWithin('/a/b', '/a'), isWithin('/a', '/a'), isWithin('/ab', '/a'), isWithin('/x', '/')]).toEqual([
    true,
    true,
    false,
    true,
  ]);
});
