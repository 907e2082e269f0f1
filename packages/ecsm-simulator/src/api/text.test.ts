import { expect, test } from 'vitest';
import { cleanPath } from '../platform/templates.ts';
import { defaultPullPolicy, imageNameOf, isWithin, joinPath, searchFor } from './text.ts';

test('a reference is a name, a tag and a system, each of which may be missing', () => {
  expect(imageNameOf('worker@1.0.0#sylixos')).toEqual({ name: 'worker', tag: '1.0.0', os: 'sylixos' });
  expect(imageNameOf('worker@1.0.0')).toEqual({ name: 'worker', tag: '1.0.0', os: '' });
  expect(imageNameOf('worker')).toEqual({ name: 'worker', tag: '', os: '' });
});

test('latest is pulled always, other tags only when they are absent', () => {
  expect(defaultPullPolicy('worker@latest#sylixos')).toBe('Always');
  expect(defaultPullPolicy('worker@1.0.0#sylixos')).toBe('IfNotPresent');
});

test('search finds a part in any case', () => {
  expect(searchFor('METR')('Telemetry')).toBe(true);
  expect(searchFor(undefined)('Telemetry')).toBe(true);
  expect(searchFor('x')('Telemetry')).toBe(false);
});

test('paths are the same however they are written, and contain only what lies below them', () => {
  expect([cleanPath('a/b/'), cleanPath('//a//b'), cleanPath('/'), cleanPath('')]).toEqual(['/a/b', '/a/b', '/', '/']);
  expect(joinPath('/', 'a')).toBe('/a');
  expect([isWithin('/a/b', '/a'), isWithin('/a', '/a'), isWithin('/ab', '/a'), isWithin('/x', '/')]).toEqual([
    true,
    true,
    false,
    true,
  ]);
});
