/**
 * The id of a registry. It is in the owner mark of every service that is created for it, so two registries can share one
 * platform. Without it no service on the platform would have an owner: it is created once and never changed.
 */
import { defineKind, type ObjectOf, schema } from '@ecsm/runtime';

const { object, string } = schema;

export const OperatorIdentity = defineKind({
  group: 'ecsm.sh',
  version: 'v1',
  kind: 'OperatorIdentity',
  plural: 'operatoridentities',
  description:
    'The id of a registry, which marks its services on the platform. There is exactly one, and it must not be deleted.',
  spec: object({
    id: string({
      maxLength: 64,
      pattern: { expression: /^[0-9a-z-]{8,64}$/u, hint: 'must be an id such as a UUID' },
      description: 'Part of the owner mark on the platform.',
    }),
  }),
  status: object({}),
  columns: [{ name: 'ID', path: 'spec.id' }],
});
export type OperatorIdentity = ObjectOf<typeof OperatorIdentity>;
