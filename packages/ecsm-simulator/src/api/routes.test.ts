import { expect, test } from 'vitest';
import { segmentsOf } from './router.ts';
import { router, routes } from './routes.ts';

test('routes without a source are marked as a guess, the others name their sources', () => {
  expect(routes.filter(({ mark }) => mark === 'GUESS').map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /transaction/:id',
    'DELETE /registry/:registryId/image/:imageId',
    'GET /overview/platform/service-view/:id',
  ]);
  const known = /^(DOC|GO|FORK|DAYU|FT|CTRL|TOOL)(, (DOC|GO|FORK|DAYU|FT|CTRL|TOOL))*$/;
  for (const { mark, path } of routes) if (mark !== 'GUESS') expect(mark, path).toMatch(known);
});

test('no route hides another one', () => {
  for (const { method, path } of routes) {
    const match = router.match(method, segmentsOf(path.replaceAll(/:(\w+)/g, 'some-$1')));
    expect(match.kind === 'found' && match.route.path, `${method} ${path}`).toBe(path);
  }
});
