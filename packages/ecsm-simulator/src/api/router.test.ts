import { expect, test } from 'vitest';
import type { Route } from './route.ts';
import { Router, segmentsOf } from './router.ts';

const route = (method: Route['method'], path: string): Route => ({
  method,
  path,
  section: '0',
  mark: 'GUESS',
  handle: () => null,
});

const find = (router: Router, method: string, path: string) => {
  const match = router.match(method, segmentsOf(path));
  if (match.kind !== 'found') return match;
  return { path: match.route.path, parameters: Object.fromEntries(match.parameters) };
};

test('a literal segment wins over a parameter, whichever was added first', () => {
  for (const paths of [
    ['/service/:id', '/service/summary'],
    ['/service/summary', '/service/:id'],
  ]) {
    const router = new Router(paths.map((path) => route('GET', path)));
    expect(find(router, 'GET', '/service/summary')).toEqual({ path: '/service/summary', parameters: {} });
    expect(find(router, 'GET', '/service/7')).toEqual({ path: '/service/:id', parameters: { id: '7' } });
  }
});

test('a parameter is used if a literal matches no further', () => {
  const router = new Router([route('GET', '/service/record/all'), route('POST', '/service/:action/ids')]);
  expect(find(router, 'POST', '/service/record/ids')).toEqual({
    path: '/service/:action/ids',
    parameters: { action: 'record' },
  });
});

test('a parameter is used if a literal has only other methods', () => {
  const router = new Router([route('GET', '/service/path'), route('DELETE', '/service/:id')]);
  expect(find(router, 'DELETE', '/service/path')).toEqual({ path: '/service/:id', parameters: { id: 'path' } });
});

test('the methods of a path are listed for another one', () => {
  const router = new Router([route('PUT', '/node'), route('GET', '/node'), route('GET', '/node/:id')]);
  expect(find(router, 'PATCH', '/node')).toEqual({ kind: 'wrongMethod', allowed: ['GET', 'PUT'] });
  expect(find(router, 'PUT', '/node/7')).toEqual({ kind: 'wrongMethod', allowed: ['GET'] });
});

test('unknown paths, longer ones and empty segments are not found', () => {
  const router = new Router([route('GET', '/node/:id')]);
  for (const path of ['/', '/nodes', '/node/7/8', '/node//', '/node', '//7', '']) {
    expect(find(router, 'GET', path), path).toEqual({ kind: 'unknown' });
  }
});

test('a trailing slash is ignored', () => {
  expect(find(new Router([route('GET', '/node/:id')]), 'GET', '/node/7/')).toMatchObject({ parameters: { id: '7' } });
});

test('two routes of the same method and path are rejected', () => {
  expect(() => new Router([route('GET', '/a/:b'), route('GET', '/a/:c')])).toThrow('GET /a/:c is defined twice');
});
