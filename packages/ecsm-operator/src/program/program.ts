/** `ecsm-operator` as data: its commands and flags. */
import { type Command, completionCommand, type Program, versionOf } from '@ecsm/command-line';
import { flags } from './flags.ts';

const run: Command = {
  name: 'run',
  help: 'reconcile until stopped; the default',
  examples: [{ help: 'reconcile once, for scripts', line: 'ecsm-operator run --registry file:./fleet --once' }],
  load: async () => ({ run: (await import('./commands.ts')).run }),
};

const plan: Command = {
  name: 'plan',
  help: 'print what would be done for services, and why; changes nothing',
  more: 'A SERVICE is NAME or NAMESPACE/NAME.',
  examples: [
    { help: 'for two services', line: 'ecsm-operator plan telemetry orbit/camera' },
    { help: 'for every service', line: 'ecsm-operator plan --all' },
  ],
  words: '[SERVICE...]',
  load: async () => ({ run: (await import('./commands.ts')).plan }),
};

export const program: Program = {
  name: 'ecsm-operator',
  help: 'reconciles ECSMService objects with an ECSM platform',
  examples: [
    { help: 'the registry in ~/.ecsm, and the platform at http://127.0.0.1:3001', line: 'ecsm-operator' },
    {
      help: 'a platform elsewhere',
      line: 'ecsm-operator --ecsm https://ecsm.site:3001 --tls-ca ca.pem --config op.yaml',
    },
    { help: 'reconcile once, then exit', line: 'ecsm-operator --registry file:./fleet --once' },
    { help: 'print what it would do, and why', line: 'ecsm-operator plan telemetry' },
  ],
  flags,
  commands: [run, plan, completionCommand('ecsm-operator')],
  defaultCommand: run,
  version: () => versionOf(new URL('../../package.json', import.meta.url)),
  exitCodes: [
    { code: 0, help: 'after Ctrl-C, after plan, and after --once when every service is Available' },
    { code: 1, help: 'it failed, or --once timed out' },
    { code: 2, help: 'a flag, a variable or the config file is invalid' },
  ],
};
