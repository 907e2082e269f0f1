/** The kind Event: what happened to an object, for users. A normal kind, so that the same tools show it. */
import { defineKind } from '../api/kind.ts';
import { timestamp } from '../api/names.ts';
import { integer, object, string } from '../api/schema/build.ts';

export const Event = defineKind({
  group: 'runtime.ecsm.sh',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  description: 'Something that happened to an object. Events are kept for a limited time and in limited number.',
  spec: object({
    regarding: object({
      apiVersion: string({ description: 'API version of the object.' }),
      kind: string({ description: 'Kind of the object.' }),
      name: string({ description: 'Name of the object.' }),
      uid: string({ description: 'Uid of the object: another object of the same name has other events.' }),
    }),
    type: string({ enum: ['Normal', 'Warning'], description: 'Normal, or Warning if it may need attention.' }),
    reason: string({
      minLength: 1,
      maxLength: 128,
      description: 'Machine-readable reason in CamelCase, such as Created.',
    }),
    message: string({ maxLength: 1024, description: 'Human-readable description.' }),
    source: string({ description: 'Component that recorded the event.' }),
    count: integer({ minimum: 1, description: 'Number of occurrences.' }),
    firstTimestamp: timestamp({ description: 'Time of the first occurrence.' }),
    lastTimestamp: timestamp({ description: 'Time of the last occurrence.' }),
  }),
  status: object({}),
  columns: [
    { name: 'LAST SEEN', path: 'spec.lastTimestamp' },
    { name: 'TYPE', path: 'spec.type' },
    { name: 'REASON', path: 'spec.reason' },
    { name: 'OBJECT', value: ({ spec: { regarding } }) => `${regarding.kind.toLowerCase()}/${regarding.name}` },
    { name: 'COUNT', path: 'spec.count' },
    { name: 'MESSAGE', path: 'spec.message' },
  ],
});
