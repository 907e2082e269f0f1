/** The kind PersistentVolume of Kubernetes, with the fields that are used here. */
import { defineKind, type ObjectOf, schema } from '@ecsm/runtime';
import { open, quantities, text, texts } from './parts.ts';
import { accessModesText } from './volume-columns.ts';

const { anything, optional, string, withDefault } = schema;

export const PersistentVolume = defineKind({
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  shortNames: ['pv'],
  scope: 'Cluster',
  names: 'subdomain',
  description: 'A volume of the cluster.',
  spec: open(
    {
      capacity: quantities('Size of the volume.'),
      accessModes: texts('How the volume can be mounted.'),
      persistentVolumeReclaimPolicy: withDefault(
        string({
          enum: ['Retain', 'Delete', 'Recycle'],
          description: 'What happens to the volume when its claim is deleted.',
        }),
        'Retain',
      ),
      storageClassName: text('The StorageClass that the volume belongs to.'),
      volumeMode: withDefault(string({ description: 'Filesystem or Block.' }), 'Filesystem'),
      claimRef: optional(
        open(
          {
            apiVersion: text('API version of the claim.'),
            kind: text('Kind of the claim.'),
            namespace: text('Namespace of the claim.'),
            name: text('Name of the claim.'),
            uid: text('Uid of the claim.'),
            resourceVersion: text('Version of the claim.'),
          },
          'The claim that the volume is bound to.',
        ),
      ),
      hostPath: optional(
        open({ path: string({ description: 'Path on the node.' }), type: text('What has to exist.') }),
      ),
      local: optional(open({ path: string({ description: 'Path on the node.' }) })),
      nodeAffinity: optional(anything({ description: 'The nodes that can mount the volume.' })),
      mountOptions: texts('Options of the mount.'),
    },
    'The volume.',
  ),
  status: open({
    phase: optional(
      string({
        enum: ['Pending', 'Available', 'Bound', 'Released', 'Failed'],
        description: 'Whether the volume is free, bound, or left by its claim.',
      }),
    ),
    reason: text('Why it failed, in one CamelCase word.'),
    message: text('Why it is in this phase, for people.'),
  }),
  columns: [
    { name: 'CAPACITY', path: 'spec.capacity.storage' },
    { name: 'ACCESS MODES', value: ({ spec }) => accessModesText(spec.accessModes) },
    { name: 'RECLAIM POLICY', path: 'spec.persistentVolumeReclaimPolicy' },
    {
      name: 'STATUS',
      value: ({ status, metadata }) =>
        metadata.deletionTimestamp === undefined ? (status?.phase ?? 'Pending') : 'Terminating',
    },
    { name: 'CLAIM', value: ({ spec: { claimRef } }) => (claimRef ? `${claimRef.namespace}/${claimRef.name}` : '') },
    { name: 'STORAGECLASS', path: 'spec.storageClassName' },
    { name: 'REASON', path: 'status.reason' },
    { name: 'VOLUMEMODE', wide: true, path: 'spec.volumeMode' },
  ],
});

export type PersistentVolume = ObjectOf<typeof PersistentVolume>;
