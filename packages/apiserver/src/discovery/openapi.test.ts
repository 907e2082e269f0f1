/**
 * OpenAPI documents are checked as clients use them: every reference resolves, the schemas compile and accept what the
 * kind accepts, and the parameters and extensions that kubectl looks for are there.
 */
import { defineFieldsKind, isPlainObject, schema } from '@ecsm/runtime';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { Widget, widgetNamed } from '../response/widget.kit.ts';
import { openApiDocument, openApiIndex, openApiPaths } from './openapi.ts';
import { schemaName } from './openapi-schema.ts';
import { readVerbs, servedKind } from './served.ts';

const Config = defineFieldsKind({
  group: '',
  version: 'v1',
  kind: 'Config',
  plural: 'configs',
  fields: schema.object({
    data: schema.optional(schema.map(schema.string(), { keys: schema.string({ maxLength: 9 }) })),
    raw: schema.optional(schema.anything()),
  }),
});
const Box = { ...Widget, kind: 'Box', plural: 'boxes', scope: 'Cluster' } as const;
const served = [
  servedKind(Config, { strategicMerge: true }),
  servedKind(Widget),
  servedKind(Box, { verbs: readVerbs }),
];
const document = openApiDocument(served, 'apis/example.io/v1') ?? {};

/** The value at a path of keys; a key can have any characters. */
function at(value: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>((part, key) => (isPlainObject(part) ? part[key] : undefined), value);
}

function objectAt(value: unknown, ...keys: string[]): Readonly<Record<string, unknown>> {
  const found = at(value, ...keys);
  if (!isPlainObject(found)) throw new Error(`there is no object at ${keys.join(' ')}`);
  return found;
}

function references(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === '$ref' && typeof part === 'string' ? [part] : references(part),
  );
}

const item = '/apis/example.io/v1/namespaces/{namespace}/widgets/{name}';
const gvk = { group: 'example.io', version: 'v1', kind: 'Widget' };

describe('openApiIndex', () => {
  it('has an address with a hash for each document', () => {
    expect(openApiPaths(served)).toEqual(['api/v1', 'apis/example.io/v1']);
    expect(at(openApiIndex(served), 'paths', 'apis/example.io/v1')).toEqual({
      serverRelativeURL: expect.stringMatching(/^\/openapi\/v3\/apis\/example\.io\/v1\?hash=[0-9A-F]{64}$/),
    });
  });

  it('changes the hash with the kinds, and only then', () => {
    const before = openApiIndex(served);
    expect(openApiIndex(served)).toEqual(before);
    const after = openApiIndex([
      ...served.slice(0, 1),
      servedKind({ ...Widget, shortNames: ['x'], description: 'New.' }),
    ]);
    expect(at(after, 'paths', 'api/v1')).toEqual(at(before, 'paths', 'api/v1'));
    expect(at(after, 'paths', 'apis/example.io/v1')).not.toEqual(at(before, 'paths', 'apis/example.io/v1'));
  });
});

