/** Commands that change what is wanted, as data. */
import type { Command, Completer } from '@ecsm/command-line';
import { allNamespacesFlag, filenameFlag, outputFlag, recursiveFlag, selectorFlag } from '../shared/flags.ts';
import { allFlag, dryRunFlag, nameOutputFlag, platformFlags, timeoutFlag } from './flags.ts';

const group = 'Change what is wanted';
const completeWords: Completer = async (call) => (await import('../shared/live-names.ts')).resourceWords(call);
const fileFlags = [filenameFlag, recursiveFlag];
/** Words are taken, so that who forgets -f can be told. */
const filesOnly = { words: '-f FILE|DIR|-', wordsMin: 0, wordsMax: Number.POSITIVE_INFINITY };
/** How most of these commands are told which objects they are about. */
const whichFlags = [...fileFlags, selectorFlag, allFlag, allNamespacesFlag];

const apply: Command = {
  name: 'apply',
  help: 'make objects as files say, new or not',
  more: 'Creates what is not there, changes what is different, and takes away what was in the file the last time and is not any more. All files are read and checked before anything is written. An object that cannot be applied does not keep the others from it.',
  examples: [
    { help: 'one file', line: 'ecsmctl apply -f examples/quickstart/telemetry.yaml' },
    { help: 'every file of a directory', line: 'ecsmctl apply -f examples/quickstart' },
    { help: 'only say what would be done', line: 'ecsmctl apply -f examples/quickstart --dry-run' },
    {
      help: 'also delete what was applied before and is not in the files any more',
      line: "ecsmctl apply -f examples/quickstart --prune -l '!keep' --dry-run",
    },
  ],
  ...filesOnly,
  group,
  flags: [
    ...fileFlags,
    { ...selectorFlag, help: 'only those in the files with these labels; with --prune also what may be deleted' },
    { name: 'prune', help: 'delete what was applied before, has the labels of -l, and is not in the files' },
    dryRunFlag,
    { name: 'wait', help: 'wait until the operator has seen them and they are available' },
    timeoutFlag,
    outputFlag,
  ],
  load: () => import('./apply.ts'),
};

const create: Command = {
  name: 'create',
  help: 'make objects that are not there yet',
  more: 'An object that is there already is an error, and stays as it is. To change it, use apply.',
  examples: [
    { help: 'see whether it could be made', line: 'ecsmctl create -f examples/quickstart/worker.yaml --dry-run' },
  ],
  ...filesOnly,
  group,
  flags: [...fileFlags, dryRunFlag, outputFlag],
  load: () => import('./create.ts'),
};

const remove: Command = {
  name: 'delete',
  help: 'delete objects',
  more: 'An object that the operator looks after stays until it has cleaned up on the platform; delete waits for that. Without a running operator it stays until one runs.',
  examples: [
    { help: 'one by its name', line: 'ecsmctl delete service worker --wait=false' },
    { help: 'those of a file', line: 'ecsmctl delete -f examples/quickstart/thermal.yaml --wait=false' },
    { help: 'those with a label', line: 'ecsmctl delete services -l tier=test' },
    { help: 'only say which', line: 'ecsmctl delete services --all --dry-run' },
  ],
  words: '(KIND [NAME...] | KIND/NAME... | -f FILE)',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  completeWords,
  group,
  flags: [
    ...whichFlags,
    {
      name: 'cascade',
      value: 'HOW',
      choices: ['background', 'orphan'],
      default: 'background',
      help: 'what becomes of the revisions: deleted afterwards, or kept. The service on the platform goes either way',
    },
    { name: 'wait', default: 'true', help: 'wait until they are gone; --wait=false does not' },
    timeoutFlag,
    { name: 'ignore-not-found', help: 'an object that is not there is fine' },
    dryRunFlag,
    nameOutputFlag,
  ],
  load: () => import('./delete.ts'),
};

const diff: Command = {
  name: 'diff',
  help: 'show what apply would change',
  more: 'Compares the objects in the registry with what apply would make of them. With --live it also asks the platform, and says what the operator would do there; without files, for the services in the registry. Secrets are hidden; that one has changed is shown.',
  examples: [
    { help: 'before applying', line: 'ecsmctl diff -f examples/quickstart' },
    {
      help: 'and what it would mean on the platform',
      line: 'ecsmctl diff --live -f examples/quickstart/telemetry.yaml',
    },
    { help: 'what the operator would do now', line: 'ecsmctl diff --live service/telemetry' },
  ],
  words: '(-f FILE | --live [KIND NAME...])',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  completeWords,
  group,
  flags: [
    ...fileFlags,
    { name: 'live', help: 'also say what the operator would do on the platform' },
    allNamespacesFlag,
    ...platformFlags,
  ],
  exitCodes: [
    { code: 0, help: 'nothing would change' },
    { code: 1, help: 'something would change' },
    { code: 3, help: 'it could not be found out' },
  ],
  failureCode: 3,
  load: () => import('./diff.ts'),
};

