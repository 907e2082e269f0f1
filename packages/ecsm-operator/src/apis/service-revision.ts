/** What a service looked like once, so that people can see its history and go back. Owned by the service; never changed. */
import { defineKind, type ObjectOf, schema } from '@ecsm/runtime';

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
    number: integer({ minimum: 1, description: 'Rises with each rollout; the highest is the newest.' }),
    hash: string({ description: 'Of what follows; part of the name on the platform during a rolling update.' }),
    template: anything({ description: 'The template as it was.' }),
    restartedAt: optional(string({ description: 'The restart that made this revision, if one did.' })),
  }),
  status: object({}),
  columns: [
    { name: 'SERVICE', path: 'spec.service' },
    { name: 'REVISION', path: 'spec.number' },
    { name: 'IMAGE', path: 'spec.template.image' },
  ],
});
export type ServiceRevision = ObjectOf<typeof ServiceRevision>;
