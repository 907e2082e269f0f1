/** The commands that change services, as data. */
import type { Call, Command } from '@ecsm/command-line';
import { fileFlag, waitFlag, yesFlag } from './flags.ts';
import type { Kind } from './kinds.ts';

const group = 'Change services';
const owned =
  'The operator reverts changes of a service that it owns, so such a change needs confirmation; without a terminal it needs --yes.';

function completeServices(...allowed: readonly Kind[]): (call: Call) => Promise<readonly string[]> {
  return async (call) => (await import('./live-names.ts')).kindsOrServices(call, allowed);
}

const create: Command = {
  name: 'create',
  help: 'create a service from a file',
  examples: [{ help: 'a service', line: 'ecsm-cli create service -f examples/ecsm-cli/camera.yaml' }],
  group,
  commands: [
    {
      name: 'service',
      aliases: ['svc'],
      help: 'create a service from a file',
      more: `The file has the format of the platform: name, image, node, and optionally policy, factor, prepull. It is not a manifest for "ecsmctl apply".`,
      examples: [
        {
          help: 'wait until it is deployed',
          line: 'ecsm-cli create service -f examples/ecsm-cli/camera.yaml --wait',
        },
        { help: 'from standard input', line: 'cat examples/ecsm-cli/camera.yaml | ecsm-cli create service -f -' },
      ],
      flags: [fileFlag, waitFlag, yesFlag],
      load: () => import('./create.ts'),
    },
  ],
};

const update: Command = {
  name: 'update',
  help: 'update a service from a file',
  examples: [{ help: 'a service', line: 'ecsm-cli update service -f examples/ecsm-cli/telemetry.yaml' }],
  group,
  commands: [
    {
      name: 'service',
      aliases: ['svc'],
      help: 'update a service from a file',
      more: `The platform replaces the whole service. Start with "ecsm-cli get service NAME -o yaml"; a value that stays <hidden> is not changed. ${owned}`,
      examples: [
        {
          help: 'wait until it is deployed',
          line: 'ecsm-cli update service -f examples/ecsm-cli/telemetry.yaml --wait',
        },
      ],
      flags: [fileFlag, waitFlag, yesFlag],
      load: () => import('./update.ts'),
    },
  ],
};

const remove: Command = {
  name: 'delete',
  help: 'delete services, records or nodes',
  more: `Asks for confirmation; without a terminal it needs --yes. ${owned}`,
  examples: [
    { help: 'a service, without confirmation', line: 'ecsm-cli delete service telemetry --yes' },
    { help: 'wait until it is deleted', line: 'ecsm-cli delete service/telemetry --yes --wait' },
  ],
  words: '[KIND] NAME...',
  group,
  flags: [yesFlag, waitFlag],
  completeWords: completeServices('service', 'record', 'node'),
  load: () => import('./delete.ts'),
};

const scale: Command = {
  name: 'scale',
  help: 'set the number of instances of a dynamic service',
  more: owned,
  examples: [{ help: 'to three instances', line: 'ecsm-cli scale telemetry --replicas 3 --wait' }],
  words: '[service] NAME',
  group,
  flags: [{ name: 'replicas', value: 'COUNT', help: 'number of instances' }, waitFlag, yesFlag],
  completeWords: completeServices('service'),
  load: () => import('./scale.ts'),
};

const actions = [
  { action: 'start', help: 'start the containers of services, or single containers' },
  { action: 'stop', help: 'stop the containers of services, or single containers' },
  { action: 'restart', help: 'restart the containers of services, or single containers' },
  { action: 'pause', help: 'pause the containers of services, or single containers' },
  { action: 'unpause', help: 'resume paused containers' },
] as const;

const container = `"$(ecsm-cli get containers --service telemetry -o jsonpath='{.items[0].name}')"`;

const controls: readonly Command[] = actions.map(({ action, help }) => ({
  name: action,
  help,
  more: owned,
  examples: [
    { help: 'all containers of a service', line: `ecsm-cli ${action} telemetry` },
    { help: 'one container', line: `ecsm-cli ${action} container ${container}` },
  ],
  words: '[service|container] NAME...',
  group,
  flags: [waitFlag, yesFlag],
  completeWords: completeServices('service', 'container'),
  load: async () => ({ run: (await import('./control.ts')).control(action) }),
}));

const redeploy: Command = {
  name: 'redeploy',
  help: 'redeploy all containers of a service',
  more: owned,
  examples: [{ help: 'wait until it is deployed', line: 'ecsm-cli redeploy telemetry --wait --timeout 2m' }],
  words: '[service] NAME...',
  group,
  flags: [waitFlag, yesFlag],
  completeWords: completeServices('service'),
  load: () => import('./redeploy.ts'),
};

const record = `"$(ecsm-cli get records --service telemetry -o jsonpath='{.items[-1].id}')"`;

const rollback: Command = {
  name: 'rollback',
  help: 'roll a service back to a deployment record',
  more: `"ecsm-cli get records --service NAME" lists the records; a unique prefix of an id is sufficient. ${owned}`,
  examples: [{ help: 'to a record', line: `ecsm-cli rollback telemetry --to ${record}` }],
  words: '[service] NAME',
  group,
  flags: [
    {
      name: 'to',
      value: 'RECORD',
      help: 'id of the record',
      complete: async (call) => (await import('./live-names.ts')).recordsOfService(call),
    },
    waitFlag,
    yesFlag,
  ],
  completeWords: completeServices('service'),
  load: () => import('./rollback.ts'),
};

export const changeCommands: readonly Command[] = [create, update, remove, scale, ...controls, redeploy, rollback];
