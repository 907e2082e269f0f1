import { expect, test } from 'vitest';
import { Router, segmentsOf } from './router.ts';
import { routes } from './routes.ts';

/** Sections 2 to 10 of the reference, and the guesses that it names. */
const reference = {
  '2.1': ['POST /service'],
  '2.2': ['GET /service'],
  '2.3': ['GET /service/:id'],
  '2.4': ['PUT /service'],
  '2.5': ['DELETE /service/:id'],
  '2.6': ['POST /service/:action/ids'],
  '2.7': ['POST /service/:action/path-label'],
  '2.8': ['POST /service/:action/templates-ids', 'POST /service/:action/templates-path-label'],
  '2.9': ['DELETE /service/path'],
  '2.10': ['PUT /service/deployment/restart'],
  '2.11': ['PUT /service/rollback'],
  '2.12': ['GET /service/name/check'],
  '2.13': ['GET /service/summary'],
  '2.14': ['PUT /service/container'],
  '3': ['DELETE /service/record', 'GET /service/record', 'GET /service/record/:id'],
  '4.1': ['GET /container/:id'],
  '4.2': ['GET /container/node', 'GET /container/service'],
  '4.3': ['PUT /container'],
  '4.4': ['GET /container/action/history'],
  '5': ['GET /transaction/:id'],
  '6': [
    'DELETE /node',
    'GET /node',
    'GET /node/:id',
    'GET /node/address/check',
    'GET /node/name/:name',
    'GET /node/name/check',
    'GET /node/status',
    'GET /node/type/check',
    'POST /node',
    'PUT /node',
    'PUT /node/type',
  ],
  '8': [
    'DELETE /registry/:registryId/image/:imageId',
    'GET /image',
    'GET /image/config',
    'GET /image/count',
    'GET /image/summary',
    'GET /image/sync/:syncId',
    'GET /image/tagDetail',
    'GET /image/tags',
    'GET /image/upload/:uploadId',
    'GET /registry/:registryId/image/:imageId',
    'GET /registry/address/check',
    'POST /image',
    'POST /image/hash/check',
    'POST /image/sync',
  ],
  '9.1': [
    'DELETE /provision-template/path-label',
    'DELETE /provision-template/path-label/:id',
    'GET /provision-template/:id',
    'GET /provision-template/path-label',
    'GET /provision-template/path-label/search',
    'GET /provision-template/path-label/tree',
    'POST /provision-template/path-label/folder',
    'POST /provision-template/path-label/service/batch',
    'PUT /provision-template/path-label/move',
    'PUT /provision-templates',
    'PUT /provision-templates/:id',
    'PUT /provision-templates/images',
  ],
  '9.2': ['DELETE /configmap/:id', 'GET /configmap', 'GET /configmap/key', 'POST /configmap', 'PUT /configmap'],
  '9.3': ['GET /micro-service', 'GET /micro-service/:id', 'GET /micro-service/instance', 'PUT /micro-service'],
  '10': ['GET /overview/node', 'GET /overview/platform/node-view/:nodeId', 'GET /overview/platform/service-view/:id'],
};

test('every call of the reference is there, under its section', () => {
  const sections = [...new Set(routes.map(({ section }) => section))];
  const callsOf = (section: string) =>
    routes.filter((route) => route.section === section).map(({ method, path }) => `${method} ${path}`);
  expect(Object.fromEntries(sections.map((section) => [section, callsOf(section).sort()]))).toEqual(reference);
});

test('what nobody has seen is marked as a guess, and everything else says where it was seen', () => {
  expect(routes.filter(({ mark }) => mark === 'GUESS').map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /transaction/:id',
    'DELETE /registry/:registryId/image/:imageId',
    'GET /overview/platform/service-view/:id',
  ]);
  const known = /^(DOC|GO|FORK|DAYU|FT|CTRL|TOOL)(, (DOC|GO|FORK|DAYU|FT|CTRL|TOOL))*$/;
  for (const { mark, path } of routes) if (mark !== 'GUESS') expect(mark, path).toMatch(known);
});

test('no route hides another one', () => {
  const router = new Router(routes);
  for (const { method, path } of routes) {
    const match = router.match(method, segmentsOf(path.replaceAll(/:(\w+)/g, 'some-$1')));
    expect(match.kind === 'found' && match.route.path, `${method} ${path}`).toBe(path);
  }
});
