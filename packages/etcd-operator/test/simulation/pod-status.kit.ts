/** What the simulated kubelet knows of a pod, and what it reports of it. */
import type { Pod } from '@ecsm/kubernetes';
import { timestampAt } from '@ecsm/runtime';

export interface Sandbox {
  readonly uid: string;
  readonly slot: number;
  readonly address: string;
  state: 'waiting' | 'pulling' | 'running' | 'backoff';
  restarts: number;
  reason: string | undefined;
  peerURL: string | undefined;
  nextStartMs: number;
  config: { readonly text: string | undefined; readonly readMs: number } | undefined;
  /** What it trusted when it started. */
  trust: string | undefined;
  /** The certificate that it serves with. */
  leaf: string | undefined;
}

/** `isUp`: whether its member takes part. */
export function podStatusOf(sandbox: Sandbox, isUp: boolean, before: Pod, nowMs: number): NonNullable<Pod['status']> {
  const { state, restarts, reason } = sandbox;
  const ready = state === 'running' && isUp;
  const terminated = { exitCode: 1, ...split(reason) };
  const waiting = { pulling: 'ImagePullBackOff', waiting: 'ContainerCreating', backoff: 'CrashLoopBackOff' };
  return {
    phase: state === 'running' || restarts > 0 ? 'Running' : 'Pending',
    podIP: sandbox.address,
    conditions: [readyCondition(ready, before, nowMs)],
    containerStatuses: [
      {
        name: 'etcd',
        ready,
        restartCount: Math.max(0, restarts - (state === 'running' ? 0 : 1)),
        state: state === 'running' ? { running: {} } : { waiting: { reason: waiting[state] } },
        ...(reason === undefined ? {} : { lastState: { terminated } }),
      },
    ],
  };
}

/** The time is that of the last change. */
export function readyCondition(isTrue: boolean, { status: known }: Pod, nowMs: number) {
  const status = isTrue ? ('True' as const) : ('False' as const);
  const before = known?.conditions?.find((one) => one.type === 'Ready' && one.status === status);
  return { type: 'Ready', status, lastTransitionTime: before?.lastTransitionTime ?? timestampAt(nowMs) };
}

export function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}

/** `OOMKilled`, or `Error: why`. */
function split(reason: string | undefined): { readonly reason?: string; readonly message?: string } {
  if (reason === undefined) return {};
  const [word = '', ...rest] = reason.split(': ');
  return { reason: word, ...(rest.length === 0 ? {} : { message: rest.join(': ') }) };
}
