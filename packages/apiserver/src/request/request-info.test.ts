import { isApiError } from '@ecsm/runtime';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HttpError } from '../response/http-error.ts';
import { requestInfo } from './request-info.ts';

function infoOf(method: string, target: string) {
  const [path = '', query = ''] = target.split('?');
  return requestInfo(method, path, new URLSearchParams(query));
}

/** A line for a table: verb, group, version, resource, namespace, name, subresource. */
function summaryOf(method: string, target: string): string {
  const info = infoOf(method, target);
  if (info.type === 'path') return `path ${info.verb} ${info.path}`;
  const { verb, group, version, resource, namespace, name, subresource } = info;
  const words = [verb, group || 'core', version, resource, namespace, name, subresource];
  return words.map((word) => word ?? '-').join(' ');
}

describe('requestInfo', () => {
  // The rows are those of the tests of Kubernetes, without proxy and the deprecated watch paths.
  it.each([
    ['GET', '/api/v1/namespaces', 'list core v1 namespaces - - -'],
    ['GET', '/api/v1/namespaces/other', 'get core v1 namespaces other other -'],
    ['PUT', '/api/v1/namespaces/other/status', 'update core v1 namespaces other other status'],
    ['PUT', '/api/v1/namespaces/other/finalize', 'update core v1 namespaces other other finalize'],
    ['GET', '/api/v1/namespaces/other/pods', 'list core v1 pods other - -'],
    ['GET', '/api/v1/namespaces/other/pods/foo', 'get core v1 pods other foo -'],
    ['HEAD', '/api/v1/namespaces/other/pods/foo', 'get core v1 pods other foo -'],
    ['GET', '/api/v1/pods', 'list core v1 pods - - -'],
    ['HEAD', '/api/v1/pods', 'list core v1 pods - - -'],
    ['HEAD', '/api/v1/pods?watch=1', 'list core v1 pods - - -'],
    ['GET', '/api/v1/pods?watch=true', 'watch core v1 pods - - -'],
    ['GET', '/api/v1/pods?watch=1', 'watch core v1 pods - - -'],
    ['GET', '/api/v1/pods?watch', 'watch core v1 pods - - -'],
    ['GET', '/api/v1/pods?watch=false', 'list core v1 pods - - -'],
    ['GET', '/api/v1/pods?watch=0', 'list core v1 pods - - -'],
    ['GET', '/api/v1/nodes/n-1?watch=true', 'get core v1 nodes - n-1 -'],
    ['POST', '/api/v1/namespaces/other/pods', 'create core v1 pods other - -'],
    ['DELETE', '/api/v1/namespaces/other/pods', 'deletecollection core v1 pods other - -'],
    ['DELETE', '/api/v1/namespaces/other/pods/foo', 'delete core v1 pods other foo -'],
    ['PATCH', '/apis/ecsm.sh/v1/namespaces/a/ecsmservices/x/scale', 'patch ecsm.sh v1 ecsmservices a x scale'],
    ['GET', '/apis/ecsm.sh/v1/ecsmservices', 'list ecsm.sh v1 ecsmservices - - -'],
    ['get', '/apis/ecsm.sh/v1/namespaces/a/ecsmservices/', 'list ecsm.sh v1 ecsmservices a - -'],
    ['GET', '/apis/ecsm.sh/v1/namespaces/a/ecsmservices/status', 'get ecsm.sh v1 ecsmservices a status -'],
    [
      'GET',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode',
      'get rbac.authorization.k8s.io v1 clusterroles - system:node -',
    ],
    ['GET', '/', 'path get /'],
    ['GET', '/api', 'path get /api'],
    ['GET', '/api/v1', 'path get /api/v1'],
    ['GET', '/api/v1/', 'path get /api/v1'],
    ['GET', '/apis', 'path get /apis'],
    ['GET', '/apis/ecsm.sh', 'path get /apis/ecsm.sh'],
    ['GET', '/apis/ecsm.sh/v1', 'path get /apis/ecsm.sh/v1'],
    ['POST', '/healthz', 'path post /healthz'],
    ['GET', '/openapi/v3/apis/ecsm.sh/v1', 'path get /openapi/v3/apis/ecsm.sh/v1'],
    ['OPTIONS', '/version', 'path options /version'],
    ['GET', '/apix/v1/pods/a', 'path get /apix/v1/pods/a'],
  ])('reads %s %s as %s', (method, target, summary) => {
    expect(summaryOf(method, target)).toBe(summary);
  });

  it.each([
    ['?fieldSelector=metadata.name%3Dfoo', 'foo'],
    ['?fieldSelector=metadata.name%3Dfoo&watch=1', 'foo'],
    ['?fieldSelector=metadata.name%3D%3Dfoo,spec.a%3Db', 'foo'],
    ['?fieldSelector=metadata.name!%3Dfoo', undefined],
    ['?fieldSelector=metadata.name%3D', undefined],
    ['?fieldSelector=%3D%3D', undefined],
    ['', undefined],
  ])('finds the name that %s selects: %s', (query, name) => {
    expect(infoOf('GET', `/api/v1/secrets${query}`)).toMatchObject({ selectedName: name, name: undefined });
  });

  it.each([
    ['/api/v1/pods/%', 'percent-encoding'],
    ['/api/v1/pods/%zz', 'percent-encoding'],
    ['/api/v1/pods/%ff', 'percent-encoding'],
    ['/api/v1//pods', '//'],
    ['//', '//'],
    ['//api/v1/pods', '//'],
    ['/api/v1/pods//', '//'],
    ['/api/v1/../pods', '..'],
    ['/api/v1/%2e%2e/pods', '..'],
    ['/api/v1/./pods', '.'],
    ['/api/v1/pods/a%2Fb', '/'],
    ['/api/v1/pods/a%00b', 'NUL'],
    ['', '/'],
    ['api/v1', '/'],
    ['*', '/'],
  ])('rejects the path %j', (path, hint) => {
    const error = caught(() => requestInfo('GET', path, new URLSearchParams()));
    expect(isApiError(error, 'BadRequest') && error.message).toContain(hint);
  });

  it('answers 405 to an unknown method on a resource', () => {
    expect(caught(() => infoOf('TRACE', '/api/v1/pods'))).toMatchObject({ code: 405, reason: 'MethodNotAllowed' });
  });

  it('answers 404 to a path below a subresource', () => {
    expect(caught(() => infoOf('GET', '/api/v1/namespaces/a/pods/b/proxy/c'))).toMatchObject({ code: 404 });
  });

  // A role in the namespace would otherwise apply to every namespace.
  it.each(['/api/v1/namespaces/a/namespaces', '/api/v1/namespaces/a/namespaces/b/status'])(
    'answers 404 to namespaces in a namespace: %s',
    (path) => {
      expect(caught(() => infoOf('GET', path))).toMatchObject({ code: 404 });
    },
  );

  it('returns a result or an error of the catalogue for any path', () => {
    const segment = fc.oneof(
      fc.constantFrom('api', 'apis', 'v1', 'namespaces', 'a', '..', '%2f', '%', ''),
      fc.string(),
    );
    fc.assert(
      fc.property(
        fc.array(segment, { maxLength: 8 }),
        fc.constantFrom('GET', 'POST', 'DELETE', 'X'),
        (parts, method) => {
          const error = caught(() => requestInfo(method, `/${parts.join('/')}`, new URLSearchParams()));
          expect(error === undefined || isApiError(error, 'BadRequest') || error instanceof HttpError).toBe(true);
        },
      ),
    );
  });
});

function caught(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}
