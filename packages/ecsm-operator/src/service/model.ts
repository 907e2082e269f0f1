/** A plan for one service: steps on the platform, status, conditions and events. Plain data. */

import type { ServiceBody } from '@ecsm/client';
import type { Condition } from '@ecsm/runtime';
import type { ECSMService, ServiceStatus, ServiceTemplate } from '../apis/ecsm-service.ts';
import type { PlatformService } from '../resource/model.ts';
import type { Allocation } from './allocation.ts';
import type { DependencyState } from './dependencies/dependency-state.ts';

/** One call to the platform. `why` is shown in log lines, events and the output of `plan`. */
export type Step =
  | { readonly do: 'create'; readonly body: ServiceBody; readonly why: string }
  | {
      readonly do: 'update';
      readonly id: string;
      readonly body: ServiceBody;
      readonly why: string;
      /** A platform may refuse a factor of 0 (`Rejected`). Then the service is deleted, which has the same effect. */
      readonly ifRefused?: 'delete';
    }
  | { readonly do: 'delete'; readonly id: string; readonly name: string; readonly why: string }
  /** Starts every instance of a service that is not running. */
  | { readonly do: 'start'; readonly id: string; readonly name: string; readonly why: string }
  | { readonly do: 'unpause'; readonly id: string; readonly name: string; readonly why: string }
  /** Starts or unpauses one instance, by its name. May be refused: the next plan then uses another step. */
  | { readonly do: 'startInstance' | 'unpauseInstance'; readonly instance: string; readonly why: string }
  | { readonly do: 'redeploy'; readonly id: string; readonly name: string; readonly why: string };

export interface RevisionContent {
  readonly hash: string;
  readonly template: ServiceTemplate;
  readonly restartedAt?: string;
}

/** The status of a service that has none yet. */
export const emptyStatus: ServiceStatus = {
  replicas: 0,
  readyReplicas: 0,
  updatedReplicas: 0,
  unavailableReplicas: 0,
  conditions: [],
};

/** Everything that a plan depends on. */
export interface PlanInput {
  readonly service: ECSMService;
  readonly registryId: string;
  /** The revision of the current spec. */
  readonly revision: RevisionContent;
  /** Known revisions of this service by hash, the newest among them. */
  readonly revisions: ReadonlyMap<string, RevisionContent>;
  /** Every service on the platform with the name of this service, or that name with a revision; read just now. */
  readonly observed: readonly PlatformService[];
  /** Names of offline nodes. */
  readonly offlineNodes: ReadonlySet<string>;
  /** What the placement of all services allows this one. Absent: nothing limits it. */
  readonly allocation?: Allocation;
  readonly nowMs: number;
  readonly settings: PlanSettings;
  /** Absent: the service depends on no other. */
  readonly dependencies?: DependencyState;
  /** Whether reasons contain the values of env, command and vsoa. Only for a plan that is printed. Default: false. */
  readonly showValues?: boolean;
}

export interface PlanSettings {
  /** Time in which the platform may restart an instance before the operator does. Default 15,000. */
  readonly healGraceMs: number;
  /** First backoff after a repair; it doubles each time. Default 10,000. */
  readonly redeployMsMin: number;
  /** Maximum backoff. Default 600,000. */
  readonly redeployMsMax: number;
  /** Time in which the platform may move a dynamic service away from a lost node. Default 300,000. */
  readonly lostNodeGraceMs: number;
  /** Poll interval while an operation is in progress. Default 2,000. */
  readonly pollMs: number;
}

export interface PlannedEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export type PlannedCondition = Omit<Condition, 'lastTransitionTime'>;

export interface Plan {
  /** In order; a few at most. After them the platform is read again before the next plan. */
  readonly steps: readonly Step[];
  /** The status to write, without conditions. */
  readonly status: Omit<ServiceStatus, 'conditions'>;
  readonly conditions: readonly PlannedCondition[];
  readonly events: readonly PlannedEvent[];
  /** When to plan again, if time alone may change the plan. */
  readonly requeueAfterMs?: number;
}
