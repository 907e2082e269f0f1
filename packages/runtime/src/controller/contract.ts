/** What a controller takes, gives to its reconcile function, and reports. */
import type { Kind } from '../api/kind.ts';
import type { ApiObject } from '../api/object.ts';
import type { Informers } from '../informer/informers.ts';
import type { StandardMetrics } from '../manager/standard-metrics.ts';
import type { Log } from '../ports/log.ts';
import type { Registry } from '../registry/contract.ts';
import type { QueueObserver, WorkQueueOptions } from '../workqueue/contract.ts';
import type { Outcome, ReconcileResult } from './outcome.ts';
import type { Predicate } from './predicate.ts';
import type { Watch } from './source.ts';

export interface Request {
  /** The key in the store; the same object always has the same. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
}

export interface ReconcileContext<Spec, Status> {
  /**
   * The newest version of the object; nothing if it is gone. It is never older than what woke the key: a store that
   * answers with less makes the reconcile fail with `Unavailable`, and so be repeated.
   */
  get(): Promise<ApiObject<Spec, Status> | undefined>;
  /** Writes go through this one: it is fenced if there is a leader, and it knows what this reconcile wrote. */
  readonly registry: Registry;
  /** Aborts when the reconcile has taken too long, or some seconds after the controller was told to stop. Pass it on. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Why the key was queued, for people. Do not decide by it. */
  readonly reason: string;
  /** Failures in a row before this attempt. */
  readonly attempt: number;
}

export type Reconcile<Spec, Status> = (
  request: Request,
  context: ReconcileContext<Spec, Status>,
) => Promise<ReconcileResult>;

/** Who hears what happens. In place of metrics, for those who count in their own way. */
export interface ControllerObserver {
  readonly queue?: QueueObserver;
  reconciled?(outcome: Outcome['is'], tookMs: number): void;
  active?(workers: number): void;
  /** A predicate or a map function threw; the event was skipped. */
  watchPanicked?(): void;
}

export interface ControllerOptions<Spec, Status, SpecInput, StatusInput> {
  readonly name: string;
  readonly kind: Kind<Spec, Status, SpecInput, StatusInput>;
  readonly reconcile: Reconcile<Spec, Status>;
  /** Other kinds whose changes concern objects of this one. */
  readonly watches?: readonly Watch[];
  /** Which changes of its own kind count. Default: all of them. */
  readonly predicates?: readonly Predicate[];
  readonly namespace?: string;
  /** Reconciles at once. Default 1. */
  readonly workers?: number;
  /** How long one reconcile may take before it is told to stop. Default 60,000. */
  readonly timeoutMs?: number;
  /**
   * How long what is in flight may go on after a stop. Default 4,000. With an election it has to be shorter than the time
   * between the end of a leader's term and the end of its lease (5,000 by default), so that two leaders never act at once.
   */
  readonly graceMs?: number;
  /**
   * How long the first lists may take before the run fails with `Timeout`. Default: no limit, as informers retry. A limit
   * ends a process that waits for its registry, so that its supervisor notices.
   */
  readonly syncMsMax?: number;
  /** Backoff and ageing of the queue; the defaults are those of `WorkQueue`. */
  readonly queue?: Pick<WorkQueueOptions, 'backoffMsMin' | 'backoffMsMax' | 'ageingMs'>;
  /** Of keys that were there before the controller started; changes have 0. Default -10; ageing raises them in time. */
  readonly initialPriority?: number;
  readonly log?: Log;
  /** Where to count. Default: nowhere. */
  readonly metrics?: StandardMetrics;
  readonly observer?: ControllerObserver;
}

/** What a controller runs with. A manager gives it all of this. */
export interface ControllerContext {
  readonly registry: Registry;
  readonly signal: AbortSignal;
  /** Shared with other controllers. Default: its own. */
  readonly informers?: Informers;
}
