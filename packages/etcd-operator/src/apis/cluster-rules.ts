/** Rules of an EtcdCluster that concern more than one field, or the change of one. */
import { parseQuantity } from '@ecsm/kubernetes';
import { deepEqual, type FieldError, type Infer } from '@ecsm/runtime';
import { bytesOf } from './bytes.ts';
import { optionProblem } from './etcd-options.ts';
import type { spec } from './spec-schema.ts';

type Spec = Infer<typeof spec>;
interface Checked {
  readonly metadata: { readonly name: string };
  readonly spec: Spec;
}

/** A StatefulSet appends a hash to its name in a label, and Services have to start with a letter. */
export const CLUSTER_NAME_LENGTH_MAX = 52;

export function checkCluster({ metadata, spec }: Checked, old?: Checked): FieldError[] {
  return [
    ...checkName(metadata.name),
    ...checkSize(spec.size),
    ...checkTls(spec.security.tls),
    ...checkQuantities(spec),
    ...checkEtcd(spec),
    ...checkPlacement(spec),
    ...(old ? checkChange(spec, old.spec) : []),
  ];
}

function checkName(name: string): FieldError[] {
  const errors: FieldError[] = [];
  const path = 'metadata.name';
  if (name.length > CLUSTER_NAME_LENGTH_MAX) {
    errors.push({ path, type: 'Too long', message: `must be no more than ${CLUSTER_NAME_LENGTH_MAX} characters` });
  }
  if (!/^[a-z]/u.test(name)) {
    errors.push(invalid(path, name, 'must start with a letter, as it is part of the names of Services'));
  }
  return errors;
}

export const SIZE_MESSAGE =
  'must be 0, 1, 3, 5, 7 or 9: an even number of members tolerates no more failures than one member less';

function checkSize(size: number): FieldError[] {
  return size === 0 || size % 2 === 1 ? [] : [invalid('spec.size', size, SIZE_MESSAGE)];
}

const tlsPath = 'spec.security.tls';

function checkTls({ enabled, autoTLS, certificateSecret, caSecret }: Spec['security']['tls']): FieldError[] {
  if (enabled && !autoTLS) {
    if (certificateSecret !== undefined) return [];
    const message = 'must be set when autoTLS is false';
    return [{ path: `${tlsPath}.certificateSecret`, type: 'Required value', message }];
  }
  const reason = enabled ? 'autoTLS is true' : 'TLS is not enabled';
  return Object.entries({ certificateSecret, caSecret })
    .filter(([, name]) => name !== undefined)
    .map(([field]) => forbidden(`${tlsPath}.${field}`, `may not be set when ${reason}`));
}

function checkQuantities({ storage, resources, etcd, defragmentation }: Spec): FieldError[] {
  const positive: Readonly<Record<string, string | number | undefined>> = {
    'spec.storage.size': storage.size,
    'spec.etcd.quotaBackendBytes': etcd.quotaBackendBytes,
    'spec.defragmentation.freeSpaceAbove': defragmentation.freeSpaceAbove,
    'spec.defragmentation.minReclaim': defragmentation.minReclaim,
    ...quantitiesOf('spec.resources.requests', resources?.requests),
    ...quantitiesOf('spec.resources.limits', resources?.limits),
  };
  const errors = Object.entries(positive).flatMap(([path, quantity]) => quantityErrors(path, quantity));
  const { quotaBackendBytes } = etcd;
  if (errors.length > 0 || quotaBackendBytes === undefined || bytesOf(quotaBackendBytes) < bytesOf(storage.size)) {
    return errors;
  }
  return [invalid('spec.etcd.quotaBackendBytes', quotaBackendBytes, QUOTA_MESSAGE)];
}

export const QUOTA_MESSAGE = 'must be smaller than storage.size, because the log and snapshots need space too';
export const QUANTITY_MESSAGE = 'must be greater than 0';

