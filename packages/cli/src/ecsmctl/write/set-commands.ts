/** `set` and its commands, as data. */
import type { Command, Completer } from '@ecsm/command-line';
import {
  allNamespacesFlag,
  dryRunFlag,
  filenameFlag,
  outputFlag,
  recursiveFlag,
  selectorFlag,
  showValuesFlag,
} from '../shared/flags.ts';
import { allFlag } from './flags.ts';

const completeWords: Completer = async (call, typed) =>
  (await import('../shared/live-names.ts')).completeResourceArgs(call, typed);
const whichFlags = [filenameFlag, recursiveFlag, selectorFlag, allFlag, allNamespacesFlag];

export const set: Command = {
  name: 'set',
  help: 'set the image, the environment or the limits of services',
  examples: [{ help: 'set another version', line: 'ecsmctl set image service/telemetry telemetry@1.1.0#sylixos' }],
  group: 'Change objects',
  commands: [
    {
      name: 'image',
      help: 'set the image of services',
      examples: [
        { help: 'set another version', line: 'ecsmctl set image service/telemetry telemetry@1.1.0#sylixos' },
        {
          help: 'set the image of all services with a label',
          line: 'ecsmctl set image services -l tier=test probe@2.0.0',
        },
      ],
      words: '(KIND NAME... | KIND/NAME... | -f FILE) IMAGE',
      wordsMin: 0,
      wordsMax: Number.POSITIVE_INFINITY,
      completeWords,
      flags: [...whichFlags, dryRunFlag, outputFlag],
      load: () => import('./set-image.ts'),
    },
    {
      name: 'env',
      help: 'set, remove or list environment variables of services',
      examples: [
        { help: 'set a variable and remove another one', line: 'ecsmctl set env service/telemetry RATE=20 DEBUG-' },
        { help: 'list the variables', line: 'ecsmctl set env service/telemetry --list' },
      ],
      words: '(KIND NAME... | KIND/NAME... | -f FILE) NAME=VALUE|NAME-...',
      wordsMin: 0,
      wordsMax: Number.POSITIVE_INFINITY,
      completeWords,
      flags: [
        ...whichFlags,
        { name: 'list', help: 'list the variables and exit' },
        showValuesFlag,
        dryRunFlag,
        outputFlag,
      ],
      load: () => import('./set-env.ts'),
    },
    {
      name: 'resources',
      help: 'set the limits of the instances of services',
      examples: [
        { help: 'limit memory', line: 'ecsmctl set resources service/telemetry --limits=memory=512Mi' },
        { help: 'remove a limit', line: 'ecsmctl set resources service/telemetry --limits=memory=0' },
      ],
      words: '(KIND NAME... | KIND/NAME... | -f FILE)',
      wordsMin: 0,
      wordsMax: Number.POSITIVE_INFINITY,
      completeWords,
      flags: [
        {
          name: 'limits',
          value: 'LIMITS',
          help: 'limits of one instance: memory=QUANTITY,disk=QUANTITY; 0 removes a limit',
        },
        { name: 'requests', value: 'REQUESTS', help: 'not supported: the platform has limits only' },
        ...whichFlags,
        dryRunFlag,
        outputFlag,
      ],
      load: () => import('./set-resources.ts'),
    },
  ],
};