const edit: Command = {
  name: 'edit',
  help: 'change an object in your editor',
  more: 'Opens it in $VISUAL, $EDITOR or vi, without its status. What is not valid is opened again, with what is wrong on top. Secrets are hidden, and stay as they are where "<hidden>" is left; to change one, write the new one there.',
  examples: [{ help: 'one service', line: 'ecsmctl edit service telemetry' }],
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
  more: 'A merge patch (RFC 7386): fields that are in it are set, null removes one, lists are replaced as a whole.',
  examples: [
    {
      help: 'change one field',
      line: `ecsmctl patch service telemetry -p '{"spec":{"revisionHistoryLimit":5}}'`,
    },
    { help: 'the same in YAML', line: "ecsmctl patch service/telemetry -p 'spec: {revisionHistoryLimit: 5}'" },
  ],
  words: '(KIND NAME... | KIND/NAME...)',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  completeWords,
  group,
  flags: [
    { name: 'patch', short: 'p', value: 'JSON|YAML', help: 'the patch' },
    { name: 'patch-file', value: 'FILE|-', help: 'where the patch is written; - is standard input' },
    { name: 'type', value: 'TYPE', choices: ['merge'], default: 'merge', help: 'there is only this one' },
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
      { name: 'overwrite', help: 'also if it has another value already' },
      { name: 'list', help: `print the ${nouns} instead` },
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
    { help: 'set one', line: 'ecsmctl label service telemetry tier=ground' },
    { help: 'set another value', line: 'ecsmctl label service telemetry tier=orbit --overwrite' },
    { help: 'remove it', line: 'ecsmctl label service telemetry tier-' },
    { help: 'see them', line: 'ecsmctl label service telemetry --list' },
  ],
  () => import('./label.ts'),
);

const annotate = marking(
  'annotate',
  'annotations',
  [
    { help: 'set one', line: "ecsmctl annotate service telemetry owner='ground team'" },
    { help: 'remove it', line: 'ecsmctl annotate service telemetry owner-' },
  ],
  () => import('./annotate.ts'),
);

const scale: Command = {
  name: 'scale',
  help: 'say how many instances should run',
  examples: [
    { help: 'five of them', line: 'ecsmctl scale service telemetry --replicas 5' },
    {
      help: 'only if there should be five now',
      line: 'ecsmctl scale service/telemetry --replicas 3 --current-replicas 5',
    },
  ],
  words: '(KIND [NAME...] | KIND/NAME... | -f FILE)',
  wordsMin: 0,
  wordsMax: Number.POSITIVE_INFINITY,
  completeWords,
  group,
  flags: [
    { name: 'replicas', value: 'N', help: 'how many' },
    { name: 'current-replicas', value: 'N', help: 'only those that should have so many now' },
    ...whichFlags,
    dryRunFlag,
    outputFlag,
  ],
  load: () => import('./scale.ts'),
};

const set: Command = {
  name: 'set',
  help: 'set the image of services',
  examples: [{ help: 'another version', line: 'ecsmctl set image service/telemetry telemetry@1.1.0#sylixos' }],
  group,
  commands: [
    {
      name: 'image',
      help: 'say which image should run',
      examples: [
        { help: 'another version', line: 'ecsmctl set image service/telemetry telemetry@1.1.0#sylixos' },
        { help: 'of all with a label', line: 'ecsmctl set image services -l tier=test probe@2.0.0' },
      ],
      words: '(KIND NAME... | KIND/NAME... | -f FILE) IMAGE',
      wordsMin: 0,
      wordsMax: Number.POSITIVE_INFINITY,
      completeWords,
      flags: [...whichFlags, dryRunFlag, outputFlag],
      load: () => import('./set-image.ts'),
    },
  ],
};

const validate: Command = {
  name: 'validate',
  help: 'check files, without a registry',
  more: 'Says everything that is wrong in all of the files, each with file, line and column.',
  examples: [{ help: 'before anybody applies them', line: 'ecsmctl validate -f examples/quickstart' }],
  ...filesOnly,
  group,
  flags: fileFlags,
  exitCodes: [
    { code: 0, help: 'everything is valid' },
    { code: 1, help: 'something is not' },
  ],
  load: () => import('./validate.ts'),
};

export const writeCommands: readonly Command[] = [
  apply,
  create,
  remove,
  diff,
  edit,
  patch,
  label,
  annotate,
  scale,
  set,
  validate,
];
