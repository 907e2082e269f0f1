/** The kind Pod of Kubernetes, with the fields that are used here. */
import { deepEqual, defineKind, type FieldError, type Infer, type ObjectOf, schema } from '@ecsm/runtime';
import type { container, volume } from './container.ts';
import { conditions, forbidden, none, open, text, time } from './parts.ts';
import { podSpec } from './pod-spec.ts';

const { boolean, integer, list, optional, string } = schema;

const containerState = (description: string) =>
  optional(
    open(
      {
        waiting: optional(
          open(
            {
              reason: text('Why, such as CrashLoopBackOff or ContainerCreating.'),
              message: text('Why, for people.'),
            },
            'The container does not run yet, or not any more until it is started again.',
          ),
        ),
        running: optional(open({ startedAt: time('When it started.') }, 'The container runs.')),
        terminated: optional(
          open(
            {
              exitCode: integer({ description: 'Exit code; 128 plus the number of the signal that ended it.' }),
              signal: optional(integer({ description: 'Number of the signal that ended it.' })),
              reason: text('Why, such as Completed, Error or OOMKilled.'),
              message: text('The last output, or why it was ended.'),
              startedAt: time('When it started.'),
              finishedAt: time('When it ended.'),
              containerID: text('Id of the container in its runtime.'),
            },
            'The container has ended.',
          ),
        ),
      },
      description,
    ),
  );

const containerStatus = open({
  name: string({ description: 'Name of the container in the pod.' }),
  ready: boolean({ description: 'Whether its readiness probe succeeds.' }),
  started: optional(boolean({ description: 'Whether its startup probe has succeeded.' })),
  restartCount: integer({ minimum: 0, description: 'How often it was started again.' }),
  state: containerState('The state now: exactly one of waiting, running and terminated.'),
  lastState: containerState('The state before the last start.'),
  image: text('Image reference.'),
  imageID: text('Digest of the image.'),
  containerID: text('Id of the container in its runtime.'),
});

const containerStatuses = (description: string) => optional(list(containerStatus, { description }));

const podStatus = open({
  phase: optional(
    string({
      enum: ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'],
      description: 'Where the pod is in its life.',
    }),
  ),
  reason: text('Why the pod is in this phase, in one CamelCase word.'),
  message: text('Why the pod is in this phase, for people.'),
  podIP: text('Address of the pod.'),
  podIPs: optional(list(open({ ip: text('An address.') }), { description: 'Addresses of the pod, by family.' })),
  hostIP: text('Address of the node.'),
  nominatedNodeName: text('The node on which other pods are evicted for this one.'),
  qosClass: text('Guaranteed, Burstable or BestEffort.'),
  startTime: time('When the node accepted the pod.'),
  conditions,
  initContainerStatuses: containerStatuses('States of the init containers.'),
  containerStatuses: containerStatuses('States of the containers.'),
});

export const Pod = defineKind({
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  names: 'subdomain',
  description: 'Containers that run together on one node.',
  spec: podSpec,
  status: podStatus,
  validate: ({ spec }, old) => (old ? immutableFields(spec, old.spec) : []),
  selectors: {
    'spec.nodeName': ['spec.nodeName'],
    'status.phase': ['status.phase'],
    'status.podIP': ['status.podIP'],
  },
  columns: [
    { name: 'READY', value: ({ spec, status }) => readyText(spec.containers.length, status?.containerStatuses ?? []) },
    { name: 'STATUS', value: ({ status, metadata }) => statusText(status, metadata.deletionTimestamp !== undefined) },
    { name: 'RESTARTS', value: ({ status }) => String(restartsOf(status?.containerStatuses ?? [])) },
    { name: 'IP', wide: true, value: ({ status }) => status?.podIP ?? none },
    { name: 'NODE', wide: true, value: ({ spec }) => spec.nodeName ?? none },
    { name: 'NOMINATED NODE', wide: true, value: ({ status }) => status?.nominatedNodeName ?? none },
    { name: 'READINESS GATES', wide: true, value: () => none },
  ],
});

export type Pod = ObjectOf<typeof Pod>;
export type PodSpec = Infer<typeof podSpec>;
export type PodStatus = Infer<typeof podStatus>;
export type Container = Infer<typeof container>;
export type Volume = Infer<typeof volume>;
export type ContainerStatus = Infer<typeof containerStatus>;

/** Besides these fields and the images of containers, the spec of a pod cannot be changed. */
const mutable: ReadonlySet<string> = new Set(['tolerations', 'activeDeadlineSeconds', 'terminationGracePeriodSeconds']);

function immutableFields(spec: PodSpec, old: PodSpec): FieldError[] {
  const comparable = (pod: PodSpec) => ({
    ...Object.fromEntries(Object.entries(pod).filter(([name]) => !mutable.has(name))),
    // The scheduler sets it once.
    nodeName: old.nodeName === undefined ? undefined : pod.nodeName,
    containers: pod.containers.map((one) => ({ ...one, image: '' })),
    initContainers: pod.initContainers?.map((one) => ({ ...one, image: '' })),
  });
  if (deepEqual(comparable(spec), comparable(old))) return [];
  return [forbidden('spec', 'pod updates may not change fields other than images, tolerations and deadlines')];
}

function readyText(total: number, containers: readonly { readonly ready: boolean }[]): string {
  return `${containers.filter(({ ready }) => ready).length}/${total}`;
}

function restartsOf(containers: readonly { readonly restartCount: number }[]): number {
  return containers.reduce((sum, { restartCount }) => sum + restartCount, 0);
}

/** As kubectl prints it: the reason of the last container that has one. */
function statusText(status: PodStatus | undefined, isDeleting: boolean): string {
  if (isDeleting) return 'Terminating';
  const reasons = (status?.containerStatuses ?? []).map(({ state }) => {
    const { waiting, terminated } = state ?? {};
    return waiting?.reason ?? terminated?.reason ?? (terminated && `ExitCode:${terminated.exitCode}`);
  });
  return reasons.findLast((reason) => reason !== undefined) ?? status?.reason ?? status?.phase ?? 'Unknown';
}
