/** `start`, `stop`, `restart`, `pause`, `unpause`: of all containers of a service, or of one. */
import type { ContainerAction, ContainerRow, ServiceDetail } from '@ecsm/client';
import type { Call, Run } from '@ecsm/command-line';
import { during, found } from './change.ts';
import { findContainer } from './containers.ts';
import { type Change, confirmOwned } from './guard.ts';
import type { Context } from './noun.ts';
import { type Platform, withPlatform } from './platform.ts';
import { namedTargets } from './targets.ts';
import { containersOf, untilState } from './waiting.ts';

const done: Readonly<Record<ContainerAction, string>> = {
  start: 'started',
  stop: 'stopped',
  restart: 'restarted',
  pause: 'paused',
  unpause: 'unpaused',
};

/** The state that it leads to. */
const states = { start: 'running', stop: 'exited', restart: 'running', pause: 'paused', unpause: 'running' } as const;

type Owner = { readonly name: string; readonly namespace: string };

const whyNot = ({ name, namespace }: Owner) =>
  `ecsmctl describe ecsmservice ${name} -n ${namespace}, which shows why it does not run`;
/** What has one instance on each node has no number to set. */
const toNothing = ({ name, namespace }: Owner, { policy }: ServiceDetail) =>
  policy === 'dynamic'
    ? `ecsmctl scale ecsmservice ${name} -n ${namespace} --replicas 0`
    : `ecsmctl edit ecsmservice ${name} -n ${namespace}`;

const insteads: Readonly<Record<ContainerAction, (owner: Owner, service: ServiceDetail) => string>> = {
  start: whyNot,
  stop: toNothing,
  restart: ({ name, namespace }) => `ecsmctl rollout restart ecsmservice ${name} -n ${namespace}`,
  pause: toNothing,
  unpause: whyNot,
};

export function control(action: ContainerAction): Run {
  return async (call) => {
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
  const services = await found(call, platform, names);
  await confirmOwned(
    call,
    services.map((service) => changeOf(service, action)),
  );
  const ids = services.map(({ id }) => id);
  const wait = call.flag('wait') !== undefined;
  const before = await during(call, platform, 'list containers', async (context) =>
    wait && action === 'restart' ? (await Promise.all(ids.map((id) => containersOf(context, id)))).flat() : [],
  );
  const what = services.map(({ name }) => `service/${name}`).join(', ');
  await during(call, platform, `${action} ${what}`, ({ signal }) =>
    platform.ecsm.services().control(ids, action, { signal }),
  );
  for (const { id, name } of services) {
    if (wait) {
      await untilState(
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
  const rows = await during(call, platform, 'find the named objects', async (context) => {
    const all: ContainerRow[] = [];
    for (const word of names) all.push(await findContainer(context, word));
    return all;
  });
  const services = await during(call, platform, 'read their services', ({ signal }) =>
    Promise.all(
      [...new Set(rows.map((row) => row.serviceId))].map((id) => platform.ecsm.services().get(id, { signal })),
    ),
  );
  await confirmOwned(
    call,
    services.map((service) => changeOf(service, action)),
  );
  for (const { name, taskId } of rows) {
    await during(call, platform, `${action} container/${name}`, ({ signal }) =>
      platform.ecsm.containers().control(name, action, { signal }),
    );
    if (call.flag('wait') !== undefined) {
      const look = async ({ signal }: Context) => [await platform.ecsm.containers().get(taskId, { signal })];
      await untilState(call, platform, `container/${name}`, states[action], look, action === 'restart' ? rows : []);
    }
    call.terminal.out.write(`container/${name} ${done[action]}\n`);
  }
}

function changeOf(service: ServiceDetail, action: ContainerAction): Change {
  return { service, instead: (owner) => insteads[action](owner, service) };
}
