/** The kind StorageClass of Kubernetes. */
import { defineFieldsKind, type Infer, schema } from '@ecsm/runtime';
import { flag, labels, texts } from './parts.ts';

const { anything, object, optional, string, withDefault } = schema;

const fields = object({
  provisioner: string({ minLength: 1, description: 'The program that makes the volumes.' }),
  parameters: labels('Settings of the provisioner.'),
  reclaimPolicy: withDefault(
    string({ enum: ['Delete', 'Retain'], description: 'What happens to a volume when its claim is deleted.' }),
    'Delete',
  ),
  volumeBindingMode: withDefault(
    string({
      enum: ['Immediate', 'WaitForFirstConsumer'],
      description: 'Whether a volume is made at once, or when a pod uses the claim.',
    }),
    'Immediate',
  ),
  allowVolumeExpansion: flag('Whether claims can be enlarged.'),
  mountOptions: texts('Options of the mounts.'),
  allowedTopologies: optional(anything({ description: 'The zones that volumes can be made in.' })),
});

export const StorageClass = defineFieldsKind({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  shortNames: ['sc'],
  scope: 'Cluster',
  names: 'subdomain',
  description: 'How volumes are made.',
  fields,
  columns: [
    { name: 'PROVISIONER', path: 'provisioner' },
    { name: 'RECLAIMPOLICY', path: 'reclaimPolicy' },
    { name: 'VOLUMEBINDINGMODE', path: 'volumeBindingMode' },
    { name: 'ALLOWVOLUMEEXPANSION', value: ({ allowVolumeExpansion }) => String(allowVolumeExpansion ?? false) },
  ],
});

export type StorageClassFields = Infer<typeof fields>;
