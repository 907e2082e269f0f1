/**
 * Platforms that answer the open questions of the reference in another way. What an operator promises it has to keep on
 * every one of them, so half of the seeds get one.
 */
import { SeededRandom } from '@ecsm/runtime/simulation';
import type { Behaviour } from '@ecsm/simulator';

/** How often a switch is on its unlikely side, in those seeds. */
const share = 0.3;
/** Apart from what else is drawn for a seed. */
const stream = 78;

/** The unlikely sides; a switch that is not drawn is on its likely one. */
const others: { readonly [K in keyof Behaviour]?: readonly Behaviour[K][] } = {
  update: ['roll'],
  updateUnchanged: ['redeploy'],
  updateTaskId: ['new'],
  updateServiceId: ['new'],
  rename: ['refuse'],
  factorZero: ['refuse'],
  shareNode: ['refuse'],
  batchAnswer: ['object'],
  times: ['plain', 'iso'],
  stoppedStatus: ['stopped'],
  failedStatus: ['deploying'],
  instanceActive: ['all'],
  httpStatus: ['matching'],
  failureData: ['text'],
  failureFieldErrors: ['text', 'object'],
  unknownId: ['success'],
  pageSizeMax: [1, 2],
  pageAll: ['refuse'],
  offlineCpuUsage: ['object'],
  offlineContainerStatus: ['last'],
  offlineDeployment: ['fail'],
  selfRestart: ['never'],
  livenessProbe: ['ignore'],
  failBack: ['always'],
  errorInstanceStatus: ['boolean'],
  migrationDelayMs: [0, 120_000],
  pullBytesPerSecond: [1_000_000],
  startMs: [50, 4_000],
  stopMs: [0, 3_000],
  deleteMs: [0, 4_000],
  restartDelayMs: [100, 10_000],
};

/** Nothing for every other seed: the likely platform. */
export function behaviourOf(seed: number): Partial<Behaviour> {
  const random = new SeededRandom(seed, stream);
  if (random.next() < 0.5) return {};
  return Object.fromEntries(
    Object.entries<readonly unknown[]>(others).flatMap(([name, values]) =>
      random.next() < share ? [[name, random.pick(values)]] : [],
    ),
  );
}

/**
 * Whether a service can change its size without losing instances that are ready. On a platform that deploys every
 * instance anew at every update nobody can keep a rolling update above its bound.
 */
export function keepsInstances({ updateUnchanged = 'keep' }: Partial<Behaviour>): boolean {
  return updateUnchanged === 'keep';
}
