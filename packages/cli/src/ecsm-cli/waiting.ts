/**
 * Waiting until something has happened on the platform. It is asked again and again; where it does not answer, that is
 * shown, and asked again, until the deadline.
 */
import type { ContainerRow, ServiceRow } from '@ecsm/client';
import { type Call, Failure, plural, withProgress } from '@ecsm/command-line';
import { sleep } from '@ecsm/runtime';
import { isLinkTrouble } from './link.ts';
import { type Context, contextOf } from './noun.ts';
import type { Platform } from './platform.ts';

const lookEveryMs = 1_000;

/** What is there so far, or that it is done. */
export type Look = (context: Context) => Promise<{ readonly done: boolean; readonly state: string }>;

/** `what`: `service/telemetry to be deployed`. Throws `Failure` at the deadline. */
export async function until(call: Call, platform: Platform, what: string, look: Look): Promise<void> {
  const { terminal } = call;
  const remedy = 'the operation continues on the platform: check later, or increase --timeout';
  await withProgress(terminal, { what, timeoutMs: platform.waitMs, remedy }, async ({ update, contact, signal }) => {
    const context = contextOf(call, platform, { signal });
    for (;;) {
      try {
        const { done, state } = await look(context);
        contact();
        if (done) return;
        update(state);
      } catch (error) {
        if (!isLinkTrouble(error)) throw error;
        update(`${platform.url} does not respond`);
      }
      await sleep(terminal.clock, lookEveryMs, signal);
      signal.throwIfAborted();
    }
  });
}

type ServiceName = Pick<ServiceRow, 'id' | 'name'>;

export interface Deployment {
  /** Name of the service. */
  readonly name: string;
  /** How often each container had been deployed before, by task; a container that was not there is new. */
  readonly before?: ReadonlyMap<string, number>;
  /** So many containers there will be, where that is known. */
  readonly expected?: number | undefined;
  /** `name@tag#os` that they will have. */
  readonly image?: string | undefined;
}

/** Until all containers of a service are deployed. Throws `Failure` if one cannot be. */
export async function untilDeployed(call: Call, platform: Platform, deployment: Deployment): Promise<void> {
  const { name, before, expected, image } = deployment;
  await until(call, platform, `service/${name} to be deployed`, async (context) => {
    const row = await present(context, name);
    const rows = await containersOf(context, row.id);
    const done = rows.filter(({ deployStatus }) => deployStatus === 'success');
    const failed = rows.filter(({ deployStatus }) => deployStatus === 'failure');
    const isUnderWay = rows.length > done.length + failed.length;
    if (failed.length > 0 && !isUnderWay) {
      const [{ failedMessage, nodeName } = { failedMessage: null, nodeName: 'a node' }] = failed;
      const where = `${plural(failed.length, 'container')} of service/${name}`;
      throw new Failure(`${where} could not be deployed: ${failedMessage ?? 'no reason given'} (on ${nodeName})`);
    }
    const isOld = rows.some(
      (one) => (before?.has(one.taskId) && before.get(one.taskId) === one.deployNum) || hasOther(one, image),
    );
    const isAll = expected === undefined || rows.length === expected;
    const state = `${row.status}, ${done.length}/${expected ?? rows.length} deployed`;
    return { done: row.status !== 'deploying' && isAll && !isUnderWay && !isOld, state };
  });
}

function hasOther({ imageName, imageVersion }: ContainerRow, image: string | undefined): boolean {
  return (
    image !== undefined && Boolean(imageName && imageVersion) && !image.startsWith(`${imageName}@${imageVersion}#`)
  );
}

/** What `Deployment.before` wants. */
export async function deploymentsOf(context: Context, serviceId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await containersOf(context, serviceId);
  return new Map(rows.flatMap(({ taskId, deployNum }) => (typeof deployNum === 'number' ? [[taskId, deployNum]] : [])));
}

/** Until a service is not there any more. One of the same name may be: the operator makes what it owns anew at once. */
export async function untilGone(call: Call, platform: Platform, { id, name }: ServiceName): Promise<void> {
  await until(call, platform, `service/${name} to be deleted`, async ({ signal }) => {
    const row = await platform.ecsm.services().byName(name, { signal });
    return { done: row?.id !== id, state: row?.status ?? '' };
  });
}

/** Until containers are in a state. `before` are those that have to start again for it. */
export async function untilState(
  call: Call,
  platform: Platform,
  what: string,
  wanted: 'running' | 'exited' | 'paused',
  rowsOf: (context: Context) => Promise<readonly ContainerRow[]>,
  before: readonly ContainerRow[] = [],
): Promise<void> {
  const startedBefore = new Map(before.map(({ taskId, startedTime }) => [taskId, startedTime ?? undefined]));
  /** A container that has not begun to restart is running, too. */
  const isOld = ({ taskId, startedTime }: ContainerRow) =>
    startedBefore.get(taskId) !== undefined && startedBefore.get(taskId) === startedTime;
  await until(call, platform, `${what} to be ${wanted}`, async (context) => {
    const rows = await rowsOf(context);
    const there = rows.filter((row) => row.status === wanted && !isOld(row)).length;
    return { done: there === rows.length, state: `${there}/${rows.length} ${wanted}` };
  });
}

export async function containersOf({ platform, signal }: Context, serviceId: string): Promise<readonly ContainerRow[]> {
  const rows: ContainerRow[] = [];
  for await (const row of platform.ecsm.containers().ofServices([serviceId], { signal })) rows.push(row);
  return rows;
}

async function present({ platform, signal }: Context, name: string): Promise<ServiceRow> {
  const row = await platform.ecsm.services().byName(name, { signal });
  if (row) return row;
  throw new Failure(`service/${name} was deleted while the command waited for it`);
}
