/** The commands that change objects, as data. */
import type { Command, Completer } from '@ecsm/command-line';
import {
  allNamespacesFlag,
  dryRunFlag,
  filenameFlag,
  kustomizeFlag,
  outputFlag,
  platformFlags,
  recursiveFlag,
  selectorFlag,
  showValuesFlag,
} from '../shared/flags.ts';
import { allFlag, nameOutputFlag, timeoutFlag } from './flags.ts';
import { set } from './set-commands.ts';

const group = 'Change objects';
const completeWords: Completer = async (call, typed) =>
  (await import('../shared/live-names.ts')).completeResourceArgs(call, typed);
const fileFlags = [filenameFlag, recursiveFlag];
const kubectlFileFlags = [...fileFlags, kustomizeFlag];
/** Arguments are accepted, so that the error message can suggest -f. */
const filesOnly = { words: '-f FILE|DIR|-', wordsMin: 0, wordsMax: Number.POSITIVE_INFINITY };
/** Flags that select the objects of a command. */
const whichFlags = [...fileFlags, selectorFlag, allFlag, allNamespacesFlag];

const apply: Command = {
  name: 'apply',
  help: 'create or update objects from files',
  more: 'Creates missing objects, updates changed fields, and removes fields that were in the file when it was last applied and are no longer there, unless another manager owns them. A field that another manager set to another value is a conflict. All files are read and validated before anything is written. If an object cannot be applied, the others still are.',
  examples: [
    { help: 'apply one file', line: 'ecsmctl apply -f examples/quickstart/telemetry.yaml' },
    { help: 'apply all files of a directory', line: 'ecsmctl apply -f examples/quickstart' },
    { help: 'show what would be done', line: 'ecsmctl apply -f examples/quickstart --dry-run' },
    {
      help: 'also delete objects that were applied before and are no longer in the files',
      line: "ecsmctl apply -f examples/quickstart --prune -l '!keep' --dry-run",
    },
  ],
  ...filesOnly,
  group,
  flags: [
    ...kubectlFileFlags,
    {
      ...selectorFlag,
      help: 'apply only objects in the files that match this label selector; with --prune, delete only objects that match it',
    },
    { name: 'force-conflicts', help: 'take over fields that other managers set to other values' },
    { name: 'prune', help: 'delete objects that were applied before, match -l, and are no longer in the files' },
    { name: 'all', help: 'with --prune, instead of -l: all objects that were applied before' },
    dryRunFlag,
    { name: 'wait', help: 'wait until the objects are available' },
    timeoutFlag,
    outputFlag,
  ],
  load: () => import('./apply.ts'),
};

const create: Command = {
  name: 'create',
  help: 'create objects from files',
  more: 'Fails for objects that exist, and does not change them. To change an object, use apply.',
  examples: [
    {
      help: 'check whether an object could be created',
      line: 'ecsmctl create -f examples/quickstart/worker.yaml --dry-run',
    },
  ],
  ...filesOnly,
  group,
  flags: [...kubectlFileFlags, dryRunFlag, outputFlag],
  load: () => import('./create.ts'),
};

const replace: Command = {
  name: 'replace',
  help: 'replace existing objects by those in files',
  more: 'Fails for objects that do not exist. Fields that are not in the file get their defaults, except finalizers, which are kept; apply keeps the fields of others. If the file has a resourceVersion, it has to be the present one.',
  examples: [{ help: 'replace an object', line: 'ecsmctl replace -f examples/quickstart/worker.yaml --dry-run' }],
  ...filesOnly,
  group,
  flags: [
    ...kubectlFileFlags,
    { name: 'force', help: 'not supported: it would delete the object first' },
    dryRunFlag,
    outputFlag,
  ],
  load: () => import('./replace.ts'),
};

