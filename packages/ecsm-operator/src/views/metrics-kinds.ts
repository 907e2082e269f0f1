/** The kinds NodeMetrics and PodMetrics of metrics.k8s.io/v1beta1, which `kubectl top` reads. */
import { type ApiObject, defineFieldsKind, type Infer, schema, timestamp } from '@ecsm/runtime';

const { list, map, object, string } = schema;

const usage = map(string(), { description: 'Used cpu (cores) and memory, as quantities.' });

const measured = {
  timestamp: timestamp({ description: 'When the platform was read.' }),
  window: string({ description: 'Length of the measurement that ended then. The platform reports momentary values.' }),
};

const names = { group: 'metrics.k8s.io', version: 'v1beta1', names: 'subdomain' } as const;

const nodeFields = object({ ...measured, usage });

export const NodeMetrics = defineFieldsKind({
  ...names,
  kind: 'NodeMetrics',
  plural: 'nodes',
  scope: 'Cluster',
  description: 'Resource usage of a node. Nodes that are offline have none.',
  fields: nodeFields,
  columns: [
    { name: 'CPU', value: (metrics) => metrics.usage['cpu'] ?? '' },
    { name: 'MEMORY', value: (metrics) => metrics.usage['memory'] ?? '' },
    { name: 'WINDOW', value: ({ window }) => window },
  ],
});
export type NodeMetrics = ApiObject<undefined, undefined> & Infer<typeof nodeFields>;

const podFields = object({
  ...measured,
  containers: list(object({ name: string({ description: 'Name of the container in the pod.' }), usage }), {
    description: 'Resource usage of the container.',
  }),
});

export const PodMetrics = defineFieldsKind({
  ...names,
  kind: 'PodMetrics',
  plural: 'pods',
  description: 'Resource usage of a pod. Pods that do not run have none.',
  fields: podFields,
  columns: [
    { name: 'CPU', value: ({ containers }) => containers[0]?.usage['cpu'] ?? '' },
    { name: 'MEMORY', value: ({ containers }) => containers[0]?.usage['memory'] ?? '' },
    { name: 'WINDOW', value: ({ window }) => window },
  ],
});
export type PodMetrics = ApiObject<undefined, undefined> & Infer<typeof podFields>;
