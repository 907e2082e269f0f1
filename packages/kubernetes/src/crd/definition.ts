/** A CustomResourceDefinition from a kind: schema, names, columns, subresources, and rules in CEL. */
import {
  ApiError,
  type Column,
  formatPath,
  type JsonObject,
  type Kind,
  type PathSegment,
  parsePath,
  type Schema,
} from '@ecsm/runtime';
import type { CustomResourceDefinitionInput } from '../kinds/custom-resource-definition.ts';
import { type CelRule, propertiesOf, type RuleTree } from './structural.ts';

/** A rule for the value at a path of the object, such as `spec.storage`; `*` stands for each item, the empty path for the object. */
export interface Validation extends CelRule {
  readonly path: string;
}

export interface DefinitionOptions {
  /** The cross-field rules of the kind, which are code, in CEL. Default: none. */
  readonly validations?: readonly Validation[];
  /** Fields that lists can be selected by, such as `spec.size`; at most 8. Default: none. */
  readonly selectableFields?: readonly string[];
}

/** Throws Internal if the kind cannot be expressed, or a validation names a field that does not exist. */
export function customResourceDefinition(kind: Kind, options: DefinitionOptions = {}): CustomResourceDefinitionInput {
  const { group, version, plural, singular, shortNames, categories, scope, scale } = kind;
  const { selectableFields = [] } = options;
  const columns = kind.columns.flatMap((column) => printerColumn(kind, column));
  const subresources = {
    ...(kind.status && { status: {} }),
    ...(scale && { scale: Object.fromEntries(Object.entries(scale).map(([name, path]) => [name, `.${path}`])) }),
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural,
        singular,
        ...(shortNames.length > 0 && { shortNames }),
        ...(categories.length > 0 && { categories }),
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: objectSchema(kind, ruleTree(kind, options.validations ?? [])) },
          ...(columns.length > 0 && { additionalPrinterColumns: [...columns, ageColumn] }),
          ...(Object.keys(subresources).length > 0 && { subresources }),
          ...(selectableFields.length > 0 && {
            selectableFields: selectableFields.map((path) => ({ jsonPath: `.${path}` })),
          }),
        },
      ],
    },
  };
}

/** Replaced by those of the server, which also checks metadata. */
const commonFields: JsonObject = {
  apiVersion: { type: 'string', description: 'API group and version of the object.' },
  kind: { type: 'string', description: 'Kind of the object.' },
  metadata: { type: 'object' },
};

function objectSchema(kind: Kind, tree: RuleTree): JsonObject {
  const { required, properties } = kind.schema;
  const names = required.filter((name) => !(name in commonFields));
  const content = Object.fromEntries(Object.entries(properties).filter(([name]) => !(name in commonFields)));
  return {
    type: 'object',
    description: kind.description || `${kind.kind} of ${kind.group}.`,
    properties: { ...commonFields, ...propertiesOf(content, tree) },
    ...(names.length > 0 && { required: names }),
    ...(tree.rules.length > 0 && { 'x-kubernetes-validations': tree.rules.map((rule) => ({ ...rule })) }),
  };
}

function ruleTree(kind: Kind, validations: readonly Validation[]): RuleTree {
  const root = emptyTree();
  for (const { path, ...rule } of validations) {
    let node = root;
    let schema: Schema | undefined = kind.schema;
    for (const segment of path === '' ? [] : path.split('.')) {
      schema = below(schema, segment);
      if (schema === undefined) {
        throw new ApiError('Internal', {
          reason: `kind ${kind.kind}: a validation is for ${path}, which does not exist`,
        });
      }
      const child = node.children.get(segment) ?? emptyTree();
      node.children.set(segment, child);
      node = child;
    }
    node.rules.push(rule);
  }
  return root;
}

function emptyTree(): RuleTree {
  return { rules: [], children: new Map() };
}

function below(schema: Schema, segment: string): Schema | undefined {
  if (schema.type === 'object') return schema.properties[segment];
  if (segment !== '*') return undefined;
  return schema.type === 'list' ? schema.items : schema.type === 'map' ? schema.values : undefined;
}

const ageColumn: JsonObject = { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** A column without a path is computed here, and a server cannot show it. */
function printerColumn(kind: Kind, { name, wide, path }: Column<never>): readonly JsonObject[] {
  const segments = path === undefined ? undefined : parsePath(path);
  if (segments === undefined) return [];
  const schema = segments.reduce<Schema | undefined>((node, segment) => node && fieldOf(node, segment), kind.schema);
  return [
    {
      name,
      type: columnType(schema),
      jsonPath: jsonPath(segments),
      ...(schema?.description !== undefined && { description: schema.description }),
      ...(wide && { priority: 1 }),
    },
  ];
}

function fieldOf(schema: Schema, segment: PathSegment): Schema | undefined {
  if (schema.type === 'list') return schema.items;
  return typeof segment === 'string' ? below(schema, schema.type === 'map' ? '*' : segment) : undefined;
}

function columnType(schema: Schema | undefined): string {
  if (schema?.type === 'string' && schema.format?.name === 'date-time') return 'date';
  return schema?.type === 'integer' || schema?.type === 'number' || schema?.type === 'boolean' ? schema.type : 'string';
}

/** `.metadata.labels['example\.com/app']`, as kubectl reads it. */
function jsonPath(segments: readonly PathSegment[]): string {
  return segments
    .map((segment) => {
      if (typeof segment === 'number') return `[${segment}]`;
      return formatPath('', [segment]) === segment ? `.${segment}` : `['${segment.replaceAll('.', '\\.')}']`;
    })
    .join('');
}