const remove: Command = {
  name: 'delete',
  help: 'delete objects',
  more: 'An object with a finalizer of the operator is removed after the operator has cleaned up on the platform; delete waits for that. Without a running operator the object remains.',
  examples: [
    { help: 'delete one service', line: 'ecsmctl delete service worker --wait=false' },
    { help: 'delete the objects in a file', line: 'ecsmctl delete -f examples/quickstart/thermal.yaml --wait=false' },
    { help: 'delete services with a label', line: 'ecsmctl delete services -l tier=test' },
    {
      help: 'hand a service over: it stays on the platform',
      line: 'ecsmctl delete service gateway --cascade=orphan --wait=false',
    },
    { help: 'show what would be deleted', line: 'ecsmctl delete services --all --dry-run' },
  ],
  words: '(KIND [NAME...] | KIND/NAME... | -f FILE)',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  completeWords,
  group,
  flags: [
    ...whichFlags,
    kustomizeFlag,
    {
      name: 'cascade',
      value: 'HOW',
      choices: ['background', 'orphan'],
      default: 'background',
      help: 'what happens to the service on the platform and to the revisions: background deletes them, orphan leaves them',
    },
    { name: 'wait', default: 'true', help: 'wait until the objects are deleted; --wait=false returns immediately' },
    timeoutFlag,
    { name: 'ignore-not-found', help: 'do not fail if an object does not exist' },
    dryRunFlag,
    nameOutputFlag,
  ],
  load: () => import('./delete.ts'),
};

const diff: Command = {
  name: 'diff',
  help: 'show what apply would change',
  more: 'Compares objects in the registry with the result of apply. With --live it also reads the platform and shows what the operator would do there; without files, for services in the registry. The values of env, command and vsoa are hidden, and changes of them are marked.',
  examples: [
    { help: 'show changes before applying files', line: 'ecsmctl diff -f examples/quickstart' },
    {
      help: 'also show changes on the platform',
      line: 'ecsmctl diff --live -f examples/quickstart/telemetry.yaml',
    },
    { help: 'show what the operator would do now', line: 'ecsmctl diff --live service/telemetry' },
  ],
  words: '(-f FILE | --live [KIND NAME...])',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  completeWords,
  group,
  flags: [
    ...kubectlFileFlags,
    { name: 'live', help: 'also show what the operator would do on the platform' },
    showValuesFlag,
    allNamespacesFlag,
    ...platformFlags,
  ],
  exitCodes: [
    { code: 0, help: 'nothing would change' },
    { code: 1, help: 'something would change' },
    { code: 3, help: 'the comparison failed' },
  ],
  failureCode: 3,
  load: () => import('./diff.ts'),
};

const edit: Command = {
  name: 'edit',
  help: 'edit an object in your editor',
  more: 'Opens the object in $VISUAL, $EDITOR or vi, without its status. An invalid object is opened again, with the errors as comments at the top. Through a server, values that you may not see are absent, and are not changed unless you write new ones.',
  examples: [{ help: 'edit one service', line: 'ecsmctl edit service telemetry' }],
  words: '(KIND NAME... | KIND/NAME...)',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  completeWords,
  group,
  flags: [outputFlag],
  load: () => import('./edit.ts'),
};

const patch: Command = {
  name: 'patch',
  help: 'change fields of an object',
  more: 'Applies a merge patch (RFC 7386): fields in the patch are set, null removes a field, lists are replaced as a whole. With --type json, applies the operations of a JSON patch (RFC 6902) one after the other; if one does not apply, nothing is changed.',
  examples: [
    {
      help: 'change one field',
      line: `ecsmctl patch service telemetry -p '{"spec":{"revisionHistoryLimit":5}}'`,
    },
    { help: 'change one field, in YAML', line: "ecsmctl patch service/telemetry -p 'spec: {revisionHistoryLimit: 5}'" },
    {
      help: 'change one field by a JSON patch',
      line: `ecsmctl patch service telemetry --type json -p '[{"op":"replace","path":"/spec/revisionHistoryLimit","value":4}]'`,
    },
  ],
  words: '(KIND NAME... | KIND/NAME...)',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  completeWords,
  group,
  flags: [
    { name: 'patch', short: 'p', value: 'JSON|YAML', help: 'the patch, in JSON or YAML' },
    { name: 'patch-file', value: 'FILE|-', help: 'file with the patch; - is standard input' },
    { name: 'type', value: 'TYPE', choices: ['merge', 'json'], default: 'merge', help: 'patch type' },
    dryRunFlag,
    outputFlag,
  ],
  load: () => import('./patch.ts'),
};

