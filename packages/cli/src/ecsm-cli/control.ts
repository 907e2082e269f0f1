/** `start`, `stop`, `restart`, `pause`, `unpause`: all containers of a service, or single ones. */
import type { ContainerAction, ServiceDetail } from '@ecsm/client';
import type { Call, Run } from '@ecsm/command-line';
import { callPlatform, findEach, findServices, untilInterrupted } from './change.ts';
import { type Change, confirmOwned } from './confirm.ts';
import { findContainer } from './containers.ts';
import { type Platform, withPlatform } from './platform.ts';
import type { Context } from './resource.ts';
import { namedTargets } from './targets.ts';
import { containersOf, waitForState } from './waiting.ts';

const done: Readonly<Record<ContainerAction, string>> = {
  start: 'started',
  stop: 'stopped',
  restart: 'restarted',
  pause: 'paused',
  unpause: 'unpaused',
};

/** The resulting state. */
const states = { start: 'running', stop: 'exited', restart: 'running', pause: 'paused', unpause: 'running' } as const;

const describeInstead = (object: string) => `ecsmctl describe ${object}, which shows why it does not run`;
/** A static service has one instance on each node, so it has no number of replicas to set. */
const scaleToZeroInstead = (object: string, { policy }: ServiceDetail) =>
  policy === 'dynamic' ? `ecsmctl scale ${object} --replicas 0` : `ecsmctl edit ${object}`;

const insteads: Readonly<Record<ContainerAction, (object: string, service: ServiceDetail) => string>> = {
  start: describeInstead,
  stop: scaleToZeroInstead,
  restart: (object) => `ecsmctl rollout restart ${object}`,
  pause: scaleToZeroInstead,
  unpause: describeInstead,
};

export function control(action: ContainerAction): Run {
  return async (outside) => {
    const call = untilInterrupted(outside);
    const targets = namedTargets(call.words, ['service', 'container']);
    await withPlatform(call, async (platform) => {
      for (const { kind, names } of targets) {
        if (kind === 'service') await controlServices(call, platform, names, action);
        else await controlContainers(call, platform, names, action);
      }
    });
  };
}

async function controlServices(
  call: Call,
  platform: Platform,
  names: readonly string[],
  action: ContainerAction,
): Promise<void> {
  const services = await findServices(call, platform, names);
  await confirmOwned(
    call,
    services.map((service) => changeOf(service, action)),
  );
  const ids = services.map(({ id }) => id);
  const wait = call.flag('wait') !== undefined;
  const before = await callPlatform(call, platform, 'list containers', async (context) =>
    wait && action === 'restart' ? (await Promise.all(ids.map((id) => containersOf(context, id)))).flat() : [],
  );
  const what = services.map(({ name }) => `service/${name}`).join(', ');
  await callPlatform(call, platform, `${action} ${what}`, ({ signal }) =>
    platform.ecsm.services().control(ids, action, { signal }),
  );
  for (const { id, name } of services) {
    if (wait) {
      await waitForState(
        call,
        platform,
        `service/${name}`,
        states[action],
        (context) => containersOf(context, id),
        before,
      );
    }
    call.terminal.out.write(`service/${name} ${done[action]}\n`);
  }
}

async function controlContainers(
  call: Call,
  platform: Platform,
  names: readonly string[],
  action: ContainerAction,
): Promise<void> {
  const rows = await findEach(call, platform, names, findContainer);
  const services = await callPlatform(call, platform, 'read their services', ({ signal }) =>
    Promise.all(
      [...new Set(rows.map((row) => row.serviceId))].map((id) => platform.ecsm.services().get(id, { signal })),
    ),
  );
  await confirmOwned(
    call,
    services.map((service) => changeOf(service, action)),
  );
  for (const { name, taskId } of rows) {
    await callPlatform(call, platform, `${action} container/${name}`, ({ signal }) =>
      platform.ecsm.containers().control(name, action, { signal }),
    );
    if (call.flag('wait') !== undefined) {
      const read = async ({ signal }: Context) => [await platform.ecsm.containers().get(taskId, { signal })];
      await waitForState(call, platform, `container/${name}`, states[action], read, action === 'restart' ? rows : []);
    }
    call.terminal.out.write(`container/${name} ${done[action]}\n`);
  }
}

function changeOf(service: ServiceDetail, action: ContainerAction): Change {
  return { service, instead: (object) => insteads[action](object, service) };
}
