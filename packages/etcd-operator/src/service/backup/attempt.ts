/**
 * Attempts of a piece of work that a worker pod does: at most one pod at a time, repeated with growing pauses if it fails,
 * disappears, or takes too long. What is recorded is written before the pod is created, so that another process finds it.
 */
import type { WorkerFacts } from '../../resource/worker-facts.ts';
import { type AgentFailure, type AgentSuccess, resultOf } from './result.ts';

export interface WorkerRecord {
  readonly name: string;
  /** Undefined until the pod was seen. */
  readonly uid?: string;
  readonly startedAtMs: number;
  /** Why it was deleted by the operator; without a uid, why Kubernetes refused it. */
  readonly ending?: string;
}

export interface AttemptRecord {
  /** How many were started. */
  readonly attempts: number;
  readonly worker?: WorkerRecord;
  readonly nextAtMs?: number;
}

export interface AttemptLimits {
  readonly nowMs: number;
  /**
   * Of the pod. All attempts have the same, so that a second pod cannot be created beside the first: a pod that is deleted
   * keeps its name until its processes have ended, and the operator never deletes one by force.
   */
  readonly name: string;
  /** Further attempts after the first one. */
  readonly backoffLimit: number;
  /** Of one attempt. */
  readonly timeoutMs: number;
  /** Before the second attempt; twice as long before each later one. */
  readonly retryMs: number;
  /** The container whose answer counts. */
  readonly container: string;
}

export type WorkerAction =
  | { readonly do: 'createWorker'; readonly name: string; readonly attempt: number }
  | { readonly do: 'deleteWorker'; readonly name: string; readonly uid: string };

export type AttemptStep =
  | {
      readonly is: 'going';
      readonly record: AttemptRecord;
      readonly action?: WorkerAction;
      /** Absent between two attempts: why the last one failed stays to be read. */
      readonly message?: string;
      /** The pod waits for an image that cannot be pulled: it may wait until its time is over. */
      readonly isImageMissing?: boolean;
    }
  | {
      readonly is: 'retrying';
      readonly record: AttemptRecord;
      readonly action?: WorkerAction;
      readonly failure: AgentFailure;
    }
  | {
      readonly is: 'done';
      readonly record: AttemptRecord;
      readonly action?: WorkerAction;
      readonly result: AgentSuccess;
    }
  | { readonly is: 'failed'; readonly record: AttemptRecord; readonly failure: AgentFailure };

const retryMsMax = 300_000;

export function attempt(record: AttemptRecord, pod: WorkerFacts | undefined, limits: AttemptLimits): AttemptStep {
  const { nowMs, name } = limits;
  const { worker, attempts, nextAtMs } = record;
  if (worker === undefined) {
    // A longer pause than the longest one is that of a clock that was ahead.
    const pauseMs = nextAtMs === undefined ? 0 : nextAtMs - nowMs;
    if (pauseMs > 0 && pauseMs <= retryMsMax) return { is: 'going', record };
    const next = { attempts: attempts + 1, worker: { name, startedAtMs: nowMs } };
    const action = { do: 'createWorker', name, attempt: attempts + 1 } as const;
    return { is: 'going', record: next, action, message: `pod ${name} is created` };
  }
  if (pod === undefined) {
    if (worker.uid === undefined && worker.ending === undefined) {
      const action = { do: 'createWorker', name: worker.name, attempt: attempts } as const;
      return { is: 'going', record, action, message: `pod ${worker.name} is created` };
    }
    const why = worker.ending ?? `pod ${worker.name} was deleted before it had reported`;
    const ended = worker.uid === undefined ? 'WorkerRefused' : 'WorkerTimeout';
    const code = worker.ending === undefined ? 'WorkerLost' : ended;
    return again(record, undefined, limits, { code, message: why, isRetriable: true });
  }
  if (!pod.isOurs) {
    const message = `a pod of the name ${pod.name} exists that belongs to something else; delete it`;
    return again(record, undefined, limits, { code: 'ForeignPod', message, isRetriable: true });
  }
  // That of an earlier attempt, which was taken for lost.
  if (pod.attempt !== attempts) {
    const message = `waiting until the former pod ${pod.name} is gone`;
    const action = { do: 'deleteWorker', name: pod.name, uid: pod.uid } as const;
    return { is: 'going', record, ...(pod.isDeleting ? {} : { action }), message };
  }
  if (worker.uid === undefined) {
    const seen = { ...record, worker: { ...worker, uid: pod.uid } };
    return { is: 'going', record: seen, message: stateOf(pod) };
  }
  return observed(record, worker, pod, limits);
}

function observed(record: AttemptRecord, worker: WorkerRecord, pod: WorkerFacts, limits: AttemptLimits): AttemptStep {
  const { nowMs, timeoutMs, container } = limits;
  const result = resultOf(pod, container);
  const deletion = { do: 'deleteWorker', name: pod.name, uid: pod.uid } as const;
  if (result?.ok) {
    const { worker: _, nextAtMs: __, ...rest } = record;
    return { is: 'done', record: rest, action: deletion, result };
  }
  if (result) return again(record, deletion, limits, result);
  if (pod.isDeleting) return { is: 'going', record, message: `waiting until pod ${pod.name} is stopped` };
  if (nowMs - worker.startedAtMs > timeoutMs) {
    const ending = `pod ${pod.name} was not done within ${Math.round(timeoutMs / 1000)} s: ${stateOf(pod)}`;
    const next = { ...record, worker: { ...worker, ending } };
    return { is: 'going', record: next, action: deletion, message: ending };
  }
  const isImageMissing = imageFailures.test(pod.waiting ?? '');
  return { is: 'going', record, message: stateOf(pod), ...(isImageMissing ? { isImageMissing } : {}) };
}

const imageFailures = /^(ErrImagePull|ImagePullBackOff|ErrImageNeverPull|InvalidImageName)\b/u;

/** A Secret or a volume that does not exist is reported by the kubelet in events of the pod, and nowhere else. */
function stateOf({ name, phase, waiting }: WorkerFacts): string {
  if (waiting !== undefined) return waiting;
  if (phase !== 'Pending') return `pod ${name} is ${phase}`;
  return `pod ${name} waits for its image, volumes and Secrets; "kubectl describe pod ${name}" shows what is missing`;
}

/** The pod of the last attempt is kept: its log may tell more. */
function again(
  record: AttemptRecord,
  deletion: WorkerAction | undefined,
  { nowMs, backoffLimit, retryMs }: AttemptLimits,
  failure: AgentFailure,
): AttemptStep {
  const { worker: _, ...rest } = record;
  if (!failure.isRetriable || record.attempts > backoffLimit) return { is: 'failed', record: rest, failure };
  const pauseMs = Math.min(retryMsMax, retryMs * 2 ** (record.attempts - 1));
  const next = { ...rest, nextAtMs: nowMs + pauseMs };
  return { is: 'retrying', record: next, ...(deletion ? { action: deletion } : {}), failure };
}