/** Labels and annotations are set and removed in the same way. */
function marking(name: string, nouns: string, examples: Command['examples'], load: Command['load'] & {}): Command {
  return {
    name,
    help: `set and remove ${nouns}`,
    examples,
    words: '(KIND [NAME...] | KIND/NAME...) KEY=VALUE|KEY-...',
    wordsMin: 0,
    wordsMax: Number.POSITIVE_INFINITY,
    completeWords,
    group,
    flags: [
      ...whichFlags,
      { name: 'overwrite', help: `replace ${nouns} that have another value` },
      { name: 'list', help: `list the ${nouns} and exit` },
      dryRunFlag,
      outputFlag,
    ],
    load,
  };
}

const label = marking(
  'label',
  'labels',
  [
    { help: 'set a label', line: 'ecsmctl label service telemetry tier=ground' },
    { help: 'change its value', line: 'ecsmctl label service telemetry tier=orbit --overwrite' },
    { help: 'remove a label', line: 'ecsmctl label service telemetry tier-' },
    { help: 'list the labels', line: 'ecsmctl label service telemetry --list' },
  ],
  () => import('./label.ts'),
);

const annotate = marking(
  'annotate',
  'annotations',
  [
    { help: 'set an annotation', line: "ecsmctl annotate service telemetry owner='ground team'" },
    { help: 'remove an annotation', line: 'ecsmctl annotate service telemetry owner-' },
  ],
  () => import('./annotate.ts'),
);

const scale: Command = {
  name: 'scale',
  help: 'set the number of instances',
  examples: [
    { help: 'scale to five instances', line: 'ecsmctl scale service telemetry --replicas 5' },
    {
      help: 'scale to three only if the current value is five',
      line: 'ecsmctl scale service/telemetry --replicas 3 --current-replicas 5',
    },
  ],
  words: '(KIND [NAME...] | KIND/NAME... | -f FILE)',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  completeWords,
  group,
  flags: [
    { name: 'replicas', value: 'N', help: 'new number of instances' },
    { name: 'current-replicas', value: 'N', help: 'scale only if the current value is N' },
    ...whichFlags,
    dryRunFlag,
    outputFlag,
  ],
  load: () => import('./scale.ts'),
};

const autoscale: Command = {
  name: 'autoscale',
  help: 'let an autoscaler set the number of instances',
  more: 'Creates an ECSMHpa for the service. The operator then sets its number of instances from its cpu usage. For other metrics and for limits, apply an ECSMHpa from a file.',
  examples: [
    {
      help: 'two to eight instances, for a mean cpu usage of 70 percent',
      line: 'ecsmctl autoscale service/telemetry --min 2 --max 8 --cpu-percent 70',
    },
    { help: 'print the object', line: 'ecsmctl autoscale service telemetry --max 4 --name night --dry-run -o yaml' },
  ],
  words: '(KIND [NAME...] | KIND/NAME... | -f FILE)',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  completeWords,
  group,
  flags: [
    { name: 'min', value: 'N', help: 'minimum number of instances. Default 1' },
    { name: 'max', value: 'N', help: 'maximum number of instances; required' },
    { name: 'cpu-percent', value: 'N', help: 'mean cpu usage to aim at, in percent. Default 80' },
    { name: 'name', value: 'NAME', help: 'name of the ECSMHpa. Default: that of the service' },
    ...whichFlags,
    dryRunFlag,
    outputFlag,
  ],
  load: () => import('./autoscale.ts'),
};

const validate: Command = {
  name: 'validate',
  help: 'validate files without a registry',
  more: 'Reports all errors in all files, with file, line and column. With --live it also asks the platform for the images and nodes of the services, which it would refuse only during the rollout.',
  examples: [
    { help: 'validate files before applying them', line: 'ecsmctl validate -f examples/quickstart' },
    { help: 'also ask the platform', line: 'ecsmctl validate --live -f examples/quickstart/telemetry.yaml' },
  ],
  ...filesOnly,
  group,
  flags: [
    ...fileFlags,
    { name: 'live', help: 'also ask the platform whether it has the images and nodes' },
    ...platformFlags,
  ],
  exitCodes: [
    { code: 0, help: 'all files are valid' },
    { code: 1, help: 'a file is not valid' },
  ],
  load: () => import('./validate.ts'),
};

export const writeCommands: readonly Command[] = [
  apply,
  create,
  replace,
  remove,
  diff,
  edit,
  patch,
  label,
  annotate,
  scale,
  autoscale,
  set,
  validate,
];
