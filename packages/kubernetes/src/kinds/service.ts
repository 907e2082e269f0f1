/** The kind Service of Kubernetes, with the fields that are used here. */
import { defineKind, type FieldError, type Infer, type ObjectOf, schema } from '@ecsm/runtime';
import { conditions, count, flag, forbidden, labels, none, open, required, text, texts } from './parts.ts';

const { anything, integer, integerOrString, list, optional, string, withDefault } = schema;

const servicePort = open({
  name: text('Name of the port. Required if there are several.'),
  port: integer({ minimum: 1, maximum: 65535, description: 'Port of the Service.' }),
  targetPort: optional(integerOrString({ description: 'Port of the pods, or its name. Default: the same.' })),
  protocol: withDefault(string({ description: 'TCP, UDP or SCTP.' }), 'TCP'),
  nodePort: count('Port on every node.'),
});

const serviceSpec = open(
  {
    type: withDefault(
      string({
        enum: ['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'],
        description: 'From where the Service can be reached.',
      }),
      'ClusterIP',
    ),
    clusterIP: text(
      'Address of the Service; None for a headless one, whose name stands for the addresses of the pods.',
    ),
    clusterIPs: texts('Addresses of the Service, by family.'),
    ports: optional(list(servicePort, { description: 'Ports of the Service.' })),
    selector: labels('Labels of the pods.'),
    publishNotReadyAddresses: flag('Whether the addresses of pods that are not ready are published too.'),
    sessionAffinity: text('None or ClientIP.'),
    externalName: text('The name that the Service stands for, if its type is ExternalName.'),
    externalIPs: texts('Further addresses.'),
    loadBalancerClass: text('The load balancer.'),
  },
  'The pods, and how they are reached.',
);

export const Service = defineKind({
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  description: 'A name and an address for the pods that a selector finds.',
  spec: serviceSpec,
  status: open({
    loadBalancer: optional(anything({ description: 'Addresses of the load balancer.' })),
    conditions,
  }),
  validate: ({ spec }, old) => [...portErrors(spec), ...(old ? addressErrors(spec, old.spec) : [])],
  columns: [
    { name: 'TYPE', path: 'spec.type' },
    { name: 'CLUSTER-IP', value: ({ spec }) => spec.clusterIP ?? none },
    { name: 'EXTERNAL-IP', value: ({ spec }) => spec.externalName ?? (spec.externalIPs?.join(',') || none) },
    { name: 'PORT(S)', value: ({ spec }) => (spec.ports ?? []).map(portText).join(',') || none },
    { name: 'SELECTOR', wide: true, value: ({ spec }) => selectorText(spec.selector ?? {}) || none },
  ],
});

export type Service = ObjectOf<typeof Service>;
export type ServiceSpec = Infer<typeof serviceSpec>;

function portErrors({ type, clusterIP, ports = [] }: ServiceSpec): FieldError[] {
  const needsPorts = type !== 'ExternalName' && clusterIP !== 'None';
  if (needsPorts && ports.length === 0) return [required('spec.ports')];
  return ports.flatMap(({ name }, index): FieldError[] => {
    const path = `spec.ports[${index}].name`;
    if (name === undefined) return ports.length > 1 ? [required(path)] : [];
    const isRepeated = ports.findIndex((port) => port.name === name) < index;
    return isRepeated ? [{ path, type: 'Duplicate value', message: JSON.stringify(name) }] : [];
  });
}

function addressErrors(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (old.clusterIP === undefined || spec.clusterIP === old.clusterIP || spec.type === 'ExternalName') return [];
  return [forbidden('spec.clusterIP', 'field is immutable')];
}

function portText({ port, nodePort, protocol }: NonNullable<ServiceSpec['ports']>[number]): string {
  return `${port}${nodePort === undefined ? '' : `:${nodePort}`}/${protocol}`;
}

function selectorText(selector: Readonly<Record<string, string>>): string {
  return Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
