/** The metadata of every object: name, identity, versions, labels, owners and finalizers. */
import type { FieldError } from './errors.ts';
import { isPlainObject } from './json.ts';
import { annotationKey, dnsLabel, labelValue, type NameForm, nameSchema, qualifiedName, timestamp } from './names.ts';
import { formatPath } from './path.ts';
import { anything, boolean, integer, list, map, object, optional, string, withDefault } from './schema/build.ts';
import type { Infer, Input, ObjectSchema } from './schema/schema.ts';
import { validate } from './schema/validate.ts';

export const NAMESPACE_DEFAULT = 'default';

/** Whether the names of a kind are unique in a namespace or in the whole registry. */
export type Scope = 'Namespaced' | 'Cluster';

export const LABELS_MAX = 256;
export const FINALIZERS_MAX = 256;
export const OWNER_REFERENCES_MAX = 256;
/** All keys and values of an object's annotations together. */
export const ANNOTATIONS_BYTES_MAX = 256 * 1024;

const ownerReferenceSchema = object({
  apiVersion: string({ minLength: 1, description: 'API version of the owner.' }),
  kind: string({ minLength: 1, description: 'Kind of the owner.' }),
  name: string({ minLength: 1, description: 'Name of the owner.' }),
  uid: string({ minLength: 1, description: 'Identity of the owner: a new object of the same name is not the owner.' }),
  controller: optional(boolean({ description: 'Whether the owner is the one controller that manages this object.' })),
  blockOwnerDeletion: optional(boolean({ description: 'Whether the owner waits until this object is deleted.' })),
});
export type OwnerReference = Infer<typeof ownerReferenceSchema>;

/** Which manager set which fields: see managed-fields. */
const managedFieldsSchema = list(
  object({
    manager: optional(string({ description: 'Name of the program that set the fields.' })),
    operation: optional(string({ enum: ['Apply', 'Update'], description: 'How the manager set the fields.' })),
    apiVersion: optional(string({ description: 'API version that the fields belong to.' })),
    time: optional(timestamp({ description: 'When the manager last changed its fields.' })),
    fieldsType: optional(string({ enum: ['FieldsV1'], description: 'Format of fieldsV1.' })),
    fieldsV1: optional(anything({ description: 'The fields, as a tree.' })),
    subresource: optional(string({ description: 'Subresource through which the fields were set.' })),
  }),
  { description: 'Which program set which fields. Set by the registry.' },
);

const commonMetadata = {
  generateName: optional(string({ maxLength: 253, description: 'Prefix of a name that the registry completes.' })),
  uid: optional(string({ minLength: 1, description: 'Unique in time and space. Set by the registry.' })),
  resourceVersion: optional(string({ minLength: 1, description: 'Changes with every write. Set by the registry.' })),
  generation: optional(integer({ minimum: 0, description: 'Increased by each spec change. Set by the registry.' })),
  creationTimestamp: optional(timestamp({ description: 'When the object was created. Set by the registry.' })),
  deletionTimestamp: optional(timestamp({ description: 'When deletion was requested. Set by the registry.' })),
  finalizers: optional(
    list(qualifiedName(), {
      maxItems: FINALIZERS_MAX,
      uniqueItems: true,
      description: 'Cleanup that has to finish before the object is removed.',
    }),
  ),
  labels: optional(
    map(labelValue(), {
      keys: qualifiedName(),
      maxProperties: LABELS_MAX,
      description: 'Keys and values to select objects by.',
    }),
  ),
  annotations: optional(map(string(), { keys: annotationKey(), description: 'Free text for people and tools.' })),
  ownerReferences: optional(
    list(ownerReferenceSchema, {
      maxItems: OWNER_REFERENCES_MAX,
      uniqueBy: 'uid',
      description: 'The objects this one depends on: when all of them are deleted, it is deleted too.',
    }),
  ),
  managedFields: optional(managedFieldsSchema),
};

const metadataOptions = { description: "The object's name, identity, labels and owners." };

function namespacedMetadata(names: NameForm) {
  const description = 'Unique among the objects of its kind in a namespace. Cannot be changed.';
  const namespace = dnsLabel({ description: 'The scope in which the name is unique.' });
  return object(
    { name: nameSchema(names, description), namespace: withDefault(namespace, NAMESPACE_DEFAULT), ...commonMetadata },
    metadataOptions,
  );
}

export const metadataSchema = namespacedMetadata('label');

/** The schema of the metadata of a kind: objects of cluster-scoped kinds have no namespace. */
export function metadataSchemaFor(scope: Scope, names: NameForm): ObjectSchema {
  if (scope === 'Namespaced') return names === 'label' ? metadataSchema : namespacedMetadata(names);
  const description = 'Unique among the objects of its kind. Cannot be changed.';
  return object({ name: nameSchema(names, description), ...commonMetadata }, metadataOptions);
}

/** Metadata as a client writes it: only the name is required. A cluster-scoped object has no namespace. */
export type ObjectMetadataInput = Input<typeof metadataSchema>;

/** Fields that the registry sets before it stores an object. */
type SetByRegistry = 'uid' | 'resourceVersion' | 'generation' | 'creationTimestamp';
type MetadataFields = Infer<typeof metadataSchema>;

/** The metadata of an object that is in the registry. `namespace` is absent if the kind is cluster-scoped. */
export type Metadata = { readonly [Field in keyof MetadataFields]: MetadataFields[Field] } & {
  readonly [Field in SetByRegistry]: NonNullable<MetadataFields[Field]>;
};

/** Rules across fields, for metadata that matches the schema. */
export function validateMetadataRules(metadata: ObjectMetadataInput, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const sizeBytes = annotationsBytes(metadata.annotations);
  if (sizeBytes > ANNOTATIONS_BYTES_MAX) {
    const message = `${sizeBytes} bytes: must have at most ${ANNOTATIONS_BYTES_MAX} bytes`;
    errors.push({ path: formatPath(path, ['annotations']), type: 'Too long', message });
  }
  const controllers = (metadata.ownerReferences ?? []).filter((owner) => owner.controller === true);
  if (controllers.length > 1) {
    const names = controllers.map((owner) => `${owner.kind}/${owner.name}`).join(', ');
    const message = `${names}: only one reference can have controller set to true`;
    errors.push({ path: formatPath(path, ['ownerReferences']), type: 'Invalid value', message });
  }
  return errors;
}

/** The size of annotations, as far as they are text. */
export function annotationsBytes(annotations: unknown): number {
  let sizeBytes = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    if (typeof value === 'string') sizeBytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  return sizeBytes;
}

/** Returns all errors of metadata from any source. */
export function validateMetadata(metadata: unknown, path = 'metadata'): FieldError[] {
  const errors = validate(metadataSchema, metadata, path);
  if (errors.length > 0 || !isMetadata(metadata)) return errors;
  return validateMetadataRules(metadata, path);
}

/** Called only for values that the schema has accepted. */
function isMetadata(value: unknown): value is ObjectMetadataInput {
  return isPlainObject(value);
}
