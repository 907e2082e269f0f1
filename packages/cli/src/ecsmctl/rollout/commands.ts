/** `rollout` and `wait`: the commands that follow a change, and steer it. */
import type { Command, Completer, Flag } from '@ecsm/command-line';
import { allNamespacesFlag, filenameFlag, outputFlag, recursiveFlag, selectorFlag } from '../shared/flags.ts';

const group = 'Follow and steer';

const completeWords: Completer = async (call) => (await import('../shared/live-names.ts')).resourceWords(call);

/** KIND NAME…, KIND/NAME…, -l, --all or -f. */
const words = {
  words: '[KIND NAME... | KIND/NAME...]',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  completeWords,
};

const allFlag: Flag = { name: 'all', help: 'all of that kind in the namespace' };

const targetFlags: readonly Flag[] = [selectorFlag, allFlag, allNamespacesFlag, filenameFlag, recursiveFlag];

const status: Command = {
  name: 'status',
  help: 'follow a rollout to its end',
  more: 'It ends well when every instance is of the newest revision and ready, and with 1 when the operator says that it is stuck: after spec.updateStrategy.progressDeadlineSeconds without progress.',
  examples: [
    { help: 'until telemetry is rolled out', line: 'ecsmctl rollout status service/telemetry' },
    { help: 'for five minutes at most', line: 'ecsmctl rollout status service/telemetry --timeout 5m' },
    { help: 'only what is so now', line: 'ecsmctl rollout status service/telemetry --watch=false' },
  ],
  ...words,
  flags: [
    { name: 'watch', short: 'w', help: 'follow it; --watch=false only tells what is so now. Default true' },
    { name: 'timeout', value: 'TIME', default: '15m', help: 'give up after this: 90s, 5m, 1h30m; 0 is for ever' },
    ...targetFlags,
  ],
  exitCodes: [
    { code: 0, help: 'it is rolled out, or --watch=false and under way' },
    { code: 1, help: 'it is stuck, or not done in time' },
  ],
  load: () => import('./status.ts'),
};

const history: Command = {
  name: 'history',
  help: 'list the revisions of a service',
  more: 'The operator records a revision for each template that was in use. A revision that becomes current again gets a new number.',
  examples: [
    { help: 'what telemetry looked like', line: 'ecsmctl rollout history service/telemetry' },
    { help: 'the template of one of them', line: 'ecsmctl rollout history service/telemetry --revision 1' },
  ],
  ...words,
  flags: [
    { name: 'revision', value: 'N', help: 'show the template of this revision' },
    {
      ...outputFlag,
      help: 'table, wide, yaml, json or name; with --revision yaml or json',
      complete: async () => ['table', 'wide', 'yaml', 'json', 'name'],
    },
    { name: 'no-headers', help: 'leave out the line with the names of the columns' },
    ...targetFlags,
  ],
  load: () => import('./history.ts'),
};

const undo: Command = {
  name: 'undo',
  help: 'go back to an earlier revision',
  more: 'Writes the template of that revision back into the spec; the operator rolls it out like any change. The number of instances, the nodes and the strategies stay as they are.',
  examples: [
    { help: 'to the one before', line: 'ecsmctl rollout undo service/telemetry' },
    { help: 'to the first one', line: 'ecsmctl rollout undo service/telemetry --to-revision 1' },
  ],
  ...words,
  flags: [
    { name: 'to-revision', value: 'N', help: 'to this one, as "rollout history" lists them. Default the one before' },
    { name: 'dry-run', help: 'write nothing, only say what would be' },
    ...targetFlags,
  ],
  load: () => import('./undo.ts'),
};

const pause: Command = {
  name: 'pause',
  help: 'let changes of the template wait',
  more: 'A rolling update stands still where it is. Scaling and healing go on.',
  examples: [{ help: 'telemetry stays as it is', line: 'ecsmctl rollout pause service/telemetry' }],
  ...words,
  flags: targetFlags,
  load: () => import('./pause.ts'),
};

const resume: Command = {
  name: 'resume',
  help: 'let paused changes go on',
  examples: [{ help: 'what waited is rolled out', line: 'ecsmctl rollout resume service/telemetry' }],
  ...words,
  flags: targetFlags,
  load: () => import('./resume.ts'),
};

const restart: Command = {
  name: 'restart',
  help: 'make every instance anew, with the same template',
  more: 'Sets the annotation ecsm.sh/restartedAt, which makes another revision. It goes the way of any update.',
  examples: [
    { help: 'telemetry, as its update strategy allows', line: 'ecsmctl rollout restart service/telemetry' },
    { help: 'every service of a tier', line: 'ecsmctl rollout restart services -l tier=ground' },
  ],
  ...words,
  flags: targetFlags,
  load: () => import('./restart.ts'),
};

const wait: Command = {
  name: 'wait',
  help: 'wait until objects are as they should be, or gone',
  more: 'Types of conditions and their values may be written in any case. A jsonpath with several values is met when all of them are the value; without a value, when there is one.',
  examples: [
    { help: 'until it can be used', line: 'ecsmctl wait service/telemetry --for=condition=Available' },
    {
      help: 'all of them, for two minutes',
      line: 'ecsmctl wait services --all --for=condition=Available --timeout 2m',
    },
    { help: 'until it is gone', line: 'ecsmctl wait service/old --for=delete' },
    {
      help: 'until two instances are ready',
      line: "ecsmctl wait service/telemetry --for=jsonpath='{.status.readyReplicas}'=2",
    },
  ],
  ...words,
  group,
  flags: [
    {
      name: 'for',
      value: 'WHAT',
      help: 'condition=TYPE[=VALUE] (VALUE is True if it is left out), jsonpath=PATH[=VALUE], create or delete',
      complete: async () => ['condition=Available', 'condition=Progressing', 'jsonpath=', 'create', 'delete'],
    },
    { name: 'timeout', value: 'TIME', default: '30s', help: 'give up after this: 90s, 5m, 1h30m; 0 looks once' },
    ...targetFlags,
  ],
  exitCodes: [
    { code: 0, help: 'all of them are as wanted' },
    { code: 1, help: 'one of them is not, and the message names it' },
  ],
  load: () => import('./wait.ts'),
};

export const rolloutCommands: readonly Command[] = [
  {
    name: 'rollout',
    help: 'follow, pause, undo or restart the rollout of a service',
    examples: [
      { help: 'follow it to its end', line: 'ecsmctl rollout status service/telemetry' },
      { help: 'what there was before', line: 'ecsmctl rollout history service/telemetry' },
      { help: 'back to the one before', line: 'ecsmctl rollout undo service/telemetry' },
    ],
    group,
    commands: [status, history, undo, pause, resume, restart],
  },
  wait,
];
