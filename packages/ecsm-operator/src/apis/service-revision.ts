/** One revision of the template of a service, for its history and for rollbacks. Owned by the service; never changed. */
import { defineKind, type ObjectOf, schema } from '@ecsm/runtime';
import { template } from './template-schema.ts';

const { anything, integer, object, optional, string } = schema;

export const ServiceRevision = defineKind({
  group: 'ecsm.sh',
  version: 'v1',
  kind: 'ServiceRevision',
  plural: 'servicerevisions',
  shortNames: ['rev'],
  description: 'One revision of the template of an ECSMService.',
  spec: object({
    service: string({ description: 'The name of the ECSMService.' }),
    number: integer({ minimum: 1, description: 'Increases with each rollout; the highest is the newest.' }),
    hash: string({
      description: 'Hash of template and restartedAt; part of the name on the platform during a rolling update.',
    }),
    template: anything({ like: template, description: 'The template of this revision.' }),
    restartedAt: optional(string({ description: 'The restart that created this revision, if any.' })),
  }),
  status: object({}),
  columns: [
    { name: 'SERVICE', path: 'spec.service' },
    { name: 'REVISION', path: 'spec.number' },
    { name: 'IMAGE', path: 'spec.template.image' },
  ],
});
export type ServiceRevision = ObjectOf<typeof ServiceRevision>;
