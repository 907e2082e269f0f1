/**
 * The id of a registry. It is in the owner mark of every service that is created for it, so two registries can share one
 * platform. Without it no service on the platform would have an owner: it is created once and never changed. Its status
 * is what the operator knows about the platform and tools without access to it show: the capacity of the nodes.
 */
import { defineKind, type ObjectOf, schema } from '@ecsm/runtime';

const { boolean, integer, list, object, optional, string } = schema;

const bytes = (description: string) => optional(integer({ description }));

const capacity = object(
  {
    observedTime: string({ description: 'When it was written: at most once a minute, and only after a change.' }),
    nodes: list(
      object({
        name: string({ description: 'Name of the node.' }),
        isOnline: boolean({ description: 'Whether the platform reaches it. An offline node has no room.' }),
        memoryBytes: bytes('Memory in total. Absent if the platform does not report it: then it limits nothing.'),
        memoryOthersBytes: bytes('Memory that others use: foreign containers and the system.'),
        memoryDeclaredBytes: bytes('Memory limits of the instances of ECSMServices on the node.'),
        diskBytes: bytes('Disk in total. Absent if the platform does not report it.'),
        diskOthersBytes: bytes('Disk that others use.'),
        diskDeclaredBytes: bytes('Disk limits of the instances of ECSMServices on the node.'),
      }),
      { uniqueBy: 'name', description: 'The nodes of the platform.' },
    ),
  },
  { description: 'The capacity of the nodes. Only while priorities are in use.' },
);

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
  status: object({ capacity: optional(capacity) }),
  columns: [{ name: 'ID', path: 'spec.id' }],
});
export type OperatorIdentity = ObjectOf<typeof OperatorIdentity>;

export type CapacityStatus = NonNullable<NonNullable<OperatorIdentity['status']>['capacity']>;