function quantitiesOf(path: string, quantities: Readonly<Record<string, string | number>> = {}) {
  return Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [`${path}[${name}]`, quantity]));
}

function quantityErrors(path: string, quantity: string | number | undefined): FieldError[] {
  if (quantity === undefined) return [];
  const amount = parseQuantity(quantity);
  return amount !== undefined && amount > 0 ? [] : [invalid(path, quantity, QUANTITY_MESSAGE)];
}

function checkEtcd({ etcd }: Spec): FieldError[] {
  const { options = {}, autoCompactionMode, autoCompactionRetention } = etcd;
  const errors = Object.entries(options).flatMap(([name, value]) => {
    const problem = optionProblem(name, value);
    return problem === undefined ? [] : [invalid(`spec.etcd.options[${name}]`, value, problem)];
  });
  if (autoCompactionMode === 'revision' && !/^\d*$/u.test(autoCompactionRetention ?? '')) {
    errors.push(invalid('spec.etcd.autoCompactionRetention', autoCompactionRetention, RETENTION_MESSAGE));
  }
  const heartbeatMs = Number(options['heartbeat-interval'] ?? HEARTBEAT_MS_DEFAULT);
  const electionMs = Number(options['election-timeout'] ?? ELECTION_MS_DEFAULT);
  if (electionMs < heartbeatMs * ELECTION_FACTOR_MIN) {
    const message = `must be at least ${ELECTION_FACTOR_MIN} times heartbeat-interval, or etcd does not start`;
    errors.push(invalid('spec.etcd.options[election-timeout]', electionMs, message));
  }
  return errors;
}

export const RETENTION_MESSAGE = 'must be a number of revisions when autoCompactionMode is revision';
/** Defaults and rule of etcd. */
const HEARTBEAT_MS_DEFAULT = 100;
const ELECTION_MS_DEFAULT = 1_000;
const ELECTION_FACTOR_MIN = 5;

function checkPlacement({ affinity, topologySpreadConstraints, podTemplate }: Spec): FieldError[] {
  const pods = podTemplate?.spec ?? {};
  return [
    ...(affinity && pods.affinity ? [forbidden('spec.podTemplate.spec.affinity', 'spec.affinity is set')] : []),
    ...(topologySpreadConstraints && pods.topologySpreadConstraints
      ? [forbidden('spec.podTemplate.spec.topologySpreadConstraints', 'spec.topologySpreadConstraints is set')]
      : []),
  ];
}

export const IMMUTABLE_MESSAGE = 'field is immutable';
export const TLS_MESSAGE = 'field is immutable: members with and without it cannot talk to each other';
export const SHRINK_MESSAGE = 'volumes cannot shrink';

function checkChange({ storage, security: { tls } }: Spec, old: Spec): FieldError[] {
  const errors: FieldError[] = [];
  if (storage.storageClassName !== old.storage.storageClassName) {
    errors.push(forbidden('spec.storage.storageClassName', IMMUTABLE_MESSAGE));
  }
  if (!deepEqual(storage.volumeClaimTemplate, old.storage.volumeClaimTemplate)) {
    errors.push(forbidden('spec.storage.volumeClaimTemplate', IMMUTABLE_MESSAGE));
  }
  if (bytesOf(storage.size) < bytesOf(old.storage.size)) errors.push(forbidden('spec.storage.size', SHRINK_MESSAGE));
  for (const field of ['enabled', 'clientTLSEnabled', 'peerTLSEnabled', 'autoTLS'] as const) {
    if (tls[field] !== old.security.tls[field]) errors.push(forbidden(`${tlsPath}.${field}`, TLS_MESSAGE));
  }
  return errors;
}

function invalid(path: string, value: unknown, message: string): FieldError {
  return { path, type: 'Invalid value', message: `${JSON.stringify(value)}: ${message}` };
}

function forbidden(path: string, message: string): FieldError {
  return { path, type: 'Forbidden', message };
}
