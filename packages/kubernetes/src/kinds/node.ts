/** The kind Node of Kubernetes, with the fields that are used here. */
import { defineKind, type ObjectOf, schema } from '@ecsm/runtime';
import { conditions, flag, none, open, quantities, text } from './parts.ts';

const { anything, list, optional, string, withDefault } = schema;

const rolePrefix = 'node-role.kubernetes.io/';

export const Node = defineKind({
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  shortNames: ['no'],
  scope: 'Cluster',
  names: 'subdomain',
  description: 'A machine that runs pods.',
  spec: withDefault(
    open(
      {
        unschedulable: flag('Whether new pods are kept away.'),
        podCIDR: text('Addresses of the pods on the node.'),
        providerID: text('Id of the machine at its provider.'),
        taints: optional(anything({ description: 'What pods have to tolerate.' })),
      },
      'Settings of the node.',
    ),
    {},
  ),
  status: open({
    addresses: optional(
      list(
        open({
          type: string({ description: 'Hostname, InternalIP or ExternalIP.' }),
          address: string({ description: 'The address.' }),
        }),
        { description: 'Addresses of the node.' },
      ),
    ),
    capacity: quantities('What the node has.'),
    allocatable: quantities('What pods can use.'),
    conditions,
    nodeInfo: optional(
      open(
        {
          kubeletVersion: text('Version of the kubelet.'),
          osImage: text('Operating system.'),
          kernelVersion: text('Version of the kernel.'),
          containerRuntimeVersion: text('Container runtime.'),
          operatingSystem: text('Such as linux.'),
          architecture: text('Such as amd64.'),
        },
        'Software of the node.',
      ),
    ),
  }),
  columns: [
    {
      name: 'STATUS',
      value: ({ spec, status }) => {
        const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
        const text = ready === 'True' ? 'Ready' : ready === undefined ? 'Unknown' : 'NotReady';
        return spec.unschedulable ? `${text},SchedulingDisabled` : text;
      },
    },
    { name: 'ROLES', value: ({ metadata }) => rolesOf(metadata.labels ?? {}) || none },
    { name: 'VERSION', path: 'status.nodeInfo.kubeletVersion' },
    { name: 'INTERNAL-IP', wide: true, value: ({ status }) => addressOf(status?.addresses, 'InternalIP') },
    { name: 'EXTERNAL-IP', wide: true, value: ({ status }) => addressOf(status?.addresses, 'ExternalIP') },
    { name: 'OS-IMAGE', wide: true, path: 'status.nodeInfo.osImage' },
    { name: 'KERNEL-VERSION', wide: true, path: 'status.nodeInfo.kernelVersion' },
    { name: 'CONTAINER-RUNTIME', wide: true, path: 'status.nodeInfo.containerRuntimeVersion' },
  ],
});

export type Node = ObjectOf<typeof Node>;

function rolesOf(labels: Readonly<Record<string, string>>): string {
  const roles = Object.keys(labels).filter((key) => key.startsWith(rolePrefix));
  return roles.map((key) => key.slice(rolePrefix.length)).join(',');
}

function addressOf(
  addresses: readonly { readonly type: string; readonly address: string }[] = [],
  wanted: string,
): string {
  return addresses.find(({ type }) => type === wanted)?.address ?? none;
}
