/** Converts a container of the platform to a Pod of Kubernetes. */
import { type ContainerRow, numberOf } from '@ecsm/client';
import { redactText, timestampAt } from '@ecsm/runtime';
import { ECSMService } from '../apis/ecsm-service.ts';
import { platformNameAnnotation, revisionLabel, serviceLabel, unmanagedNamespace } from '../apis/well-known.ts';
import type { Mark } from '../resource/model.ts';
import { explainedText } from '../resource/platform-text.ts';
import { hostOf, type InstanceFacts, isIpAddress, metadataOf, type Observation } from './facts.ts';
import { containerNameOf, labelValueOf, nodeNameOf, podNameOf } from './names.ts';
import { type ContainerStatus, Pod, type PodStatus } from './pod-kind.ts';
import { bytesQuantity } from './quantity.ts';

/** Names the pods of all containers. Two of them never have the same name. */
export function instancesOf(
  rows: readonly ContainerRow[],
  ownerOf: (serviceId: string) => Mark | undefined,
): InstanceFacts[] {
  const used = new Set<string>();
  return rows
    .toSorted((left, right) => (left.taskId < right.taskId ? -1 : 1))
    .map((row) => {
      const owner = ownerOf(row.serviceId);
      const namespace = owner?.namespace ?? unmanagedNamespace;
      const wanted = podNameOf(owner?.name ?? serviceNameOf(row), row.taskId);
      let name = wanted;
      // Two task ids with one hash of 48 bits.
      for (let number = 2; used.has(`${namespace}/${name}`); number++) name = `${wanted}.${number}`;
      used.add(`${namespace}/${name}`);
      return { row, namespace, name, ...(owner && { owner }) };
    });
}

export function podOf(facts: InstanceFacts, observation: Observation): Pod {
  const { row, owner, namespace, name } = facts;
  const { timeOf } = observation;
  const status = containerStatusOf(facts, observation);
  const limits = limitsOf(row);
  const startedMs = timeOf(row.startedTime) ?? timeOf(row.createdTime);
  const host = hostOf(row.address);
  const reason = status.state.waiting?.reason ?? status.state.terminated?.reason;
  const message = status.state.waiting?.message ?? status.state.terminated?.message;
  return {
    apiVersion: Pod.apiVersion,
    kind: Pod.kind,
    metadata: metadataOf(
      {
        name,
        namespace,
        uid: row.taskId,
        createdMs: timeOf(row.createdTime) ?? timeOf(row.taskCreatedTime) ?? startedMs,
        labels: labelsOf(row, owner),
        annotations: { [platformNameAnnotation]: row.name },
        ...(owner && { ownerReferences: [ownerReferenceOf(owner)] }),
      },
      observation,
    ),
    spec: {
      nodeName: nodeNameOf(row.nodeName),
      containers: [{ name: status.name, image: status.image, resources: limits === undefined ? {} : { limits } }],
      schedulerName: 'ecsm',
    },
    status: {
      phase: phaseOf(row),
      ...(!status.ready && reason !== undefined && { reason }),
      ...(!status.ready && message !== undefined && { message }),
      conditions: conditionsOf(status, timeOf(row.startedTime)),
      ...(host !== undefined && isIpAddress(host) && { hostIP: host }),
      ...(startedMs !== undefined && { startTime: timestampAt(startedMs) }),
      containerStatuses: [status],
    },
  };
}

/** The name of the service on the platform. */
function serviceNameOf({ serviceName, name }: ContainerRow): string {
  return serviceName ?? name;
}

export function podContainerName({ row, owner }: InstanceFacts): string {
  return containerNameOf(owner?.name ?? serviceNameOf(row));
}

/**
 * A service is meant to run until it is deleted, and the platform does not report exit codes: an instance that has ended
 * has failed.
 */
function phaseOf({ deployStatus, status }: ContainerRow): PodStatus['phase'] {
  if (deployStatus === 'failure') return 'Failed';
  if (status === null) return 'Unknown';
  if (deployStatus === 'deploying' || status === 'created') return 'Pending';
  if (status === 'running' || status === 'paused') return 'Running';
  return status === 'exited' ? 'Failed' : 'Unknown';
}

