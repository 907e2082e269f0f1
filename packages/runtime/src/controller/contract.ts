/** The types of a controller: its options, its reconcile function and its observer. */
import type { Kind } from '../api/kind.ts';
import type { ApiObject } from '../api/object.ts';
import type { Informers } from '../informer/informers.ts';
import type { StandardMetrics } from '../manager/standard-metrics.ts';
import type { Log } from '../ports/log.ts';
import type { Registry } from '../registry/contract.ts';
import type { QueueObserver, WorkQueueOptions } from '../workqueue/contract.ts';
import type { Outcome, ReconcileResult } from './outcome.ts';
import type { Predicate } from './predicate.ts';
import type { OwnWatch, Watch } from './source.ts';

export interface Request {
  /** The key in the store; constant for an object. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
}

export interface ReconcileContext<Spec, Status> {
  /**
   * Returns the newest version of the object; undefined if it was deleted. It is never older than the change that
   * enqueued the key: a stale read makes the reconcile fail with `Unavailable`, and so be retried.
   */
  get(): Promise<ApiObject<Spec, Status> | undefined>;
  /** Write through this registry: it is fenced if there is a leader, and it records the writes of this reconcile. */
  readonly registry: Registry;
  /** Aborts after the timeout of the reconcile, or `graceMs` after the controller was stopped. Pass it on. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Why the key was enqueued, for logs only. */
  readonly reason: string;
  /** Consecutive failures before this attempt. */
  readonly attempt: number;
}

export type Reconcile<Spec, Status> = (
  request: Request,
  context: ReconcileContext<Spec, Status>,
) => Promise<ReconcileResult>;

/** Replaces the metrics of the controller. */
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
  /** Other kinds whose changes enqueue objects of this kind, and its own kind if `predicates` are not enough. */
  readonly watches?: readonly (Watch | OwnWatch)[];
  /** Which changes of its own kind enqueue a key, unless `watches` contains that kind. Default: all of them. */
  readonly predicates?: readonly Predicate[];
  readonly namespace?: string;
  /** Maximum number of concurrent reconciles. Default 1. */
  readonly workers?: number;
  /** Timeout of one reconcile; its signal aborts then. Default 60,000. */
  readonly timeoutMs?: number;
  /**
   * How long reconciles in flight may continue after a stop. Default 4,000. With an election it must be shorter than the
   * time between the end of a leader's term and the end of its lease (5,000 by default), so that two leaders never act
   * at the same time.
   */
  readonly graceMs?: number;
  /**
   * Timeout of the first lists; `run` then fails with `Timeout`. Default: no limit, as informers retry. With a limit, a
   * process whose registry is unreachable exits, and its supervisor notices.
   */
  readonly syncMsMax?: number;
  /** Backoff and ageing of the queue; the defaults are those of `WorkQueue`. */
  readonly queue?: Pick<WorkQueueOptions, 'backoffMsMin' | 'backoffMsMax' | 'ageingMs'>;
  /** Priority of the keys of the first list; changes have 0. Default -10; ageing raises them over time. */
  readonly initialPriority?: number;
  readonly log?: Log;
  /** Default: none. */
  readonly metrics?: StandardMetrics;
  readonly observer?: ControllerObserver;
}

/** The dependencies of a run. A manager passes all of them. */
export interface ControllerContext {
  readonly registry: Registry;
  readonly signal: AbortSignal;
  /** Shared with other controllers. Default: informers of its own. */
  readonly informers?: Informers;
}