describe('openApiDocument', () => {
  it.each(['', 'api', 'api/v2', 'apis/example.io', 'apis/example.io/v2', 'apis/example.io/v1/x', 'x/y/z'])(
    'does not exist for %j',
    (path) => {
      expect(openApiDocument(served, path)).toBeUndefined();
    },
  );

  it.each(openApiPaths(served))('has only references that resolve in %s', (path) => {
    const whole = openApiDocument(served, path);
    const schemas = objectAt(whole, 'components', 'schemas');
    const names = references(whole).map((target) => target.replace('#/components/schemas/', ''));
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !(name in schemas))).toEqual([]);
  });

  it('has a schema that accepts what the kind accepts', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    ajv.addSchema({ ...document, $id: 'document' });
    const accepts = ajv.compile({ $ref: 'document#/components/schemas/io.example.v1.Widget' });
    const object = widgetNamed('a');
    expect(accepts(object), JSON.stringify(accepts.errors)).toBe(true);
    expect(accepts({ ...object, spec: { replicas: -1, image: 'a' } })).toBe(false);
    expect(accepts({ ...object, spec: { replicas: 1 } })).toBe(false);
    expect(accepts({ ...object, metadata: { labels: { a: 1 } } })).toBe(false);
  });

  it('names the group, version and kind of a schema and of its list', () => {
    const schemas = objectAt(document, 'components', 'schemas');
    expect(at(schemas, 'io.example.v1.Widget', 'x-kubernetes-group-version-kind')).toEqual([gvk]);
    expect(at(schemas, 'io.example.v1.WidgetList', 'x-kubernetes-group-version-kind')).toEqual([
      { ...gvk, kind: 'WidgetList' },
    ]);
  });

  it('is OpenAPI 3.0: without keywords of newer drafts', () => {
    const text = JSON.stringify([document, openApiDocument(served, 'api/v1')]);
    expect(text).not.toMatch(/"(\$schema|propertyNames|const)":/);
    expect(text).not.toContain('"additionalProperties":false');
    expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER));
  });

  it('says how lists merge', () => {
    const properties = objectAt(
      document,
      'components',
      'schemas',
      'io.example.v1.Widget',
      'properties',
      'spec',
      'properties',
    );
    expect(properties['ports']).toMatchObject({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
    });
    expect(properties['tags']).toMatchObject({ 'x-kubernetes-list-type': 'set' });
    expect(properties['replicas']).toMatchObject({ type: 'integer', format: 'int64', default: 1, maximum: 100 });
  });

  it('keeps unknown fields where any JSON is allowed', () => {
    const raw = at(
      openApiDocument(served, 'api/v1'),
      'components',
      'schemas',
      'io.k8s.api.core.v1.Config',
      'properties',
      'raw',
    );
    expect(raw).toEqual({ 'x-kubernetes-preserve-unknown-fields': true });
  });

  it('has an operation for every verb', () => {
    const operations = (path: string) => Object.keys(objectAt(document, 'paths', path)).sort();
    expect(operations('/apis/example.io/v1/widgets')).toEqual(['get', 'parameters']);
    expect(operations('/apis/example.io/v1/namespaces/{namespace}/widgets')).toEqual([
      'delete',
      'get',
      'parameters',
      'post',
    ]);
    expect(operations(item)).toEqual(['delete', 'get', 'parameters', 'patch', 'put']);
    expect(operations(`${item}/status`)).toEqual(['get', 'parameters', 'patch', 'put']);
    expect(operations(`${item}/scale`)).toEqual(['get', 'parameters', 'patch', 'put']);
    expect(operations('/apis/example.io/v1/boxes')).toEqual(['get', 'parameters']);
    expect(operations('/apis/example.io/v1/boxes/{name}')).toEqual(['get', 'parameters']);
  });

  it('has unique operation ids', () => {
    const ids = Object.values(objectAt(document, 'paths')).flatMap((path) =>
      Object.values(isPlainObject(path) ? path : {}).flatMap((operation) => at(operation, 'operationId') ?? []),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has the parameters and extensions that kubectl looks for', () => {
    const patch = objectAt(document, 'paths', item, 'patch');
    expect(patch['x-kubernetes-group-version-kind']).toEqual(gvk);
    const names = (patch['parameters'] as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
    expect(Object.keys(objectAt(patch, 'requestBody', 'content'))).toEqual([
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
    ]);
    expect(at(document, 'paths', `${item}/scale`, 'put', 'x-kubernetes-group-version-kind')).toEqual({
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
    });
  });

  it('offers strategic merge only where it is supported', () => {
    const core = openApiDocument(served, 'api/v1');
    const path = '/api/v1/namespaces/{namespace}/configs/{name}';
    expect(objectAt(core, 'paths', path, 'patch', 'requestBody', 'content')).toHaveProperty(
      'application/strategic-merge-patch+json',
    );
  });
});

describe('schemaName', () => {
  it.each([
    [{ group: '', version: 'v1', kind: 'Secret' }, 'io.k8s.api.core.v1.Secret'],
    [{ group: 'scheduling.k8s.io', version: 'v1', kind: 'PriorityClass' }, 'io.k8s.api.scheduling.v1.PriorityClass'],
    [{ group: 'autoscaling', version: 'v1', kind: 'Scale' }, 'io.k8s.api.autoscaling.v1.Scale'],
    [{ group: 'ecsm.sh', version: 'v1', kind: 'ECSMService' }, 'sh.ecsm.v1.ECSMService'],
  ])('of %j is %s', (kind, name) => {
    expect(schemaName(kind)).toBe(name);
  });
});
