/** The schemas of OpenAPI documents that do not depend on the kinds: metadata, options, Status and Scale. */
import { isPlainObject, type JsonObject, type JsonValue, metadataSchema, toJsonSchema } from '@ecsm/runtime';
import {
  describedReference,
  groupVersionKind,
  metaPackage,
  reference,
  schemaName,
  toOpenApi,
} from './openapi-schema.ts';

export const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

const string = (description: string): JsonObject => ({ description, type: 'string' });
const integer = (description: string, format = 'int64'): JsonObject => ({ description, type: 'integer', format });
const boolean = (description: string): JsonObject => ({ description, type: 'boolean' });
const object = (description: string, properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  description,
  type: 'object',
  properties,
  ...more,
});
const list = (description: string, items: JsonObject): JsonObject => ({
  description,
  type: 'array',
  items,
  'x-kubernetes-list-type': 'atomic',
});

/** By component name. */
export function metaSchemas(): JsonObject {
  const { ObjectMeta, OwnerReference, ManagedFieldsEntry } = metadataSchemas();
  return named(metaPackage, {
    ObjectMeta,
    OwnerReference,
    ManagedFieldsEntry,
    ListMeta: object('Metadata of a list.', {
      resourceVersion: string('Version of the list; a watch after it misses no change.'),
      continue: string('Where the next page starts; empty on the last page.'),
      remainingItemCount: integer('Number of objects on further pages, if known.'),
      selfLink: string('Not used.'),
    }),
    DeleteOptions: object('Options of a deletion.', {
      apiVersion: string('Group and version of the options.'),
      kind: string('DeleteOptions'),
      dryRun: list('`All`: validate, but do not delete.', { type: 'string' }),
      gracePeriodSeconds: integer('Seconds before the object is deleted.'),
      orphanDependents: boolean('Older form of propagationPolicy.'),
      preconditions: describedReference(`${metaPackage}.Preconditions`, 'Delete only if these are met.'),
      propagationPolicy: string('What happens to dependents: Foreground, Background or Orphan.'),
    }),
    Preconditions: object('What has to be true of an object for an operation.', {
      uid: string('The uid of the object.'),
      resourceVersion: string('The resourceVersion of the object.'),
    }),
    Patch: object('A change of an object; its format depends on the content type.', {}),
    Status: object(
      'The result of a request that does not return an object.',
      {
        apiVersion: string('v1'),
        kind: string('Status'),
        metadata: describedReference(`${metaPackage}.ListMeta`, 'Not used.'),
        status: string('Success or Failure.'),
        message: string('Description of the result, for people.'),
        reason: string('Reason of a failure, in one word.'),
        code: integer('HTTP status code.', 'int32'),
        details: describedReference(`${metaPackage}.StatusDetails`, 'What the result is about.'),
      },
      { 'x-kubernetes-group-version-kind': [groupVersionKind({ group: '', version: 'v1', kind: 'Status' })] },
    ),
    StatusDetails: object('What the result of a request is about.', {
      name: string('Name of the object.'),
      group: string('Group of the object.'),
      kind: string('Resource of the object.'),
      uid: string('Uid of the object.'),
      causes: list('Reasons of a failure.', reference(`${metaPackage}.StatusCause`)),
      retryAfterSeconds: integer('When the request may be repeated.', 'int32'),
    }),
    StatusCause: object('One reason of a failure.', {
      field: string('Path of the field.'),
      message: string('Description, for people.'),
      reason: string('Reason, in one word.'),
    }),
  });
}

/** Added to documents with a scale subresource. */
export function scaleSchemas(): JsonObject {
  const name = schemaName(scaleKind);
  return {
    [name]: object(
      'The number of replicas of another object.',
      {
        apiVersion: string('Group and version of the object.'),
        kind: string('Scale'),
        metadata: describedReference(`${metaPackage}.ObjectMeta`, 'Metadata of the scaled object.'),
        spec: object('Desired state.', { replicas: integer('Desired number of replicas.', 'int32') }),
        status: object(
          'Observed state.',
          {
            replicas: integer('Observed number of replicas.', 'int32'),
            selector: string('Label selector of replicas.'),
          },
          { required: ['replicas'] },
        ),
      },
      { 'x-kubernetes-group-version-kind': [groupVersionKind(scaleKind)] },
    ),
  };
}

function named(prefix: string, schemas: Readonly<Record<string, JsonObject>>): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [`${prefix}.${name}`, schema]));
}

/** The metadata of the runtime. Names are not checked here: their syntax depends on the kind. */
function metadataSchemas() {
  const { properties, required: _required, ...ObjectMeta } = toOpenApi(toJsonSchema(metadataSchema));
  const fields = isPlainObject(properties) ? properties : {};
  const owners = itemsOf(fields['ownerReferences']);
  const managers = itemsOf(fields['managedFields']);
  return {
    OwnerReference: { description: 'An object that this one depends on.', ...owners.items },
    ManagedFieldsEntry: { description: 'The fields that a program set.', ...managers.items },
    ObjectMeta: {
      ...ObjectMeta,
      properties: {
        ...fields,
        name: withoutRules(fields['name']),
        namespace: withoutRules(fields['namespace']),
        ownerReferences: { ...owners.list, items: reference(`${metaPackage}.OwnerReference`) },
        managedFields: { ...managers.list, items: reference(`${metaPackage}.ManagedFieldsEntry`) },
      },
    },
  };
}

function itemsOf(schema: JsonValue | undefined): { readonly items: JsonObject; readonly list: JsonObject } {
  const { items, ...list } = isPlainObject(schema) ? schema : {};
  return { items: isPlainObject(items) ? items : {}, list };
}

function withoutRules(schema: JsonValue | undefined): JsonObject {
  const description = isPlainObject(schema) ? schema['description'] : undefined;
  return { ...(description !== undefined && { description }), type: 'string' };
}