export function isReady({ deployStatus, status }: ContainerRow): boolean {
  return deployStatus === 'success' && status === 'running';
}

function containerStatusOf(facts: InstanceFacts, { timeOf }: Observation): ContainerStatus {
  const { row } = facts;
  const startedMs = timeOf(row.startedTime);
  const startedAt = startedMs === undefined ? {} : { startedAt: timestampAt(startedMs) };
  return {
    name: podContainerName(facts),
    image: imageOf(row),
    imageID: row.imageId ?? '',
    ...(row.id && { containerID: `ecsm://${row.id}` }),
    ready: isReady(row),
    started: row.status === 'running',
    restartCount: Math.max(0, Math.trunc(numberOf(row.restartCnt) ?? 0)),
    state: stateOf(row, startedAt),
  };
}

function stateOf(row: ContainerRow, startedAt: { readonly startedAt?: string }): ContainerStatus['state'] {
  const { deployStatus, status, nodeName } = row;
  const waiting = (reason: string, message?: string) => ({ waiting: { reason, ...(message && { message }) } });
  if (deployStatus === 'failure') return waiting('DeployFailed', failureOf(row));
  if (status === null) return waiting('StatusUnknown', `the platform does not know; node ${nodeName} may be offline`);
  if (deployStatus === 'deploying') return waiting('ContainerCreating');
  switch (status) {
    case 'running':
      return { running: startedAt };
    case 'paused':
      return waiting('Paused', 'the container was paused on the platform');
    case 'created':
      return waiting('Created', 'the container was created, but not started');
    case 'exited':
      return {
        terminated: { exitCode: -1, reason: 'Exited', message: 'the platform gives no exit code', ...startedAt },
      };
    default:
      return waiting('StatusUnknown', `the platform reports the status ${status}`);
  }
}

/** The text is the platform's, and may contain a password of a registry. */
function failureOf({ failedMessage }: ContainerRow): string {
  return failedMessage ? explainedText(redactText(failedMessage)) : 'the platform gives no reason';
}

function conditionsOf(
  { ready, state }: ContainerStatus,
  startedMs: number | undefined,
): NonNullable<PodStatus['conditions']> {
  const { reason } = state.waiting ?? state.terminated ?? {};
  return [
    { type: 'PodScheduled', status: 'True' },
    ready
      ? {
          type: 'Ready',
          status: 'True',
          ...(startedMs !== undefined && { lastTransitionTime: timestampAt(startedMs) }),
        }
      : { type: 'Ready', status: 'False', ...(reason !== undefined && { reason }) },
  ];
}

function labelsOf(row: ContainerRow, owner: Mark | undefined): Readonly<Record<string, string>> {
  const service = labelValueOf(owner?.name ?? serviceNameOf(row));
  const revision = labelValueOf(owner?.revision);
  return {
    ...(service !== undefined && { 'app.kubernetes.io/name': service, [serviceLabel]: service }),
    ...(owner && { 'app.kubernetes.io/managed-by': 'ecsm-operator' }),
    ...(revision !== undefined && { [revisionLabel]: revision }),
  };
}

function ownerReferenceOf({ name, uid }: Mark) {
  const { apiVersion, kind } = ECSMService;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false };
}

function imageOf({ imageName, imageVersion, imageOS }: ContainerRow): string {
  const tag = imageVersion ? `@${imageVersion}` : '';
  return imageName ? `${imageName}${tag}${imageOS ? `#${imageOS}` : ''}` : '';
}

/** 0 means no limit. */
function limitsOf({ memoryLimit, sizeLimit }: ContainerRow): Readonly<Record<string, string>> | undefined {
  const memory = numberOf(memoryLimit) ?? 0;
  const disk = numberOf(sizeLimit) ?? 0;
  if (memory <= 0 && disk <= 0) return undefined;
  return {
    ...(memory > 0 && { memory: bytesQuantity(memory) }),
    ...(disk > 0 && { 'ephemeral-storage': bytesQuantity(disk) }),
  };
}
