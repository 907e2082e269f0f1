/** The kind StatefulSet of Kubernetes, with the fields that are used here. */
import {
  deepEqual,
  defineKind,
  type FieldError,
  type Infer,
  labelSelectorOf,
  labelSelectorSchema,
  matchesLabels,
  type ObjectOf,
  schema,
  validateLabelSelector,
} from '@ecsm/runtime';
import { conditions, count, forbidden, invalid, none, open, required, text } from './parts.ts';
import { claimTemplate } from './persistent-volume-claim.ts';
import { podTemplate } from './pod-spec.ts';

const { integer, integerOrString, list, optional, string, withDefault } = schema;

const retention = (description: string) => withDefault(string({ enum: ['Retain', 'Delete'], description }), 'Retain');

const setSpec = open(
  {
    replicas: withDefault(integer({ minimum: 0, description: 'Number of pods.' }), 1),
    selector: labelSelectorSchema,
    template: podTemplate,
    serviceName: text('The headless Service that gives the pods their names.'),
    podManagementPolicy: withDefault(
      string({
        enum: ['OrderedReady', 'Parallel'],
        description: 'Whether pods are created and deleted one after another, or all at once.',
      }),
      'OrderedReady',
    ),
    updateStrategy: withDefault(
      open(
        {
          type: withDefault(
            string({
              enum: ['RollingUpdate', 'OnDelete'],
              description: 'Whether pods are replaced when the template changes, or only after they were deleted.',
            }),
            'RollingUpdate',
          ),
          rollingUpdate: optional(
            open({
              partition: count('Pods with a lower number are not replaced.'),
              maxUnavailable: optional(integerOrString({ description: 'How many are replaced at once.' })),
            }),
          ),
        },
        'How pods get a changed template.',
      ),
      {},
    ),
    ordinals: optional(
      open(
        { start: withDefault(integer({ minimum: 0, description: 'The first number.' }), 0) },
        'Numbers of the pods.',
      ),
    ),
    volumeClaimTemplates: optional(
      list(claimTemplate, { description: 'Volumes of every pod: the claim <template>-<pod> for each.' }),
    ),
    persistentVolumeClaimRetentionPolicy: withDefault(
      open(
        {
          whenDeleted: retention('What happens to the claims when the StatefulSet is deleted.'),
          whenScaled: retention('What happens to the claims of pods that are scaled away.'),
        },
        'How long claims are kept.',
      ),
      {},
    ),
    minReadySeconds: count('How long a pod is ready before it counts as available.'),
    revisionHistoryLimit: count('How many old templates are kept.'),
  },
  'The pods, and how they are managed.',
);

export const StatefulSet = defineKind({
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  shortNames: ['sts'],
  categories: ['all'],
  names: 'subdomain',
  description: 'Pods with a number, a name and volumes of their own.',
  spec: setSpec,
  status: open({
    observedGeneration: count('The generation of the spec that this status is about.'),
    replicas: withDefault(integer({ minimum: 0, description: 'Number of pods.' }), 0),
    readyReplicas: count('Number of pods that are ready.'),
    availableReplicas: count('Number of pods that have been ready for minReadySeconds.'),
    currentReplicas: count('Number of pods of the current revision.'),
    updatedReplicas: count('Number of pods of the update revision.'),
    currentRevision: text('Revision of the template before the update.'),
    updateRevision: text('Revision of the template.'),
    collisionCount: count('Used for the names of revisions.'),
    conditions,
  }),
  validate: ({ spec }, old) => [...selectorErrors(spec), ...(old ? immutableFields(spec, old.spec) : [])],
  scale: { specReplicasPath: 'spec.replicas', statusReplicasPath: 'status.replicas' },
  columns: [
    { name: 'READY', value: ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec.replicas}` },
    {
      name: 'CONTAINERS',
      wide: true,
      value: ({ spec }) => spec.template.spec.containers.map(({ name }) => name).join(','),
    },
    {
      name: 'IMAGES',
      wide: true,
      value: ({ spec }) => spec.template.spec.containers.map(({ image }) => image ?? none).join(','),
    },
  ],
});

export type StatefulSet = ObjectOf<typeof StatefulSet>;
export type StatefulSetSpec = Infer<typeof setSpec>;
export type StatefulSetStatus = NonNullable<StatefulSet['status']>;

/** A set that does not select its own pods would create pods forever. */
function selectorErrors({ selector, template }: StatefulSetSpec): FieldError[] {
  const errors = validateLabelSelector(selector, 'spec.selector');
  if (errors.length > 0) return errors;
  const parsed = labelSelectorOf(selector);
  if (parsed.requirements.length === 0) return [required('spec.selector')];
  const { labels } = template.metadata ?? {};
  if (matchesLabels(parsed, labels)) return [];
  return [invalid('spec.template.metadata.labels', labels ?? {}, '`selector` does not match template `labels`')];
}

/** As in Kubernetes, everything else cannot be changed, the claim templates in particular. */
const mutable: ReadonlySet<string> = new Set([
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]);

function immutableFields(spec: StatefulSetSpec, old: StatefulSetSpec): FieldError[] {
  const comparable = (one: StatefulSetSpec) =>
    Object.fromEntries(Object.entries(one).filter(([name]) => !mutable.has(name)));
  if (deepEqual(comparable(spec), comparable(old))) return [];
  return [
    forbidden('spec', `updates to statefulset spec for fields other than ${[...mutable].join(', ')} are forbidden`),
  ];
}
