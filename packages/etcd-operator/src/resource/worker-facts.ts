/** What is known about a worker pod. */
import type { ContainerStatus, Pod } from '@ecsm/kubernetes';
import { labels } from '../apis/well-known.ts';

export interface WorkerFacts {
  readonly name: string;
  readonly uid: string;
  /** Whether its owner is the object that it works for. */
  readonly isOurs: boolean;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly isDeleting: boolean;
  /** Which attempt it works for. */
  readonly attempt: number;
  readonly address: string | undefined;
  /** Such as `Evicted`. */
  readonly reason: string | undefined;
  /** Why it does not run yet. */
  readonly waiting: string | undefined;
  readonly containers: readonly WorkerContainer[];
}

interface WorkerContainer {
  readonly name: string;
  readonly isInit: boolean;
  /** Undefined until it has ended. */
  readonly exitCode: number | undefined;
  readonly reason: string | undefined;
  readonly message: string | undefined;
}

export function workerFacts(pod: Pod, ownerUid: string): WorkerFacts {
  const { metadata, status } = pod;
  const statuses = [
    ...(status?.initContainerStatuses ?? []).map((one) => ({ one, isInit: true })),
    ...(status?.containerStatuses ?? []).map((one) => ({ one, isInit: false })),
  ];
  const unscheduled = status?.conditions?.find(
    ({ type, status: value }) => type === 'PodScheduled' && value === 'False',
  );
  const stuck = statuses.find(({ one: { state } }) => {
    const { reason = 'PodInitializing', message } = state?.waiting ?? {};
    return !starting.includes(reason) || message !== undefined;
  });
  return {
    name: metadata.name,
    uid: metadata.uid,
    isOurs: metadata.ownerReferences?.some(({ uid }) => uid === ownerUid) ?? false,
    phase: status?.phase ?? 'Pending',
    isDeleting: metadata.deletionTimestamp !== undefined,
    attempt: Number(metadata.labels?.[labels.attempt] ?? 0),
    address: status?.podIP,
    reason: [status?.reason, status?.message].filter(Boolean).join(': ') || undefined,
    waiting: stuck
      ? [stuck.one.state?.waiting?.reason, stuck.one.state?.waiting?.message].filter(Boolean).join(': ')
      : unscheduled && `pod ${metadata.name} has no node: ${unscheduled.message ?? ''}`,
    containers: statuses.map(({ one, isInit }) => containerOf(one, isInit)),
  };
}

/** Of containers that are about to run, unless a message says what they wait for. */
const starting: readonly string[] = ['ContainerCreating', 'PodInitializing'];

function containerOf({ name, state }: ContainerStatus, isInit: boolean): WorkerContainer {
  const { exitCode, reason, message } = state?.terminated ?? {};
  return { name, isInit, exitCode, reason, message };
}
