/**
 * OpenAPI v3: an index, and a document for each group and version. `kubectl explain`, the validation of
 * `kubectl create` and server-side apply of client-go read them.
 */
import { createHash } from 'node:crypto';
import type { JsonObject } from '@ecsm/runtime';
import { metaSchemas, scaleKind, scaleSchemas } from './openapi-meta.ts';
import { pathsOf } from './openapi-paths.ts';
import { listSchema, objectSchema, schemaName } from './openapi-schema.ts';
import { groupsOf, resourcesOf, type ServedResource } from './served.ts';

/** The documents below `/openapi/v3/`: `api/v1`, `apis/ecsm.sh/v1`. */
export function openApiPaths(served: readonly ServedResource[]): readonly string[] {
  return [...groupsOf(served)].flatMap(([group, versions]) =>
    versions.map((version) => (group === '' ? `api/${version}` : `apis/${group}/${version}`)),
  );
}

/**
 * `/openapi/v3`. Builds every document, because clients cache them by the hash in their addresses: call it once and
 * keep the result.
 */
export function openApiIndex(served: readonly ServedResource[]): JsonObject {
  const entries = openApiPaths(served).map((path) => {
    const hash = createHash('sha256')
      .update(JSON.stringify(openApiDocument(served, path) ?? null))
      .digest('hex');
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash.toUpperCase()}` }] as const;
  });
  return { paths: Object.fromEntries(entries) };
}

/** The document of one of `openApiPaths`. Returns undefined for another path. */
export function openApiDocument(served: readonly ServedResource[], path: string): JsonObject | undefined {
  const parts = path.split('/');
  const [prefix, group, version] = parts[0] === 'api' ? ['api', '', parts[1]] : parts;
  if (prefix !== 'api' && prefix !== 'apis') return undefined;
  if (group === undefined || version === undefined || !openApiPaths(served).includes(path)) return undefined;
  const resources = resourcesOf(served, group, version);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'unversioned' },
    paths: Object.assign({}, ...resources.map(pathsOf)),
    components: {
      schemas: sorted({ ...metaSchemas(), ...schemasOf(resources) }),
      securitySchemes: {
        BearerToken: { description: 'Bearer token', type: 'apiKey', name: 'authorization', in: 'header' },
      },
    },
  };
}

function schemasOf(resources: readonly ServedResource[]): JsonObject {
  const schemas: Record<string, JsonObject> = {};
  for (const { kind, subresources } of resources) {
    schemas[schemaName(kind)] = objectSchema(kind);
    schemas[schemaName({ ...kind, kind: `${kind.kind}List` })] = listSchema(kind);
    if (subresources.some((subresource) => subresource.kind === scaleKind.kind)) Object.assign(schemas, scaleSchemas());
  }
  return schemas;
}

/** The order of the kinds does not change the hash. */
function sorted(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
}
