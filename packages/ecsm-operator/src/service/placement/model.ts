/**
 * The placement question: which services may have how many instances, given the capacity of the nodes and the priorities
 * of the services. Plain data.
 */
import type { InstanceLimits } from '../../fleet/fleet-service.ts';

/** An online node. What foreign containers use is already subtracted. */
export interface PlacementNode {
  readonly name: string;
  /** Absent: the platform does not report it, and it limits nothing. */
  readonly memoryBytes?: number;
  readonly diskBytes?: number;
}

export interface PlacementService {
  readonly key: string;
  /** As `namespace/name`, for messages and `by`. */
  readonly name: string;
  readonly createdTime: string;
  readonly priority: number;
  /** False with the preemption policy `Never`. */
  readonly mayPreempt: boolean;
  /** Of one instance. A service without limits is neither counted nor preempted. */
  readonly limits: InstanceLimits;
  readonly policy: 'Dynamic' | 'Static';
  /** The number of instances that the user wants. */
  readonly desired: number;
  /** Further instances that an update in progress may use. 0 without one. */
  readonly surge: number;
  /** Whether the update cannot proceed without the surge. Only then other services give up instances for it. */
  readonly isSurgeNeeded: boolean;
  /** The pool (Dynamic), or the nodes that have one instance each (Static). */
  readonly nodeNames: readonly string[];
  /** Instances that exist, by node. They count until they are deleted. */
  readonly placed: ReadonlyMap<string, number>;
  /** Instances that were requested and do not exist yet: their node is not known (Dynamic). */
  readonly floating: number;
  /** The nodes of such instances (Static). */
  readonly floatingNodes: readonly string[];
  /** Instances were given up before, and not restored. */
  readonly hold?: Hold;
}

export interface Hold {
  /** The service of higher priority, as `namespace/name`. Absent: it was deleted, and there is no room yet. */
  readonly by?: string;
  /** The number of instances that were left. */
  readonly allowed: number;
  /** For Static: their nodes. Absent if the hold was read from a status. */
  readonly nodeNames?: readonly string[];
  /** Since when there is room for more. */
  readonly roomSinceMs?: number;
}

export interface PlacementInput {
  /** Online nodes only: an offline node has no capacity. */
  readonly nodes: readonly PlacementNode[];
  readonly services: readonly PlacementService[];
  readonly nowMs: number;
  /** How long there has to be room before instances are restored. */
  readonly restoreMs: number;
}

export interface Victim {
  readonly name: string;
  readonly replicas: number;
}

export interface Placement {
  /** The number of instances that the service may have now, at most the desired one. */
  readonly allowed: number;
  /** Further instances that its update may use now. */
  readonly surge: number;
  /** For Static: the nodes that may have an instance. */
  readonly nodeNames?: readonly string[];
  /** Instances are held back for a service of higher priority. */
  readonly hold?: Hold;
  /** Why not all instances fit: numbers that a person can check. */
  readonly unschedulable?: string;
  /** Which instances have to be deleted before all instances fit. */
  readonly waiting?: string;
  /** Services that give up instances for this one, which have not all been deleted. */
  readonly victims?: readonly Victim[];
}

export interface PlacementResult {
  /** By key. Services without limits are not among them. */
  readonly placements: ReadonlyMap<string, Placement>;
  /** When time alone changes the result. */
  readonly dueMs?: number;
}
