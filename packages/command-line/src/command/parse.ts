/** Parses a command line into a call of a command. Every error message names the typed text. */
import type { Call, Command, Flag, Program } from './command.ts';
import { UsageError } from './errors.ts';
import { didYouMean, nearest, oneOf } from './nearest.ts';
import { type FlagUse, type Reading, readTokens } from './tokens.ts';
import { flagsOf, flagUsageOf, shownCommands, usageOf, wordLimitsOf } from './usage.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type Parsed =
  | { readonly kind: 'help'; readonly path: readonly Command[] }
  | { readonly kind: 'version'; readonly version: string }
  | {
      readonly kind: 'run';
      readonly path: readonly Command[];
      readonly command: Command;
      readonly call: Omit<Call, 'terminal'>;
      readonly isVerbose: boolean;
    };

/** The values of a flag, and where they are from: `--listen`, `ECSM_URL` or `operator.yaml:3:7: workers`. A switch that is
 * off has no text. */
export interface FlagValue {
  readonly texts: readonly string[];
  readonly from: string;
}

/** By the name of the flag. */
type FlagValues = ReadonlyMap<string, FlagValue>;

/** Throws `UsageError`. Help is printed whatever else is wrong, unless there is no such command. */
export function parse(program: Program, argv: readonly string[], env: Environment): Parsed {
  const reading = readTokens(program, argv);
  const { path } = reading;
  const isGiven = (name: string) => reading.uses.some(({ flag }) => flag?.name === name);
  const command = path.at(-1) ?? (reading.words.length === 0 ? program.defaultCommand : undefined);
  const version = isGiven('version') && !isGiven('help') ? program.version : undefined;
  const isNamed = command !== undefined || reading.words.length > 0;
  if (version && !isNamed) return { kind: 'version', version: version() };
  if (!command) return withoutCommand(program, reading, isGiven('help'), argv, env);
  const lacksCommand = command.commands !== undefined && isBehindUnknownFlag(reading, argv);
  if (command.commands && reading.words.length > 0 && !lacksCommand) throw unknownCommand(program, reading);
  if (isGiven('help')) return { kind: 'help', path };
  if (version) return { kind: 'version', version: version() };
  const names = path.map(({ name }) => name);
  return usageErrorWithPath(names, () => {
    if (reading.isAmbiguous) throw new UsageError(`write the command first: ${usageOf(program, path)}`);
    const flags = flagsOf(program, path);
    const values = flagValuesOf(flags, lacksCommand ? [] : reading.uses, env);
    if (command.commands) {
      const known = shownCommands(command.commands).map(({ name }) => name);
      throw new UsageError(`${names.join(' ')} needs a command: ${oneOf(known)}`);
    }
    const [words, rest] = wordsOf(command, reading);
    checkWords(program, path, command, words);
    return { kind: 'run', path, command, call: callOf(flags, values, words, rest), isVerbose: values.has('verbose') };
  });
}

/** Whether the first word may be meant as the value of a flag: `update -f FILE`, without the command `service`. */
function isBehindUnknownFlag({ words: [word], uses }: Reading, argv: readonly string[]): boolean {
  const before = word === undefined ? undefined : argv[argv.indexOf(word) - 1];
  return uses.some(({ flag, typed }) => flag === undefined && typed === before);
}

/** No command is named: `ecsmctl`, `ecsmctl --help`, `ecsmctl help get`, `ecsmctl gte`. */
function withoutCommand(
  program: Program,
  reading: Reading,
  asksForHelp: boolean,
  argv: readonly string[],
  env: Environment,
): Parsed {
  const [first, ...others] = reading.words;
  if (first === 'help') {
    const { path, words } = readTokens(program, others);
    if (words.length > 0 && path.at(-1)?.commands === undefined && path.length > 0) return { kind: 'help', path };
    if (words.length > 0) throw unknownCommand(program, { path, words });
    return { kind: 'help', path };
  }
  const unknown = reading.uses.find(({ flag }) => flag === undefined);
  if (
    first === undefined &&
    unknown?.typed === '--version' &&
    program.commands.some(({ name }) => name === 'version')
  ) {
    return parse(program, ['version'], env);
  }
  // The word behind an unknown flag may be meant as its value, so the flag is reported first. A word before all flags is
  // meant as a command.
  if (unknown && first !== argv[0]) throw unknownFlag(unknown.typed, flagsOf(program, []));
  if (first !== undefined) throw unknownCommand(program, reading);
  if (reading.rest !== undefined && reading.rest.length > 0) throw new UsageError(`write the command before --`);
  if (!asksForHelp) flagValuesOf(flagsOf(program, []), reading.uses, env);
  return { kind: 'help', path: [] };
}

function unknownCommand(program: Program, { path, words: [word = ''] }: Pick<Reading, 'path' | 'words'>): UsageError {
  const commands = path.at(-1)?.commands ?? program.commands;
  const shown = shownCommands(commands);
  const candidates = path.length === 0 ? [...shown.map(({ name }) => name), 'help'] : shown.map(({ name }) => name);
  const aliases = shown.flatMap((command) => command.aliases ?? []);
  const near = nearest(word, [...candidates, ...aliases]);
  const hint = near === undefined ? didYouMean(word, candidates) : ` Did you mean "${near}"?`;
  const names = path.map(({ name }) => name);
  return new UsageError(`unknown command "${[...names, word].join(' ')}".${hint}`, names);
}

