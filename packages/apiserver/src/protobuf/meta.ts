/** Messages of k8s.io/apimachinery: metadata, selectors and options. */
import { type FieldType, type MessageType, stringMap, strings } from './message.ts';

const ownerReference: MessageType = {
  fields: {
    1: ['kind', 'string', 'kept'],
    3: ['name', 'string', 'kept'],
    4: ['uid', 'string', 'kept'],
    5: ['apiVersion', 'string', 'kept'],
    6: ['controller', 'bool', 'kept'],
    7: ['blockOwnerDeletion', 'bool', 'kept'],
  },
};

const managedFieldsEntry: MessageType = {
  fields: {
    1: ['manager', 'string'],
    2: ['operation', 'string'],
    3: ['apiVersion', 'string'],
    4: ['time', 'time'],
    6: ['fieldsType', 'string'],
    7: ['fieldsV1', { wrapped: 'json' }],
    8: ['subresource', 'string'],
  },
};

const objectMeta: MessageType = {
  fields: {
    1: ['name', 'string'],
    2: ['generateName', 'string'],
    3: ['namespace', 'string'],
    4: ['selfLink', 'string'],
    5: ['uid', 'string'],
    6: ['resourceVersion', 'string'],
    7: ['generation', 'int64'],
    8: ['creationTimestamp', 'time'],
    9: ['deletionTimestamp', 'time'],
    10: ['deletionGracePeriodSeconds', 'int64', 'kept'],
    11: ['labels', stringMap],
    12: ['annotations', stringMap],
    13: ['ownerReferences', { list: ownerReference }],
    14: ['finalizers', strings],
    17: ['managedFields', { list: managedFieldsEntry }],
  },
};

const requirement: MessageType = {
  fields: { 1: ['key', 'string', 'kept'], 2: ['operator', 'string', 'kept'], 3: ['values', strings] },
};

export const labelSelector: MessageType = {
  fields: { 1: ['matchLabels', stringMap], 2: ['matchExpressions', { list: requirement }] },
};

/** A selector of a review: FieldSelectorAttributes and LabelSelectorAttributes have the same fields. */
export const selectorAttributes: MessageType = {
  fields: { 1: ['rawSelector', 'string'], 2: ['requirements', { list: requirement }] },
};

export const deleteOptions: MessageType = {
  fields: {
    1: ['gracePeriodSeconds', 'int64', 'kept'],
    2: ['preconditions', { fields: { 1: ['uid', 'string', 'kept'], 2: ['resourceVersion', 'string', 'kept'] } }],
    3: ['orphanDependents', 'bool', 'kept'],
    4: ['propagationPolicy', 'string', 'kept'],
    5: ['dryRun', strings],
    6: ['ignoreStoreReadErrorWithClusterBreakingPotential', 'bool', 'kept'],
  },
};

/** A message with metadata, the fields `spec` and `status`, or others. */
export function object(fields: MessageType['fields']): MessageType {
  return { fields: { 1: ['metadata', objectMeta], ...fields } };
}

/** A message with metadata and `spec`. */
export const withSpec = (spec: FieldType): MessageType => object({ 2: ['spec', spec] });
