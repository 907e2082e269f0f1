/** Messages of k8s.io/api for the objects that this server stores. */
import { bytesMap, type MessageType, stringMap, strings } from './message.ts';
import { labelSelector, object, withSpec } from './meta.ts';

const namespaceCondition: MessageType = {
  fields: {
    1: ['type', 'string', 'kept'],
    2: ['status', 'string', 'kept'],
    4: ['lastTransitionTime', 'time'],
    5: ['reason', 'string'],
    6: ['message', 'string'],
  },
};

const objectReference: MessageType = {
  fields: {
    1: ['kind', 'string'],
    2: ['namespace', 'string'],
    3: ['name', 'string'],
    4: ['uid', 'string'],
    5: ['apiVersion', 'string'],
    6: ['resourceVersion', 'string'],
    7: ['fieldPath', 'string'],
  },
};

const event = object({
  2: ['involvedObject', objectReference],
  3: ['reason', 'string'],
  4: ['message', 'string'],
  5: ['source', { fields: { 1: ['component', 'string'], 2: ['host', 'string'] } }],
  6: ['firstTimestamp', 'time'],
  7: ['lastTimestamp', 'time'],
  8: ['count', 'int32'],
  9: ['type', 'string'],
  10: ['eventTime', 'microTime'],
  11: ['series', { fields: { 1: ['count', 'int32'], 2: ['lastObservedTime', 'microTime'] } }],
  12: ['action', 'string'],
  13: ['related', objectReference],
  14: ['reportingComponent', 'string', 'kept'],
  15: ['reportingInstance', 'string', 'kept'],
});

/** All of them are pointers: a lease without a holder has the holder "". */
const leaseSpec: MessageType = {
  fields: {
    1: ['holderIdentity', 'string', 'kept'],
    2: ['leaseDurationSeconds', 'int32', 'kept'],
    3: ['acquireTime', 'microTime'],
    4: ['renewTime', 'microTime'],
    5: ['leaseTransitions', 'int32', 'kept'],
    6: ['strategy', 'string', 'kept'],
    7: ['preferredHolder', 'string', 'kept'],
  },
};

const policyRule: MessageType = {
  fields: {
    1: ['verbs', strings],
    2: ['apiGroups', strings],
    3: ['resources', strings],
    4: ['resourceNames', strings],
    5: ['nonResourceURLs', strings],
  },
};

const role = object({ 2: ['rules', { list: policyRule }] });

const clusterRole: MessageType = {
  fields: {
    ...role.fields,
    3: ['aggregationRule', { fields: { 1: ['clusterRoleSelectors', { list: labelSelector }] } }],
  },
};

const subject: MessageType = {
  fields: {
    1: ['kind', 'string', 'kept'],
    2: ['apiGroup', 'string'],
    3: ['name', 'string', 'kept'],
    4: ['namespace', 'string'],
  },
};

const binding = object({
  2: ['subjects', { list: subject }],
  3: [
    'roleRef',
    { fields: { 1: ['apiGroup', 'string', 'kept'], 2: ['kind', 'string', 'kept'], 3: ['name', 'string', 'kept'] } },
  ],
});

const rbac = 'rbac.authorization.k8s.io/v1';

/** By apiVersion and kind. */
export const objectMessages: readonly (readonly [apiVersionAndKind: string, message: MessageType])[] = [
  ['v1 ConfigMap', object({ 2: ['data', stringMap], 3: ['binaryData', bytesMap], 4: ['immutable', 'bool', 'kept'] })],
  [
    'v1 Secret',
    object({
      2: ['data', bytesMap],
      3: ['type', 'string'],
      4: ['stringData', stringMap],
      5: ['immutable', 'bool', 'kept'],
    }),
  ],
  [
    'v1 Namespace',
    object({
      2: ['spec', { fields: { 1: ['finalizers', strings] } }],
      3: ['status', { fields: { 1: ['phase', 'string'], 2: ['conditions', { list: namespaceCondition }] } }],
    }),
  ],
  ['v1 Event', event],
  ['coordination.k8s.io/v1 Lease', withSpec(leaseSpec)],
  [`${rbac} Role`, role],
  [`${rbac} ClusterRole`, clusterRole],
  [`${rbac} RoleBinding`, binding],
  [`${rbac} ClusterRoleBinding`, binding],
  [
    'scheduling.k8s.io/v1 PriorityClass',
    object({
      2: ['value', 'int32', 'kept'],
      3: ['globalDefault', 'bool'],
      4: ['description', 'string'],
      5: ['preemptionPolicy', 'string', 'kept'],
    }),
  ],
  [
    'autoscaling/v1 Scale',
    object({
      2: ['spec', { fields: { 1: ['replicas', 'int32'] } }],
      3: ['status', { fields: { 1: ['replicas', 'int32', 'kept'], 2: ['selector', 'string'] } }],
    }),
  ],
];
