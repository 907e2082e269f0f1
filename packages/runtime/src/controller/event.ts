/** What happened to an object, for people to read: a kind like any other, so that the same tools show it. */
import { defineKind } from '../api/kind.ts';
import { timestamp } from '../api/names.ts';
import { integer, object, string } from '../api/schema/build.ts';

export const Event = defineKind({
  group: 'runtime.ecsm.sh',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  description: 'Something that happened to an object. Events come and go: they are bounded in number and in age.',
  spec: object({
    regarding: object({
      apiVersion: string({ description: 'API version of the object.' }),
      kind: string({ description: 'Kind of the object.' }),
      name: string({ description: 'Name of the object.' }),
      uid: string({ description: 'Identity of the object: a new one of the same name has other events.' }),
    }),
    type: string({ enum: ['Normal', 'Warning'], description: 'Whether somebody should look.' }),
    reason: string({ minLength: 1, maxLength: 128, description: 'One word for programs, such as Created.' }),
    message: string({ maxLength: 1024, description: 'A sentence for people.' }),
    source: string({ description: 'Who says so.' }),
    count: integer({ minimum: 1, description: 'How often it has happened.' }),
    firstTimestamp: timestamp({ description: 'When it happened first.' }),
    lastTimestamp: timestamp({ description: 'When it happened last.' }),
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
