/**
 * The CustomResourceDefinition of EtcdCluster. Its rules in CEL are those of `cluster-rules.ts`, so that a Kubernetes API
 * server refuses the same objects, with the same messages; the operator reports what CEL cannot express as InvalidSpec.
 */
import { type CustomResourceDefinitionInput, customResourceDefinition, type Validation } from '@ecsm/kubernetes';
import {
  CLUSTER_NAME_LENGTH_MAX,
  IMMUTABLE_MESSAGE,
  QUANTITY_MESSAGE,
  QUOTA_MESSAGE,
  RETENTION_MESSAGE,
  SHRINK_MESSAGE,
  SIZE_MESSAGE,
  TLS_MESSAGE,
} from './cluster-rules.ts';
import { EtcdCluster } from './etcd-cluster.ts';
import { etcdOptions } from './etcd-options.ts';

const forbidden = { reason: 'FieldValueForbidden' } as const;

const tls: readonly Validation[] = [
  ...['enabled', 'clientTLSEnabled', 'peerTLSEnabled', 'autoTLS'].map((field) => ({
    path: `spec.security.tls.${field}`,
    rule: 'self == oldSelf',
    message: TLS_MESSAGE,
    ...forbidden,
  })),
  {
    path: 'spec.security.tls',
    rule: '!self.enabled || self.autoTLS || has(self.certificateSecret)',
    message: 'must be set when autoTLS is false',
    fieldPath: '.certificateSecret',
    reason: 'FieldValueRequired',
  },
  ...['certificateSecret', 'caSecret'].flatMap((field): readonly Validation[] => [
    {
      path: 'spec.security.tls',
      rule: `!has(self.${field}) || !self.enabled || !self.autoTLS`,
      message: 'may not be set when autoTLS is true',
      fieldPath: `.${field}`,
      ...forbidden,
    },
    {
      path: 'spec.security.tls',
      rule: `!has(self.${field}) || self.enabled`,
      message: 'may not be set when TLS is not enabled',
      fieldPath: `.${field}`,
      ...forbidden,
    },
  ]),
];

/** A malformed quantity is reported by its pattern, and must not fail the evaluation of other rules. */
const isMalformed = (field: string) => `!isQuantity(string(${field}))`;
const amount = (field: string) => `quantity(string(${field}))`;

const quantities: readonly Validation[] = [
  'spec.storage.size',
  'spec.etcd.quotaBackendBytes',
  'spec.defragmentation.freeSpaceAbove',
  'spec.defragmentation.minReclaim',
].map((path) => ({
  path,
  rule: `${isMalformed('self')} || ${amount('self')}.isGreaterThan(quantity('0'))`,
  message: QUANTITY_MESSAGE,
}));

const immutableStorage: readonly Validation[] = ['storageClassName', 'volumeClaimTemplate'].map((field) => ({
  path: 'spec.storage',
  rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
  message: IMMUTABLE_MESSAGE,
  fieldPath: `.${field}`,
  ...forbidden,
}));

const placement: readonly Validation[] = ['affinity', 'topologySpreadConstraints'].map((field) => ({
  path: 'spec',
  rule: `!has(self.${field}) || !has(self.podTemplate) || !has(self.podTemplate.spec) || !has(self.podTemplate.spec.${field})`,
  message: `spec.${field} is set`,
  fieldPath: `.podTemplate.spec.${field}`,
  ...forbidden,
}));

const optionNames = `[${[...etcdOptions.keys()].map((name) => `'${name}'`).join(', ')}]`;

const quota = 'self.etcd.quotaBackendBytes';

export const etcdClusterValidations: readonly Validation[] = [
  {
    path: '',
    rule: `self.metadata.name.size() <= ${CLUSTER_NAME_LENGTH_MAX}`,
    message: `the name must be no more than ${CLUSTER_NAME_LENGTH_MAX} characters`,
  },
  {
    path: '',
    rule: "self.metadata.name.matches('^[a-z]')",
    message: 'the name must start with a letter, as it is part of the names of Services',
  },
  { path: 'spec.size', rule: 'self == 0 || self % 2 == 1', message: SIZE_MESSAGE },
  ...immutableStorage,
  {
    path: 'spec.storage',
    rule: `${isMalformed('self.size')} || ${amount('self.size')}.compareTo(${amount('oldSelf.size')}) >= 0`,
    message: SHRINK_MESSAGE,
    fieldPath: '.size',
    ...forbidden,
  },
  ...quantities,
  {
    path: 'spec',
    rule: `!has(self.etcd.quotaBackendBytes) || ${isMalformed(quota)} || ${isMalformed('self.storage.size')} || ${amount(quota)}.isLessThan(${amount('self.storage.size')})`,
    message: QUOTA_MESSAGE,
    fieldPath: '.etcd.quotaBackendBytes',
  },
  {
    path: 'spec.etcd',
    rule: "self.autoCompactionMode != 'revision' || !has(self.autoCompactionRetention) || self.autoCompactionRetention.matches('^[0-9]*$')",
    message: RETENTION_MESSAGE,
    fieldPath: '.autoCompactionRetention',
  },
  {
    path: 'spec.etcd.options',
    rule: `self.all(name, name in ${optionNames})`,
    // A message with the names in question would exceed the cost that Kubernetes allows.
    message: `contains a setting that cannot be changed; these can: ${[...etcdOptions.keys()].sort().join(', ')}`,
  },
  ...tls,
  ...placement,
];

export function etcdClusterDefinition(): CustomResourceDefinitionInput {
  return customResourceDefinition(EtcdCluster, { validations: etcdClusterValidations });
}
