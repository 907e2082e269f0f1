/**
 * What the product sees of the platform: services with the mark of their owner, and their instances. Decisions are made
 * on this and on nothing else.
 */
import type { ServiceDetail } from '@ecsm/client';

/** Who made a service on the platform, for whom, and of which revision. It travels in the environment of its instances. */
export interface Mark {
  /** Of the registry that the owner is in: two registries may share one platform. */
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
  /** Null: not known now, as on a node that is offline. Never taken for gone. */
  readonly status: 'created' | 'running' | 'exited' | 'paused' | (string & {}) | null;
  readonly deployment: 'deploying' | 'success' | 'failure' | (string & {});
  /** Why its deployment failed. */
  readonly message?: string;
  /** Restarts that it did by itself. */
  readonly restarts: number;
  readonly startedMs?: number;
}

export interface PlatformService {
  readonly id: string;
  readonly name: string;
  /** Absent: nobody's, or somebody else's who marks in another way. */
  readonly mark?: Mark;
  readonly policy: 'static' | 'dynamic';
  readonly factor: number;
  readonly nodeNames: readonly string[];
  /** The platform's own version of it. */
  readonly updatedTime: string;
  readonly isDeploying: boolean;
  readonly instances: readonly Instance[];
  /** As the platform gave it, to be compared with what it should be. */
  readonly detail: ServiceDetail;
}

/** How long the platform may take to delete a service. One that is still there after it was not deleted, and counts again. */
export const removalMs = 30_000;
