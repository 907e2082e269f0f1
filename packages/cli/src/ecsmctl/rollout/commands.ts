/** The commands `rollout` and `wait`, as data. */
import type { Command, Completer, Flag } from '@ecsm/command-line';
import {
  allNamespacesFlag,
  dryRunFlag,
  filenameFlag,
  outputFlag,
  recursiveFlag,
  selectorFlag,
  showValuesFlag,
} from '../shared/flags.ts';

const group = 'Manage rollouts';

const completeWords: Completer = async (call, typed) =>
  (await import('../shared/live-names.ts')).completeResourceArgs(call, typed);

/** KIND NAME…, KIND/NAME…, -l, --all or -f. */
const words = {
  words: '[KIND NAME... | KIND/NAME...]',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  completeWords,
};

const allFlag: Flag = { name: 'all', help: 'all objects of the kind in the namespace' };

const targetFlags: readonly Flag[] = [selectorFlag, allFlag, allNamespacesFlag, filenameFlag, recursiveFlag];

const status: Command = {
  name: 'status',
  help: 'wait for a rollout to complete',
  more: 'A rollout is complete when all instances run the newest revision and are ready. It has failed if it makes no progress for spec.updateStrategy.progressDeadlineSeconds.',
  examples: [
    { help: 'wait until telemetry is rolled out', line: 'ecsmctl rollout status service/telemetry' },
    { help: 'wait for five minutes at most', line: 'ecsmctl rollout status service/telemetry --timeout 5m' },
    { help: 'show the current state and exit', line: 'ecsmctl rollout status service/telemetry --watch=false' },
  ],
  ...words,
  flags: [
    {
      name: 'watch',
      short: 'w',
      help: 'wait for completion; --watch=false shows the current state and exits. Default true',
    },
    { name: 'timeout', value: 'TIME', default: '15m', help: 'timeout, such as 90s, 5m or 1h30m; 0 means no timeout' },
    ...targetFlags,
  ],
  exitCodes: [
    { code: 0, help: 'rolled out, or in progress with --watch=false' },
    { code: 1, help: 'the rollout failed or timed out' },
  ],
  load: () => import('./status.ts'),
};

const history: Command = {
  name: 'history',
  help: 'list the revisions of a service',
  more: 'The operator records a revision for every template that was rolled out. A revision that becomes current again gets a new number.',
  examples: [
    { help: 'list the revisions of telemetry', line: 'ecsmctl rollout history service/telemetry' },
    { help: 'show the template of a revision', line: 'ecsmctl rollout history service/telemetry --revision 1' },
  ],
  ...words,
  flags: [
    { name: 'revision', value: 'N', help: 'show the template of this revision' },
    showValuesFlag,
    {
      ...outputFlag,
      help: 'output format: table, wide, yaml, json or name; with --revision yaml or json',
      complete: async () => ['table', 'wide', 'yaml', 'json', 'name'],
    },
    { name: 'no-headers', help: 'omit the table header' },
    ...targetFlags,
  ],
  load: () => import('./history.ts'),
};

const undo: Command = {
  name: 'undo',
  help: 'roll back to an earlier revision',
  more: 'Writes the template of the revision to the spec; the operator rolls it out like any change. Replicas, nodes and strategies are not changed.',
  examples: [
    { help: 'roll back to the previous revision', line: 'ecsmctl rollout undo service/telemetry' },
    { help: 'roll back to revision 1', line: 'ecsmctl rollout undo service/telemetry --to-revision 1' },
  ],
  ...words,
  flags: [
    {
      name: 'to-revision',
      value: 'N',
      help: 'revision to roll back to, as listed by "rollout history". Default: the previous one',
    },
    dryRunFlag,
    ...targetFlags,
  ],
  load: () => import('./undo.ts'),
};

const pause: Command = {
  name: 'pause',
  help: 'pause the rollout of template changes',
  more: 'A rolling update stops where it is. Scaling and healing continue.',
  examples: [{ help: 'pause rollouts of telemetry', line: 'ecsmctl rollout pause service/telemetry' }],
  ...words,
  flags: targetFlags,
  load: () => import('./pause.ts'),
};

const resume: Command = {
  name: 'resume',
  help: 'resume a paused rollout',
  examples: [{ help: 'resume rollouts of telemetry', line: 'ecsmctl rollout resume service/telemetry' }],
  ...words,
  flags: targetFlags,
  load: () => import('./resume.ts'),
};

const restart: Command = {
  name: 'restart',
  help: 'recreate all instances with the same template',
  more: 'Sets the annotation ecsm.sh/restartedAt, which creates a new revision. The operator rolls it out like any change.',
  examples: [
    { help: 'restart telemetry according to its update strategy', line: 'ecsmctl rollout restart service/telemetry' },
    { help: 'restart all services with a label', line: 'ecsmctl rollout restart services -l tier=ground' },
  ],
  ...words,
  flags: targetFlags,
  load: () => import('./restart.ts'),
};

const wait: Command = {
  name: 'wait',
  help: 'wait until objects meet a condition or are deleted',
  more: 'Condition types and values are case-insensitive. A jsonpath with several results is met when all of them equal VALUE; without VALUE, when there is a result.',
  examples: [
    { help: 'wait until a service is available', line: 'ecsmctl wait service/telemetry --for=condition=Available' },
    {
      help: 'wait for all services, for two minutes at most',
      line: 'ecsmctl wait services --all --for=condition=Available --timeout 2m',
    },
    { help: 'wait until a service is deleted', line: 'ecsmctl wait service/old --for=delete' },
    {
      help: 'wait until two instances are ready',
      line: "ecsmctl wait service/telemetry --for=jsonpath='{.status.readyReplicas}'=2",
    },
  ],
  ...words,
  group,
  flags: [
    {
      name: 'for',
      value: 'WHAT',
      help: 'condition to wait for: condition=TYPE[=VALUE] (VALUE defaults to True), jsonpath=PATH[=VALUE], create or delete',
      complete: async () => ['condition=Available', 'condition=Progressing', 'jsonpath=', 'create', 'delete'],
    },
    {
      name: 'timeout',
      value: 'TIME',
      default: '30s',
      help: 'timeout, such as 90s, 5m or 1h30m; 0 checks once without waiting',
    },
    ...targetFlags,
  ],
  exitCodes: [
    { code: 0, help: 'all objects meet the condition' },
    { code: 1, help: 'an object does not meet the condition; the message names it' },
  ],
  load: () => import('./wait.ts'),
};

export const rolloutCommands: readonly Command[] = [
  {
    name: 'rollout',
    help: 'inspect, pause, undo or restart the rollout of a service',
    examples: [
      { help: 'wait for a rollout to complete', line: 'ecsmctl rollout status service/telemetry' },
      { help: 'list the revisions', line: 'ecsmctl rollout history service/telemetry' },
      { help: 'roll back to the previous revision', line: 'ecsmctl rollout undo service/telemetry' },
    ],
    group,
    commands: [status, history, undo, pause, resume, restart],
  },
  wait,
];
