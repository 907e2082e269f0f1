/** The parameters of operations in OpenAPI documents. Clients look for some of them by name before they use them. */
import type { JsonObject } from '@ecsm/runtime';

type Type = 'string' | 'boolean' | 'integer';

function query(name: string, description: string, type: Type = 'string'): JsonObject {
  return { name, in: 'query', description, schema: { type, uniqueItems: true } };
}

export function pathParameter(name: string, description: string): JsonObject {
  return { name, in: 'path', required: true, description, schema: { type: 'string', uniqueItems: true } };
}

const dryRun = query('dryRun', '`All`: validate the request and return the result, but do not store it.');
const fieldManager = query('fieldManager', 'Name of the program that makes the change, at most 128 printable bytes.');
const fieldValidation = query(
  'fieldValidation',
  'What happens with unknown and duplicate fields: Ignore, Warn (default) or Strict, which rejects the request.',
);
const force = query('force', 'Only for apply: take over fields that other managers own.', 'boolean');

const selection = [
  query('fieldSelector', 'Only objects whose fields match.'),
  query('labelSelector', 'Only objects whose labels match.'),
];
const paging = [
  query('limit', 'Maximum number of objects in a page.', 'integer'),
  query('continue', 'The `continue` of the previous page.'),
  query('resourceVersion', 'The version that the result has to have reached.'),
  query('resourceVersionMatch', 'How resourceVersion is used: Exact or NotOlderThan.'),
  query('timeoutSeconds', 'Maximum duration of the call.', 'integer'),
  query('sendInitialEvents', 'Start a watch with the existing objects.', 'boolean'),
];
const deletion = [
  dryRun,
  query('gracePeriodSeconds', 'Seconds before the object is deleted.', 'integer'),
  query('orphanDependents', 'Older form of propagationPolicy.', 'boolean'),
  query('propagationPolicy', 'What happens to dependents: Foreground, Background or Orphan.'),
];

export const pretty = query('pretty', 'Indent the response.');

/** By verb. */
export const verbParameters: Readonly<Record<string, readonly JsonObject[]>> = {
  get: [],
  list: [
    query('allowWatchBookmarks', 'Send bookmarks in a watch.', 'boolean'),
    ...selection,
    ...paging,
    query('watch', 'Send changes as they happen.', 'boolean'),
  ],
  create: [dryRun, fieldManager, fieldValidation],
  update: [dryRun, fieldManager, fieldValidation],
  patch: [dryRun, fieldManager, fieldValidation, force],
  delete: deletion,
  deletecollection: [...deletion, ...selection, ...paging],
};
