/** The fields of an ECSMService that decisions about other services use. */
import { findCondition, keyOf } from '@ecsm/runtime';
import { ECSMService } from '../apis/ecsm-service.ts';
import { parseQuantity } from '../apis/quantity.ts';
import { replicasWanted } from '../apis/service-columns.ts';
import { platformFinalizer } from '../apis/well-known.ts';

export interface FleetDependency {
  /** Of the service that is needed. */
  readonly key: string;
  readonly condition: 'Available' | 'Exists';
  readonly onLost: 'Ignore' | 'Stop';
}

/** Of one instance. Absent: no limit. */
export interface InstanceLimits {
  readonly memoryBytes?: number;
  readonly diskBytes?: number;
}

export interface FleetService {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The resource version that these fields are of. */
  readonly version: string;
  readonly createdTime: string;
  readonly isBeingDeleted: boolean;
  /** When its deletion was requested. */
  readonly deletionTime?: string;
  readonly dependsOn: readonly FleetDependency[];
  /** It has no instances, and may not have any until its dependencies are met. */
  readonly isWaiting: boolean;
  readonly priorityClassName?: string;
  readonly limits: InstanceLimits;
  readonly policy: 'Dynamic' | 'Static';
  /** The desired number of instances. */
  readonly replicas: number;
  /** Nodes that instances may run on (Dynamic), or each have one (Static). */
  readonly nodeNames: readonly string[];
  /** Instances above the desired number during an update. */
  readonly maxSurge: number;
  /** Instances that may be missing during an update. */
  readonly maxUnavailable: number;
  /** Whether the condition Available is True for the newest spec. */
  readonly isAvailable: boolean;
  /** The same for whichever spec the status was written: an edit alone does not make a service unavailable. */
  readonly isReportedAvailable: boolean;
  /** Whether the operator has not finished its deletion: it may exist on the platform. */
  readonly mayBeOnPlatform: boolean;
  /** Instances that exist, and that run, by the status. */
  readonly existingCount: number;
  readonly readyCount: number;
  readonly preempted?: { readonly by?: string; readonly replicas: number };
  /** Restarts of its instances by the platform. */
  readonly restartCount: number;
  readonly isDegraded: boolean;
  /** Whether the newest revision is rolled out completely. */
  readonly isRolledOut: boolean;
  /** When one of its conditions last changed. Before the first: its creation. */
  readonly lastTransitionTime: string;
}

export function keyOfService(namespace: string, name: string): string {
  return keyOf(ECSMService, namespace, name);
}

export function fleetServiceOf({ metadata, spec, status }: ECSMService): FleetService {
  const { namespace, name, uid, resourceVersion, deletionTimestamp, creationTimestamp } = metadata;
  const { type, nodePool = [], nodes = [] } = spec.deploymentStrategy;
  const { updateStrategy, priorityClassName } = spec;
  const available = findCondition(status?.conditions, 'Available');
  const rolling = updateStrategy.rollingUpdate ?? { maxSurge: 1, maxUnavailable: 1 };
  return {
    key: keyOfService(namespace, name),
    namespace,
    name,
    uid,
    version: resourceVersion,
    createdTime: creationTimestamp,
    isBeingDeleted: deletionTimestamp !== undefined,
    ...(deletionTimestamp === undefined ? {} : { deletionTime: deletionTimestamp }),
    dependsOn: (spec.dependsOn ?? []).map((one) => ({
      key: keyOfService(one.namespace ?? namespace, one.name),
      condition: one.condition,
      onLost: one.onLost,
    })),
    isWaiting:
      (spec.dependsOn ?? []).length > 0 &&
      (status?.replicas ?? 0) === 0 &&
      findCondition(status?.conditions, 'DependenciesReady')?.status !== 'True',
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    limits: limitsOf(spec.template.resources?.limits),
    policy: type,
    replicas: replicasWanted({ spec }),
    nodeNames: type === 'Static' ? nodes : nodePool,
    maxSurge: updateStrategy.type === 'RollingUpdate' ? rolling.maxSurge : 0,
    maxUnavailable: rolling.maxUnavailable,
    isAvailable: available?.status === 'True' && status?.observedGeneration === metadata.generation,
    isReportedAvailable: available?.status === 'True',
    mayBeOnPlatform: metadata.finalizers?.includes(platformFinalizer) ?? false,
    existingCount: status?.replicas ?? 0,
    readyCount: status?.readyReplicas ?? 0,
    ...(status?.preempted === undefined ? {} : { preempted: status.preempted }),
    restartCount: (status?.instances ?? []).reduce((sum, { restarts }) => sum + restarts, 0),
    isDegraded: findCondition(status?.conditions, 'Degraded')?.status === 'True',
    isRolledOut:
      status?.observedGeneration === metadata.generation &&
      findCondition(status.conditions, 'Progressing')?.reason === 'Complete',
    lastTransitionTime: (status?.conditions ?? []).reduce(
      (latest, { lastTransitionTime }) => (lastTransitionTime > latest ? lastTransitionTime : latest),
      creationTimestamp,
    ),
  };
}

function limitsOf(limits: { readonly memory?: string; readonly disk?: string } = {}): InstanceLimits {
  const memoryBytes = limits.memory === undefined ? undefined : parseQuantity(limits.memory);
  const diskBytes = limits.disk === undefined ? undefined : parseQuantity(limits.disk);
  return {
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    ...(diskBytes === undefined ? {} : { diskBytes }),
  };
}
