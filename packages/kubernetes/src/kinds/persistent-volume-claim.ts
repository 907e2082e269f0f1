/** The kind PersistentVolumeClaim of Kubernetes, with the fields that are used here. */
import { deepEqual, defineKind, type FieldError, type Infer, type ObjectOf, schema } from '@ecsm/runtime';
import {
  conditions,
  forbidden,
  open,
  quantities,
  required,
  resourceRequirements,
  templateMetadata,
  text,
  texts,
} from './parts.ts';
import { parseQuantity } from './quantity.ts';
import { accessModesText } from './volume-columns.ts';

const { anything, optional, string, withDefault } = schema;

const claimSpec = open(
  {
    accessModes: texts('ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod.'),
    resources: optional(resourceRequirements),
    storageClassName: text('How the volume is made. Default: the default StorageClass.'),
    volumeMode: withDefault(string({ description: 'Filesystem or Block.' }), 'Filesystem'),
    volumeName: text('The PersistentVolume that is bound to the claim.'),
    selector: optional(anything({ description: 'Labels of the volumes that may be bound.' })),
    dataSource: optional(anything({ description: 'What the volume is filled from.' })),
  },
  'The volume that is claimed.',
);

/** The volume claim templates of a StatefulSet. */
export const claimTemplate = open({ metadata: optional(templateMetadata), spec: claimSpec });

export const PersistentVolumeClaim = defineKind({
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  shortNames: ['pvc'],
  names: 'subdomain',
  description: 'A claim to a volume.',
  spec: claimSpec,
  status: open({
    phase: optional(string({ enum: ['Pending', 'Bound', 'Lost'], description: 'Whether the claim has a volume.' })),
    capacity: quantities('Size of the volume.'),
    accessModes: texts('How the volume can be mounted.'),
    conditions,
  }),
  validate: ({ spec }, old) => (old ? changeErrors(spec, old) : creationErrors(spec)),
  columns: [
    {
      name: 'STATUS',
      value: ({ status, metadata }) =>
        metadata.deletionTimestamp === undefined ? (status?.phase ?? 'Pending') : 'Terminating',
    },
    { name: 'VOLUME', path: 'spec.volumeName' },
    { name: 'CAPACITY', path: 'status.capacity.storage' },
    { name: 'ACCESS MODES', value: ({ status }) => accessModesText(status?.accessModes) },
    { name: 'STORAGECLASS', path: 'spec.storageClassName' },
    { name: 'VOLUMEMODE', wide: true, path: 'spec.volumeMode' },
  ],
});

export type PersistentVolumeClaim = ObjectOf<typeof PersistentVolumeClaim>;
export type PersistentVolumeClaimSpec = Infer<typeof claimSpec>;

function creationErrors({ accessModes = [], resources }: PersistentVolumeClaimSpec): FieldError[] {
  return [
    ...(accessModes.length > 0 ? [] : [required('spec.accessModes', 'at least 1 access mode is required')]),
    ...(resources?.requests?.['storage'] === undefined ? [required('spec.resources[storage]')] : []),
  ];
}

interface OldClaim {
  readonly spec: PersistentVolumeClaimSpec;
  readonly status?: { readonly phase?: string; readonly capacity?: Readonly<Record<string, string | number>> };
}

/** Only the size can be changed: it can grow once the claim is bound. */
function changeErrors(spec: PersistentVolumeClaimSpec, old: OldClaim): FieldError[] {
  const errors: FieldError[] = [];
  const comparable = (one: PersistentVolumeClaimSpec) => ({
    ...one,
    resources: undefined,
    // Set once: by the default class, and when the claim is bound.
    storageClassName: old.spec.storageClassName === undefined ? undefined : one.storageClassName,
    volumeName: old.spec.volumeName === undefined ? undefined : one.volumeName,
  });
  if (!deepEqual(comparable(spec), comparable(old.spec))) {
    errors.push(forbidden('spec', 'spec is immutable after creation except resources.requests for bound claims'));
  }
  const before = sizeOf(old.spec);
  const after = sizeOf(spec);
  if (after !== before && old.status?.phase !== 'Bound') {
    errors.push(forbidden('spec.resources.requests.storage', 'can only be changed while the claim is bound'));
  }
  if (after < Math.min(before, parseQuantity(old.status?.capacity?.['storage'] ?? 0) ?? 0)) {
    errors.push(forbidden('spec.resources.requests.storage', 'can not be less than status.capacity'));
  }
  return errors;
}

function sizeOf({ resources }: PersistentVolumeClaimSpec): number {
  return parseQuantity(resources?.requests?.['storage'] ?? 0) ?? 0;
}
