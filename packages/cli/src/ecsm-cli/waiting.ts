/**
 * Waits for a state of the platform by polling. Errors of the link are shown and retried until the deadline.
 */
import { type ContainerRow, collect, type ServiceRow } from '@ecsm/client';
import { type Call, Failure, plural, withProgress } from '@ecsm/command-line';
import { explainedText } from '@ecsm/operator';
import { redactText, sleep } from '@ecsm/runtime';
import { isLinkError } from './link.ts';
import type { Platform } from './platform.ts';
import { progressReporter } from './progress-bar.ts';
import { type Context, contextOf } from './resource.ts';

const pollIntervalMs = 1_000;

interface PollState {
  readonly done: boolean;
  /** Shown as progress. */
  readonly state: string;
  /** From 0 to 1, if known. */
  readonly share?: number;
}

/** `what`: `service/telemetry to be deployed`. Throws `Failure` at the deadline. */
export async function waitUntil(
  call: Call,
  platform: Platform,
  what: string,
  poll: (context: Context) => Promise<PollState>,
): Promise<void> {
  const { terminal } = call;
  const remedy = 'the operation continues on the platform: check later, or increase --timeout';
  await withProgress(terminal, { what, timeoutMs: platform.waitMs, remedy }, async (progress) => {
    const { update, contact, signal } = progress;
    const context = contextOf(call, platform, { signal });
    const report = progressReporter(terminal, progress);
    for (;;) {
      try {
        const { done, state, share } = await poll(context);
        contact();
        if (done) return;
        if (share === undefined) update(state);
        else report(share, state);
      } catch (error) {
        if (!isLinkError(error)) throw error;
        update(`${platform.url} does not respond`);
      }
      await sleep(terminal.clock, pollIntervalMs, signal);
      signal.throwIfAborted();
    }
  });
}

type ServiceName = Pick<ServiceRow, 'id' | 'name'>;

interface Deployment {
  /** Name of the service. */
  readonly name: string;
  /** Number of deployments of each container before the change, by task id. */
  readonly before?: ReadonlyMap<string, number>;
  /** Expected number of containers, if known. */
  readonly expected?: number | undefined;
  /** Expected image of the containers: `name@tag#os`. */
  readonly image?: string | undefined;
}

/** Waits until all containers of a service are deployed. Throws `Failure` if a deployment fails, or at the deadline. */
export async function waitUntilDeployed(call: Call, platform: Platform, deployment: Deployment): Promise<void> {
  const { name, before, expected, image } = deployment;
  await waitUntil(call, platform, `service/${name} to be deployed`, async (context) => {
    const row = await presentService(context, name);
    const rows = await containersOf(context, row.id);
    const done = rows.filter(({ deployStatus }) => deployStatus === 'success');
    const failed = rows.filter(({ deployStatus }) => deployStatus === 'failure');
    const isInProgress = rows.length > done.length + failed.length;
    if (failed.length > 0 && !isInProgress) {
      const [{ failedMessage, nodeName } = { failedMessage: null, nodeName: 'a node' }] = failed;
      const where = `${plural(failed.length, 'container')} of service/${name}`;
      const why = explainedText(redactText(failedMessage ?? 'no reason given'));
      throw new Failure(`${where} could not be deployed: ${why} (on ${nodeName})`);
    }
    const isOld = rows.some(
      (one) => (before?.has(one.taskId) && before.get(one.taskId) === one.deployNum) || hasOtherImage(one, image),
    );
    const isAll = expected === undefined || rows.length === expected;
    const state = `${row.status}, ${done.length}/${expected ?? rows.length} deployed`;
    return { done: row.status !== 'deploying' && isAll && !isInProgress && !isOld, state };
  });
}

function hasOtherImage({ imageName, imageVersion }: ContainerRow, image: string | undefined): boolean {
  return (
    image !== undefined && Boolean(imageName && imageVersion) && !image.startsWith(`${imageName}@${imageVersion}#`)
  );
}

/** The value of `Deployment.before`. */
export async function deploymentsOf(context: Context, serviceId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await containersOf(context, serviceId);
  return new Map(rows.flatMap(({ taskId, deployNum }) => (typeof deployNum === 'number' ? [[taskId, deployNum]] : [])));
}

/** Waits until a service is deleted. Its id is compared, because the operator recreates its services with the same name. */
export async function waitUntilDeleted(call: Call, platform: Platform, { id, name }: ServiceName): Promise<void> {
  await waitUntil(call, platform, `service/${name} to be deleted`, async ({ signal }) => {
    const row = await platform.ecsm.services().byName(name, { signal });
    return { done: row?.id !== id, state: row?.status ?? '' };
  });
}

/** Waits until containers are in a state. `before`: containers that have to start again first. */
export async function waitForState(
  call: Call,
  platform: Platform,
  what: string,
  wanted: 'running' | 'exited' | 'paused',
  rowsOf: (context: Context) => Promise<readonly ContainerRow[]>,
  before: readonly ContainerRow[] = [],
): Promise<void> {
  const startedBefore = new Map(before.map(({ taskId, startedTime }) => [taskId, startedTime ?? undefined]));
  /** A container whose restart has not started is still running. */
  const isOld = ({ taskId, startedTime }: ContainerRow) =>
    startedBefore.get(taskId) !== undefined && startedBefore.get(taskId) === startedTime;
  await waitUntil(call, platform, `${what} to be ${wanted}`, async (context) => {
    const rows = await rowsOf(context);
    const reached = rows.filter((row) => row.status === wanted && !isOld(row)).length;
    return { done: reached === rows.length, state: `${reached}/${rows.length} ${wanted}` };
  });
}

export function containersOf({ platform, signal }: Context, serviceId: string): Promise<readonly ContainerRow[]> {
  return collect(platform.ecsm.containers().ofServices([serviceId], { signal }));
}

async function presentService({ platform, signal }: Context, name: string): Promise<ServiceRow> {
  const row = await platform.ecsm.services().byName(name, { signal });
  if (row) return row;
  throw new Failure(`service/${name} was deleted while the command waited for it`);
}
