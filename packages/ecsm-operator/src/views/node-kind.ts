/** The kind Node of Kubernetes' core group, with the fields that a platform node has. */
import { defineKind, type ObjectOf, schema, timestamp } from '@ecsm/runtime';

const { boolean, list, map, object, optional, string, withDefault } = schema;

const conditionFields = {
  type: string({ description: 'What the condition is about, such as Ready.' }),
  status: string({ enum: ['True', 'False', 'Unknown'], description: 'Whether the condition holds.' }),
  lastTransitionTime: optional(timestamp({ description: 'When the status last changed, as far as it is known.' })),
  reason: optional(string({ description: 'Why, in one CamelCase word.' })),
  message: optional(string({ description: 'Why, for people.' })),
};

const quantities = (description: string) => optional(map(string(), { description }));

export const Node = defineKind({
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  shortNames: ['no'],
  scope: 'Cluster',
  names: 'subdomain',
  description: 'A node of the ECSM platform. Read-only: nodes are registered on the platform.',
  spec: withDefault(
    object({
      providerID: optional(string({ description: 'The id of the node on the platform, as ecsm://ID.' })),
      unschedulable: optional(
        boolean({ description: 'Not used: the platform cannot exclude a node from scheduling.' }),
      ),
      taints: optional(
        list(
          object({
            key: string({ description: 'Name of the taint.' }),
            effect: string({ description: 'What happens to pods that do not tolerate it.' }),
          }),
          { description: 'Set while the node cannot be used.' },
        ),
      ),
    }),
    {},
  ),
  status: object({
    capacity: quantities(
      'Resources of the node: cpu (cores), memory, ephemeral-storage. The last known ones if it is offline.',
    ),
    allocatable: quantities('The same as capacity: the platform reserves nothing.'),
    conditions: optional(
      list(
        object({
          ...conditionFields,
          lastHeartbeatTime: optional(
            timestamp({ description: 'When the platform last reported the node, updated every few minutes.' }),
          ),
        }),
        { description: 'Ready: True if the platform reaches the node, Unknown if the platform cannot be asked.' },
      ),
    ),
    addresses: optional(
      list(
        object({
          type: string({ description: 'InternalIP, InternalDNS or Hostname.' }),
          address: string({ description: 'The address.' }),
        }),
        { description: 'How the node is reached.' },
      ),
    ),
    nodeInfo: optional(
      object(
        {
          architecture: string({ description: 'Processor architecture, as Go names it.' }),
          operatingSystem: string({ description: 'Operating system, such as linux or sylixos.' }),
          osImage: string({ description: 'Operating system, for people.' }),
          kernelVersion: string({ description: 'Empty: the platform does not report it.' }),
          kubeletVersion: string({ description: 'Version of the agent of the platform (ECSD); empty if unknown.' }),
          kubeProxyVersion: string({ description: 'Empty: the platform has none.' }),
          containerRuntimeVersion: string({ description: 'The agent and its version.' }),
          bootID: string({ description: 'Empty: the platform does not report it.' }),
          machineID: string({ description: 'Empty: the platform does not report it.' }),
          systemUUID: string({ description: 'The id of the node on the platform.' }),
        },
        { description: 'Software of the node.' },
      ),
    ),
  }),
  columns: [
    { name: 'STATUS', value: (node) => statusText(node) },
    { name: 'ROLES', value: ({ metadata }) => rolesText(metadata.labels ?? {}) },
    // Before the version, as in Kubernetes.
    { name: 'AGE', value: ({ metadata }) => metadata.creationTimestamp },
    { name: 'VERSION', value: ({ status }) => status?.nodeInfo?.kubeletVersion ?? '' },
    { name: 'INTERNAL-IP', wide: true, value: ({ status }) => addressText(status?.addresses, 'InternalIP') },
    { name: 'EXTERNAL-IP', wide: true, value: ({ status }) => addressText(status?.addresses, 'ExternalIP') },
    { name: 'OS-IMAGE', wide: true, value: ({ status }) => status?.nodeInfo?.osImage || unknown },
    { name: 'KERNEL-VERSION', wide: true, value: ({ status }) => status?.nodeInfo?.kernelVersion || unknown },
    {
      name: 'CONTAINER-RUNTIME',
      wide: true,
      value: ({ status }) => status?.nodeInfo?.containerRuntimeVersion || unknown,
    },
  ],
});

export type Node = ObjectOf<typeof Node>;
export type NodeStatus = NonNullable<Node['status']>;

const none = '<none>';
const unknown = '<unknown>';
const rolePrefix = 'node-role.kubernetes.io/';

type StatusSource = {
  readonly spec: { readonly unschedulable?: boolean };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
};

function statusText({ spec, status }: StatusSource): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const text = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec.unschedulable === true ? `${text},SchedulingDisabled` : text;
}

function rolesText(labels: Readonly<Record<string, string>>): string {
  const roles = Object.keys(labels).flatMap((key) =>
    key.startsWith(rolePrefix) ? [key.slice(rolePrefix.length)] : [],
  );
  return roles.sort().join(',') || none;
}

function addressText(
  addresses: readonly { readonly type: string; readonly address: string }[] | undefined,
  wanted: string,
): string {
  return addresses?.find(({ type }) => type === wanted)?.address ?? none;
}