function unknownFlag(typed: string, flags: readonly Flag[]): UsageError {
  const negated = flags.find(({ name, value }) => typed === `--no-${name}` && value === undefined);
  if (negated)
    return new UsageError(`unknown flag ${typed}: to switch --${negated.name} off, write --${negated.name}=false`);
  const letters = flags.flatMap(({ short }) => (short === undefined ? [] : [`-${short}`]));
  const names = flags.map(({ name }) => `--${name}`);
  const other = /^-[A-Z]$/.test(typed) ? typed.toLowerCase() : typed.toUpperCase();
  const near = typed.startsWith('--') ? nearest(typed, names) : letters.find((letter) => letter === other);
  return new UsageError(`unknown flag ${typed}.${near === undefined ? '' : ` Did you mean "${near}"?`}`);
}

function flagValuesOf(flags: readonly Flag[], uses: readonly FlagUse[], env: Environment): FlagValues {
  const values = new Map<string, FlagValue>();
  for (const use of uses) {
    if (!use.flag) throw unknownFlag(use.typed, flags);
    const before = values.get(use.flag.name);
    if (before && !use.flag.repeats) throw new UsageError(`${use.typed} is given twice`);
    const texts = textsOf(use.flag, use);
    for (const text of texts) checkValue(use.flag, text, use.typed);
    values.set(use.flag.name, { texts: [...(before?.texts ?? []), ...texts], from: `--${use.flag.name}` });
  }
  for (const flag of flags) {
    const text = flag.variable === undefined ? undefined : env[flag.variable];
    // An empty variable counts as not set.
    if (flag.variable === undefined || text === undefined || text === '' || values.has(flag.name)) continue;
    const texts = flag.repeats ? text.split('\n').filter((line) => line.trim() !== '') : [text];
    values.set(flag.name, readFlagValue(flag.variable, flag, texts));
  }
  return values;
}

function textsOf(flag: Flag, { typed, value, isInline }: FlagUse): readonly string[] {
  if (flag.value === undefined)
    return value === undefined ? ['true'] : switched(value, `${typed} has to be true or false`, flag);
  if (value === undefined && flag.withoutValue !== undefined) return [flag.withoutValue];
  const usage = flagUsageOf(flag).replace(/^--[^ =[]+/, typed);
  if (value === undefined) throw new UsageError(`${typed} needs a value: ${usage}`);
  // The value is missing, and the next word is a flag. Negative numbers are values.
  if (!isInline && /^-[^\d]/.test(value)) {
    const remedy = flag.secret ? '' : `. If "${value}" is the value, write --${flag.name}=${value}`;
    throw new UsageError(`${typed} needs a value: ${usage}${remedy}`);
  }
  if (value === '') throw new UsageError(`the value of ${typed} is empty: omit ${typed}, or set a value`);
  return [value];
}

/** The value of a flag in a variable or a config file. Throws `UsageError`. */
export function readFlagValue(from: string, flag: Flag, texts: readonly string[]): FlagValue {
  if (flag.value === undefined) {
    return { texts: texts.flatMap((text) => switched(text, `${from} has to be true or false`, flag)), from };
  }
  for (const text of texts) checkValue(flag, text, from);
  return { texts, from };
}

function switched(text: string, message: string, { secret }: Flag): readonly string[] {
  if (text === 'true' || text === '1') return ['true'];
  if (text === 'false' || text === '0') return [];
  throw new UsageError(`${message}${secret ? '' : `, not "${text}"`}`);
}

function checkValue({ choices, secret, value }: Flag, text: string, from: string): void {
  if (value === undefined || !choices || choices.includes(text)) return;
  const near = nearest(text, choices);
  const hint = near === undefined || secret ? '' : `. Did you mean "${near}"?`;
  throw new UsageError(`${from} has to be ${oneOf(choices)}${secret ? '' : `, not "${text}"`}${hint}`);
}

function wordsOf(command: Command, { words, rest = [] }: Reading): readonly [readonly string[], readonly string[]] {
  return command.rest === undefined ? [[...words, ...rest], []] : [words, rest];
}

function checkWords(program: Program, path: readonly Command[], command: Command, words: readonly string[]): void {
  const { min, max } = wordLimitsOf(command);
  const name = path.length === 0 ? command.name : path.map((one) => one.name).join(' ');
  if (words.length < min) {
    const isMissing =
      words.length === 0 ? `${name} needs ${command.words}` : `${name} needs more than "${words.join(' ')}"`;
    throw new UsageError(`${isMissing}: ${usageOf(program, path)}`);
  }
  const tooMany = words[max];
  if (tooMany === undefined) return;
  throw new UsageError(
    max === 0
      ? `${name} takes no arguments, but got "${tooMany}"`
      : `unexpected argument "${tooMany}": ${usageOf(program, path)}`,
  );
}

function callOf(
  flags: readonly Flag[],
  values: FlagValues,
  words: readonly string[],
  rest: readonly string[],
): Omit<Call, 'terminal'> {
  const of = (name: string): readonly string[] => {
    const flag = flags.find((one) => one.name === name);
    if (!flag) throw new Error(`the command reads the undeclared flag --${name}`);
    return values.get(name)?.texts ?? (flag.default === undefined ? [] : [flag.default]);
  };
  return { words, rest, flag: (name) => of(name).at(-1), flags: of, origin: (name) => values.get(name)?.from };
}

/** An error about a command points to the help of that command. */
function usageErrorWithPath<T>(path: readonly string[], read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof UsageError && error.path === undefined ? new UsageError(error.message, path) : error;
  }
}
