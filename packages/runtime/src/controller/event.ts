/**
 * The kind Event of Kubernetes (core/v1): what happened to an object, for users. Programs with the newer recorder of
 * client-go write `eventTime` and `series` instead of timestamps and a count, so read those with the functions below.
 */
import { defineFieldsKind } from '../api/kind.ts';
import { microTimestamp, timestamp } from '../api/names.ts';
import type { ApiObject } from '../api/object.ts';
import { integer, object, optional, string } from '../api/schema/build.ts';
import type { Infer } from '../api/schema/schema.ts';

const referenceFields = {
  kind: optional(string({ description: 'Kind of the object.' })),
  namespace: optional(string({ description: 'Namespace of the object; absent if its kind is cluster-scoped.' })),
  name: optional(string({ description: 'Name of the object.' })),
  uid: optional(string({ description: 'Uid of the object: another object of the same name has other events.' })),
  apiVersion: optional(string({ description: 'API version of the object.' })),
  resourceVersion: optional(string({ description: 'Version of the object when the event occurred.' })),
  fieldPath: optional(string({ description: 'Part of the object, such as spec.containers{web}.' })),
};

const eventFields = object({
  involvedObject: object(referenceFields, { description: 'The object that the event is about.' }),
  reason: optional(
    string({ minLength: 1, maxLength: 128, description: 'Machine-readable reason in CamelCase, such as Created.' }),
  ),
  // As in Kubernetes, without a limit: client-go does not shorten messages. The recorder here does.
  message: optional(string({ description: 'Human-readable description.' })),
  source: optional(
    object(
      {
        component: optional(string({ description: 'Component that recorded the event.' })),
        host: optional(string({ description: 'Name of the machine on which the event was recorded.' })),
      },
      { description: 'Where the event comes from.' },
    ),
  ),
  firstTimestamp: optional(timestamp({ description: 'Time of the first occurrence.' })),
  lastTimestamp: optional(timestamp({ description: 'Time of the last occurrence.' })),
  count: optional(integer({ minimum: 0, description: 'Number of occurrences.' })),
  type: optional(string({ description: 'Normal, or Warning if it may need attention.' })),
  eventTime: optional(microTimestamp({ description: 'Time of the first occurrence, of newer recorders.' })),
  series: optional(
    object(
      {
        count: optional(integer({ minimum: 0, description: 'Number of occurrences so far.' })),
        lastObservedTime: optional(microTimestamp({ description: 'Time of the last occurrence.' })),
      },
      { description: 'Repetitions of the event, of newer recorders.' },
    ),
  ),
  action: optional(string({ description: 'What was done to the object, or why it failed.' })),
  related: optional(object(referenceFields, { description: 'A second object that the event is about.' })),
  reportingComponent: optional(string({ description: 'Name of the controller that recorded the event.' })),
  reportingInstance: optional(string({ description: 'Identity of the process that recorded the event.' })),
});

export type EventFields = Infer<typeof eventFields>;
export type EventObject = ApiObject<undefined, undefined>;

export const Event = defineFieldsKind({
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  names: 'subdomain',
  description: 'Something that happened to an object. Events are kept for a limited time and in limited number.',
  fields: eventFields,
  selectors: { source: ['source.component', 'reportingComponent'] },
  // Those of `kubectl get events`.
  columns: [
    { name: 'LAST SEEN', value: lastSeenOf },
    { name: 'TYPE', path: 'type' },
    { name: 'REASON', path: 'reason' },
    { name: 'OBJECT', value: ({ involvedObject: { kind = '', name } }) => target(kind, name) },
    { name: 'SUBOBJECT', path: 'involvedObject.fieldPath', wide: true },
    { name: 'SOURCE', value: sourceOf, wide: true },
    { name: 'MESSAGE', value: ({ message = '' }) => message.trim() },
    { name: 'FIRST SEEN', value: firstSeenOf, wide: true },
    { name: 'COUNT', value: (event) => String(countOf(event)), wide: true },
  ],
});

/** The time of the first occurrence. */
export function firstSeenOf(object: EventObject): string {
  const { firstTimestamp, eventTime } = Event.fieldsOf(object);
  return firstTimestamp ?? eventTime ?? object.metadata.creationTimestamp;
}

/** The time of the last occurrence. It may have a fraction: compare it as a time, not as text. */
export function lastSeenOf(object: EventObject): string {
  const { series, lastTimestamp } = Event.fieldsOf(object);
  return series?.lastObservedTime ?? lastTimestamp ?? firstSeenOf(object);
}

/** The number of occurrences. An event of newer recorders that occurred once has none. */
export function countOf(object: EventObject): number {
  const { series, count } = Event.fieldsOf(object);
  return series?.count || count || 1;
}

/** `component, host`. */
function sourceOf({ source, reportingComponent, reportingInstance }: EventFields): string {
  const component = source?.component || reportingComponent || '';
  const host = source?.host || reportingInstance || '';
  return host === '' ? component : `${component}, ${host}`;
}

function target(kind: string, name: string | undefined): string {
  return name === undefined ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;
}
