/** A plan: what is to be done on the platform for one service, why, and what is to be said about it. Plain data. */

import type { ServiceBody } from '@ecsm/client';
import type { Condition } from '@ecsm/runtime';
import type { ECSMService, ServiceStatus, ServiceTemplate } from '../apis/ecsm-service.ts';
import type { PlatformService } from '../resource/model.ts';

/** One call to the platform. `why` is for people: a log line, an event, the output of `plan`. */
export type Step =
  | { readonly do: 'create'; readonly body: ServiceBody; readonly why: string }
  | {
      readonly do: 'update';
      readonly id: string;
      readonly body: ServiceBody;
      readonly why: string;
      /** A platform may refuse a factor of 0 (`Rejected`). The service is deleted then: no service has no instances. */
      readonly ifRefused?: 'delete';
    }
  | { readonly do: 'delete'; readonly id: string; readonly name: string; readonly why: string }
  /** Starts every instance of a service that does not run. */
  | { readonly do: 'start'; readonly id: string; readonly name: string; readonly why: string }
  | { readonly do: 'unpause'; readonly id: string; readonly name: string; readonly why: string }
  /** Starts or continues one instance, by its name. Only an attempt: if it is refused, the next plan tries another way. */
  | { readonly do: 'startInstance' | 'unpauseInstance'; readonly instance: string; readonly why: string }
  | { readonly do: 'redeploy'; readonly id: string; readonly name: string; readonly why: string };

export interface RevisionContent {
  readonly hash: string;
  readonly template: ServiceTemplate;
  readonly restartedAt?: string;
}

/** All that a decision may depend on. */
export interface PlanInput {
  readonly service: ECSMService;
  readonly registryId: string;
  /** Of the spec as it is now. */
  readonly revision: RevisionContent;
  /** Known revisions of this service by hash, the newest among them. */
  readonly revisions: ReadonlyMap<string, RevisionContent>;
  /** Every service on the platform that has the name of ours, or that name with a revision behind it; read just now. */
  readonly observed: readonly PlatformService[];
  /** Names of nodes that the platform says are offline. */
  readonly offlineNodes: ReadonlySet<string>;
  readonly nowMs: number;
  readonly settings: PlanSettings;
}

export interface PlanSettings {
  /** An instance that does not run is left to the platform's own restarts for so long. Default 15,000. */
  readonly healGraceMs: number;
  /** The first redeployment of a failed deployment waits so long, each further one twice as long. Default 10,000. */
  readonly redeployMsMin: number;
  /** The longest of these waits. Default 600,000. */
  readonly redeployMsMax: number;
  /** A dynamic service that is still on a lost node after so long is moved. Default 300,000. */
  readonly lostNodeGraceMs: number;
  /** How soon to look again while something is under way. Default 2,000. */
  readonly pollMs: number;
}

export interface PlannedEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export type PlannedCondition = Omit<Condition, 'lastTransitionTime'>;

export interface Plan {
  /** In order; a few at most. After them the world is looked at again before anything else is decided. */
  readonly steps: readonly Step[];
  /** The status to write, without conditions. */
  readonly status: Omit<ServiceStatus, 'conditions'>;
  readonly conditions: readonly PlannedCondition[];
  readonly events: readonly PlannedEvent[];
  /** When to look again, if time alone may change the plan. */
  readonly requeueAfterMs?: number;
}
