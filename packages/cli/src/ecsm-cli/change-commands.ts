/** The commands that change services, as data. */
import type { Call, Command } from '@ecsm/command-line';
import { fileFlag, waitFlag, yesFlag } from './flags.ts';
import type { Kind } from './names.ts';

const group = 'Change services';
const owned =
  'A service that the operator owns is not changed without a question, because the operator would undo it; without a terminal, not without --yes.';

function completeServices(...allowed: readonly Kind[]): (call: Call) => Promise<readonly string[]> {
  return async (call) => (await import('./live-names.ts')).kindsOrServices(call, allowed);
}

const create: Command = {
  name: 'create',
  help: 'create a service as a file says',
  examples: [{ help: 'a service', line: 'ecsm-cli create service -f examples/ecsm-cli/camera.yaml' }],
  group,
  commands: [
    {
      name: 'service',
      aliases: ['svc'],
      help: 'create a service as a file says',
      more: `The file has what the platform wants: name, image, node, and perhaps policy, factor, prepull. A file for "ecsmctl apply" is another thing.`,
      examples: [
        {
          help: 'and wait until it is deployed',
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
  help: 'change a service to what a file says',
  examples: [{ help: 'a service', line: 'ecsm-cli update service -f examples/ecsm-cli/telemetry.yaml' }],
  group,
  commands: [
    {
      name: 'service',
      aliases: ['svc'],
      help: 'change a service to what a file says',
      more: `The platform replaces the whole service. Begin with "ecsm-cli get service NAME -o yaml": what it hides as <hidden> stays as it is. ${owned}`,
      examples: [
        {
          help: 'and wait until it is deployed',
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
  more: `It asks first; without a terminal it needs --yes. ${owned}`,
  examples: [
    { help: 'a service, without a question', line: 'ecsm-cli delete service telemetry --yes' },
    { help: 'and wait until it is gone', line: 'ecsm-cli delete service/telemetry --yes --wait' },
  ],
  words: '[KIND] NAME...',
  group,
  flags: [yesFlag, waitFlag],
  completeWords: completeServices('service', 'record', 'node'),
  load: () => import('./delete.ts'),
};

const scale: Command = {
  name: 'scale',
  help: 'change how many instances a dynamic service has',
  more: owned,
  examples: [{ help: 'to three', line: 'ecsm-cli scale telemetry --replicas 3 --wait' }],
  words: '[service] NAME',
  group,
  flags: [{ name: 'replicas', value: 'COUNT', help: 'so many' }, waitFlag, yesFlag],
  completeWords: completeServices('service'),
  load: () => import('./scale.ts'),
};

const actions = [
  { action: 'start', help: 'start the containers of services, or single ones' },
  { action: 'stop', help: 'stop the containers of services, or single ones' },
  { action: 'restart', help: 'restart the containers of services, or single ones' },
  { action: 'pause', help: 'pause the containers of services, or single ones' },
  { action: 'unpause', help: 'let paused containers go on' },
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
  help: 'deploy all containers of a service anew',
  more: owned,
  examples: [{ help: 'and wait for it', line: 'ecsm-cli redeploy telemetry --wait --timeout 2m' }],
  words: '[service] NAME...',
  group,
  flags: [waitFlag, yesFlag],
  completeWords: completeServices('service'),
  load: () => import('./redeploy.ts'),
};

const record = `"$(ecsm-cli get records --service telemetry -o jsonpath='{.items[-1].id}')"`;

const rollback: Command = {
  name: 'rollback',
  help: 'bring a service back to what a record says',
  more: `"ecsm-cli get records --service NAME" shows them; the beginning of an id is enough. ${owned}`,
  examples: [{ help: 'to a record', line: `ecsm-cli rollback telemetry --to ${record}` }],
  words: '[service] NAME',
  group,
  flags: [
    {
      name: 'to',
      value: 'RECORD',
      help: 'the record',
      complete: async (call) => (await import('./live-names.ts')).recordsOfService(call),
    },
    waitFlag,
    yesFlag,
  ],
  completeWords: completeServices('service'),
  load: () => import('./rollback.ts'),
};

export const changeCommands: readonly Command[] = [create, update, remove, scale, ...controls, redeploy, rollback];
