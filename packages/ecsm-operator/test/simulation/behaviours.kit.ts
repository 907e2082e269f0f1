/**
 * Platforms with other choices for the open questions of the reference. The guarantees of the operator hold on all of
 * them, so half of the seeds use one.
 */
import { SeededRandom } from '@ecsm/runtime/simulation';
import type { Behaviour } from '@ecsm/simulator';

/** Probability of the unlikely value of a setting, in those seeds. */
const share = 0.3;
/** Separates this random stream from the others of a seed. */
const stream = 78;

/** The unlikely values; the others are the likely ones. */
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
  instanceActive: ['stopped', 'all'],
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
  staticFactor: ['store'],
  diskUnit: ['bytes'],
};

/** Returns no settings for half of the seeds: the likely platform. */
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
 * Whether a service can be scaled without losing ready instances. On a platform that redeploys every instance at every
 * update no operator can keep the minimum of a rolling update.
 */
export function keepsInstances({ updateUnchanged = 'keep' }: Partial<Behaviour>): boolean {
  return updateUnchanged === 'keep';
}
