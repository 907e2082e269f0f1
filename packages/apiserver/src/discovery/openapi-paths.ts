/** The paths of an OpenAPI document: one operation for each verb of a resource and of its subresources. */
import type { JsonObject } from '@ecsm/runtime';
import { scaleKind } from './openapi-meta.ts';
import { pathParameter, pretty, verbParameters } from './openapi-parameters.ts';
import { groupVersionKind, metaPackage, reference, schemaName } from './openapi-schema.ts';
import type { DescribedKind, ServedResource, ServedSubresource } from './served.ts';

type TypeName = Pick<DescribedKind, 'group' | 'version' | 'kind'>;

/** The method of each verb. Watch is a parameter of list. */
const methods: Readonly<Record<string, string>> = {
  get: 'get',
  list: 'get',
  create: 'post',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'delete',
};
const collectionVerbs = ['list', 'create', 'deletecollection'];
const objectVerbs = ['get', 'update', 'patch', 'delete'];

export function pathsOf(resource: ServedResource): JsonObject {
  const { kind, verbs, subresources, strategicMerge = false } = resource;
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const isNamespaced = kind.scope === 'Namespaced';
  const collection = isNamespaced ? `${root}/namespaces/{namespace}/${kind.plural}` : `${root}/${kind.plural}`;
  const name = pathParameter('name', `name of the ${kind.kind}`);
  const namespace = pathParameter('namespace', 'namespace of the object');
  const place = isNamespaced ? [namespace] : [];
  const operation = (verb: string, suffix = '', type: TypeName = kind) =>
    operationOf({ verb, type, id: `${verb}${idOf(kind)}${suffix}`, tag: tagOf(kind), strategicMerge });
  const item = (allowed: readonly string[], served: readonly string[], suffix = '', type: TypeName = kind) =>
    Object.fromEntries(
      allowed
        .filter((verb) => served.includes(verb))
        .map((verb) => [methods[verb] ?? verb, operation(verb, suffix, type)]),
    );

  /** A document has the schemas of its kinds, and of Scale. */
  const hasSchema = (subresource: ServedSubresource) => [kind.kind, scaleKind.kind].includes(subresource.kind);

  return present({
    ...(isNamespaced && {
      [`${root}/${kind.plural}`]: withParameters(item(['list'], verbs, 'ForAllNamespaces'), [pretty]),
    }),
    [collection]: withParameters(item(collectionVerbs, verbs), [...place, pretty]),
    [`${collection}/{name}`]: withParameters(item(objectVerbs, verbs), [name, ...place, pretty]),
    ...Object.fromEntries(
      subresources.filter(hasSchema).map((subresource) => {
        const { group = kind.group, version = kind.version } = subresource;
        const type = { group, version, kind: subresource.kind };
        const suffix = subresource.name.replace(/^./u, (letter) => letter.toUpperCase());
        const operations = item(['get', 'create', 'update', 'patch'], subresource.verbs, suffix, type);
        return [`${collection}/{name}/${subresource.name}`, withParameters(operations, [name, ...place, pretty])];
      }),
    ),
  });
}

/** A path without operations is left out. */
function present(paths: Readonly<Record<string, JsonObject | undefined>>): JsonObject {
  const result: Record<string, JsonObject> = {};
  for (const [path, item] of Object.entries(paths)) if (item !== undefined) result[path] = item;
  return result;
}

function withParameters(operations: JsonObject, parameters: readonly JsonObject[]): JsonObject | undefined {
  return Object.keys(operations).length === 0 ? undefined : { ...operations, parameters };
}

interface OperationOptions {
  readonly verb: string;
  /** Of the objects that it accepts and returns. */
  readonly type: TypeName;
  readonly id: string;
  readonly tag: string;
  readonly strategicMerge: boolean;
}

function operationOf({ verb, type, id, tag, strategicMerge }: OperationOptions): JsonObject {
  const body = requestBody(verb, type, strategicMerge);
  return {
    operationId: id,
    description: descriptions[verb]?.(type.kind) ?? verb,
    tags: [tag],
    parameters: verbParameters[verb] ?? [],
    ...(body && { requestBody: body }),
    responses: responsesOf(verb, type),
    'x-kubernetes-action': actions[verb] ?? verb,
    'x-kubernetes-group-version-kind': groupVersionKind(type),
  };
}

const actions: Readonly<Record<string, string>> = { create: 'post', update: 'put' };

const descriptions: Readonly<Record<string, (kind: string) => string>> = {
  get: (kind) => `read the specified ${kind}`,
  list: (kind) => `list or watch objects of kind ${kind}`,
  create: (kind) => `create a ${kind}`,
  update: (kind) => `replace the specified ${kind}`,
  patch: (kind) => `partially update the specified ${kind}`,
  delete: (kind) => `delete a ${kind}`,
  deletecollection: (kind) => `delete a collection of ${kind}`,
};

const patchMediaTypes = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
] as const;

function requestBody(verb: string, type: TypeName, strategicMerge: boolean): JsonObject | undefined {
  switch (verb) {
    case 'create':
    case 'update':
      return { required: true, content: contentOf(['*/*'], schemaName(type)) };
    case 'patch': {
      const mediaTypes = strategicMerge
        ? [...patchMediaTypes, 'application/strategic-merge-patch+json']
        : patchMediaTypes;
      return { required: true, content: contentOf(mediaTypes, `${metaPackage}.Patch`) };
    }
    case 'delete':
    case 'deletecollection':
      return { content: contentOf(['*/*'], `${metaPackage}.DeleteOptions`) };
    default:
      return undefined;
  }
}

function responsesOf(verb: string, type: TypeName): JsonObject {
  const isDeletion = verb === 'delete' || verb === 'deletecollection';
  const listed = verb === 'list' ? { ...type, kind: `${type.kind}List` } : type;
  const name = isDeletion ? `${metaPackage}.Status` : schemaName(listed);
  const content = contentOf(['application/json', 'application/yaml'], name);
  const ok = { description: 'OK', content };
  return {
    200: ok,
    ...(['create', 'update', 'patch'].includes(verb) && { 201: { description: 'Created', content } }),
    401: { description: 'Unauthorized' },
  };
}

function contentOf(mediaTypes: readonly string[], schema: string): JsonObject {
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: reference(schema) }]));
}

/** `ecsm.sh/v1` is `EcsmShV1`. Operations have unique ids in a document. */
function idOf(kind: DescribedKind): string {
  const words = [...(kind.group || 'core').split(/[^A-Za-z0-9]+/u), kind.version];
  const scope = kind.scope === 'Namespaced' ? 'Namespaced' : '';
  return `${words.map((word) => word.replace(/^./u, (letter) => letter.toUpperCase())).join('')}${scope}${kind.kind}`;
}

function tagOf({ group, version }: DescribedKind): string {
  return `${group === '' ? 'core' : group.replace(/[^A-Za-z0-9]+/gu, '_')}_${version}`;
}
