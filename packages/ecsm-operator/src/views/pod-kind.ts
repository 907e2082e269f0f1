/** The kind Pod of Kubernetes' core group, with the fields that a container of the platform has. */
import { defineKind, type ObjectOf, schema, timestamp } from '@ecsm/runtime';

const { boolean, integer, list, map, object, optional, string } = schema;

const text = (description: string) => optional(string({ description }));
const time = (description: string) => optional(timestamp({ description }));

const state = object(
  {
    running: optional(object({ startedAt: time('When it started.') }, { description: 'The container runs.' })),
    waiting: optional(
      object(
        { reason: text('Why, in one CamelCase word.'), message: text('Why, for people.') },
        { description: 'The container does not run, but may.' },
      ),
    ),
    terminated: optional(
      object(
        {
          exitCode: integer({ description: 'Always -1: the platform does not report exit codes.' }),
          reason: text('Why, in one CamelCase word.'),
          message: text('Why, for people.'),
          startedAt: time('When it started.'),
        },
        { description: 'The container has ended.' },
      ),
    ),
  },
  { description: 'Exactly one of running, waiting and terminated.' },
);

const condition = object({
  type: string({ description: 'What the condition is about, such as Ready.' }),
  status: string({ enum: ['True', 'False', 'Unknown'], description: 'Whether the condition holds.' }),
  lastTransitionTime: time('When the status last changed, as far as it is known.'),
  reason: text('Why, in one CamelCase word.'),
  message: text('Why, for people.'),
});

export const Pod = defineKind({
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  names: 'subdomain',
  description: 'A container on the ECSM platform. Read-only: an ECSMService or a person creates it on the platform.',
  spec: object({
    nodeName: text('The node that the container is on.'),
    containers: list(
      object({
        name: string({ description: 'Name of the container in the pod.' }),
        image: string({ description: 'Image reference, as name@tag#os; empty if unknown.' }),
        resources: optional(
          object(
            { limits: optional(map(string(), { description: 'The most it may use: memory, ephemeral-storage.' })) },
            { description: 'Limits of the container.' },
          ),
        ),
      }),
      { description: 'Exactly one: the platform has no groups of containers.' },
    ),
    restartPolicy: text('Empty: the platform does not report it.'),
    schedulerName: text('ecsm: the platform chooses the node.'),
    serviceAccountName: text('Empty: the platform has no service accounts.'),
    hostNetwork: optional(boolean({ description: 'Not set: the platform does not report it.' })),
  }),
  status: object({
    phase: string({
      enum: ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'],
      description:
        'Pending before it has started, Running (also if paused), Failed if it has ended or could not be deployed, Unknown if the platform does not know, as on an offline node. Never Succeeded: the platform does not report exit codes.',
    }),
    reason: text('Why the pod is in this phase, in one CamelCase word.'),
    message: text('Why the pod is in this phase, for people.'),
    conditions: optional(list(condition, { description: 'Ready and PodScheduled.' })),
    hostIP: text('Address of the node.'),
    podIP: text('Not set: the platform does not report addresses of containers.'),
    nominatedNodeName: text('Not used.'),
    startTime: time('When the container started, or else when it was created.'),
    containerStatuses: optional(
      list(
        object({
          name: string({ description: 'Name of the container in the pod.' }),
          image: string({ description: 'Image reference.' }),
          imageID: string({ description: 'The id of the image on the platform; empty if unknown.' }),
          containerID: text('The id of the container on its node, as ecsm://ID.'),
          ready: boolean({ description: 'Whether it is deployed and runs.' }),
          started: optional(boolean({ description: 'Whether it runs.' })),
          restartCount: integer({ description: 'Restarts by the platform.' }),
          state,
        }),
        { description: 'The state of the container.' },
      ),
    ),
  }),
  columns: [
    { name: 'READY', value: ({ status }) => readyText(status?.containerStatuses ?? []) },
    { name: 'STATUS', value: ({ status, metadata }) => statusText(status, metadata.deletionTimestamp !== undefined) },
    { name: 'RESTARTS', value: ({ status }) => String(restartsOf(status?.containerStatuses ?? [])) },
    { name: 'IP', wide: true, value: ({ status }) => status?.podIP ?? none },
    { name: 'NODE', wide: true, value: ({ spec }) => spec.nodeName ?? none },
    { name: 'NOMINATED NODE', wide: true, value: ({ status }) => status?.nominatedNodeName ?? none },
    { name: 'READINESS GATES', wide: true, value: () => none },
  ],
});

export type Pod = ObjectOf<typeof Pod>;
export type PodStatus = NonNullable<Pod['status']>;
export type ContainerStatus = NonNullable<PodStatus['containerStatuses']>[number];

const none = '<none>';

function readyText(containers: readonly { readonly ready: boolean }[]): string {
  return `${containers.filter(({ ready }) => ready).length}/${containers.length}`;
}

function restartsOf(containers: readonly { readonly restartCount: number }[]): number {
  return containers.reduce((sum, { restartCount }) => sum + restartCount, 0);
}

type StatusSource = {
  readonly phase: string;
  readonly reason?: string;
  readonly containerStatuses?: readonly {
    readonly state: {
      readonly waiting?: { readonly reason?: string };
      readonly terminated?: { readonly reason?: string };
    };
  }[];
};

/** As kubectl prints it: the reason of the container, if it has one. */
function statusText(status: StatusSource | undefined, isDeleting: boolean): string {
  if (isDeleting) return 'Terminating';
  const { waiting, terminated } = status?.containerStatuses?.[0]?.state ?? {};
  return waiting?.reason ?? terminated?.reason ?? status?.reason ?? status?.phase ?? 'Unknown';
}
