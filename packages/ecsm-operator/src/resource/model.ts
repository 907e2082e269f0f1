/**
 * The state of the platform as decisions use it: services with their owner marks, and their instances.
 */
import type { ServiceDetail } from '@ecsm/client';

/** Owner and revision of a service on the platform. It is kept in the environment of its instances. */
export interface Mark {
  /** Id of the owner's registry: two registries may share one platform. */
  readonly registry: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The hash of the revision that it was rendered from. */
  readonly revision: string;
}

export interface Instance {
  readonly taskId: string;
  readonly name: string;
  readonly nodeName: string;
  /** Null: unknown, as on an offline node. Never treated as deleted. */
  readonly status: 'created' | 'running' | 'exited' | 'paused' | (string & {}) | null;
  readonly deployment: 'deploying' | 'success' | 'failure' | (string & {});
  /** Why its deployment failed. */
  readonly message?: string;
  /** Restarts by the platform. */
  readonly restarts: number;
  readonly startedMs?: number;
}

export interface PlatformService {
  readonly id: string;
  readonly name: string;
  /** Absent: not created by this product. */
  readonly mark?: Mark;
  readonly policy: 'static' | 'dynamic';
  readonly factor: number;
  readonly nodeNames: readonly string[];
  /** The platform's version of the service. */
  readonly updatedTime: string;
  readonly isDeploying: boolean;
  readonly instances: readonly Instance[];
  /** As the platform returned it, for comparison with the spec. */
  readonly detail: ServiceDetail;
}

/** How long the platform may take to delete a service. One that still exists after it counts as not deleted. */
export const removalMs = 30_000;
