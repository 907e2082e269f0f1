/**
 * Candidates for a command line that is being typed. The shell scripts call this and show the result; all logic is here.
 * Candidates are `word` or `word<TAB>description`; with `filesMarker` the shell completes file names.
 */
import { type Call, type Command, type Completer, type Flag, filesMarker, type Program } from './command.ts';
import type { Terminal } from './terminal.ts';
import { type FlagUse, readTokens } from './tokens.ts';
import { findCommand, flagsOf, shownCommands, wordLimitsOf } from './usage.ts';

/** How long completion waits for live names. */
const timeoutMs = 2_000;
/** Longer lists are not useful. */
const candidatesMax = 500;

/** `words` are the arguments of the program; the last one is being typed and may be empty. */
export async function candidatesFor(
  program: Program,
  words: readonly string[],
  terminal: Terminal,
): Promise<readonly string[]> {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const isHelp = before[0] === 'help' && !findCommand(program.commands, 'help');
  const { path, words: args, uses, rest, isAmbiguous } = readTokens(program, isHelp ? before.slice(1) : before);
  if (isAmbiguous) return [];
  const command = path.at(-1);
  const flags = flagsOf(program, path);
  const isRestWords = command?.rest === undefined;
  const given = isRestWords ? [...args, ...(rest ?? [])] : args;
  const call: Call = { ...callOf(flags, uses, given, isRestWords ? [] : (rest ?? []), terminal), terminal };
  if (rest !== undefined) return isRestWords ? wordsOf(command, call, typed) : [filesMarker];
  // `before` may end with a flag without its value.
  const pending = uses.at(-1);
  if (pending?.flag && pending.value === undefined && needsValue(pending.flag) && before.at(-1)?.startsWith('-')) {
    return valuesOf(pending.flag, call, typed, '');
  }
  const [, name = '', start] = /^--([^=]+)=(.*)$/s.exec(typed) ?? [];
  const flag = start === undefined ? undefined : flags.find((one) => one.name === name);
  if (flag) return valuesOf(flag, call, start ?? '', `--${name}=`);
  if (typed.startsWith('-') && typed !== '-') return fitting(typed, flagNames(flags, uses));
  if (isHelp || !command || command.commands) return fitting(typed, commandNames(program, path, args, isHelp));
  const found = await wordsOf(command, call, typed);
  // Offers flags if there are no other candidates.
  return found.length === 0 && (typed === '-' || typed === '') && takesNoMore(command, args)
    ? fitting(typed, flagNames(flags, uses))
    : found;
}

function commandNames(program: Program, path: readonly Command[], args: readonly string[], isHelp: boolean): string[] {
  if (args.length > 0) return [];
  const commands = path.length === 0 ? program.commands : (path.at(-1)?.commands ?? []);
  const names = shownCommands(commands).map(({ name, help }) => `${name}\t${help}`);
  return path.length === 0 && !isHelp ? [...names, 'help\tprint help about a command'] : names;
}

/** Flags that may still be set. */
function flagNames(flags: readonly Flag[], uses: readonly FlagUse[]): string[] {
  const given = new Set(uses.map(({ flag }) => flag));
  return flags.filter((flag) => flag.repeats || !given.has(flag)).map(({ name, help }) => `--${name}\t${help}`);
}

function needsValue({ value, withoutValue }: Flag): boolean {
  return value !== undefined && withoutValue === undefined;
}

function takesNoMore(command: Command, args: readonly string[]): boolean {
  return args.length >= wordLimitsOf(command).max;
}

async function valuesOf(flag: Flag, call: Call, typed: string, prefix: string): Promise<readonly string[]> {
  const words = flag.choices ?? (flag.complete ? await withTimeout(flag.complete, call, typed) : []);
  if (words.length === 0 && /\b(FILE|DIR|PATH)\b/.test(flag.value ?? '')) return [filesMarker];
  const found = fitting(typed, words);
  return found.map((word) => (word === filesMarker ? word : `${prefix}${word}`));
}

async function wordsOf(command: Command | undefined, call: Call, typed: string): Promise<readonly string[]> {
  if (!command?.completeWords || takesNoMore(command, call.words)) return [];
  return fitting(typed, await withTimeout(command.completeWords, call, typed));
}

async function withTimeout(completer: Completer, call: Call, typed: string): Promise<readonly string[]> {
  let cancel = () => {};
  const late = new Promise<readonly string[]>((resolve) => {
    cancel = call.terminal.clock.after(timeoutMs, () => resolve([]));
  });
  return Promise.race([completer(call, typed).catch(() => []), late]).finally(() => cancel());
}

/** The protocol has one candidate per line, so names with line ends are omitted. */
function fitting(typed: string, words: readonly string[]): string[] {
  const fit = words.filter(
    (word) => word === filesMarker || (word.startsWith(typed) && !/[\p{Cc}]/u.test(word.replace('\t', ''))),
  );
  return [...new Set(fit)].slice(0, candidatesMax);
}

/** The call as typed so far, not validated. */
function callOf(
  flags: readonly Flag[],
  uses: readonly FlagUse[],
  words: readonly string[],
  rest: readonly string[],
  { env }: Terminal,
): Omit<Call, 'terminal'> {
  const of = (name: string): readonly string[] => {
    const given = uses.filter(({ flag }) => flag?.name === name);
    if (given.length > 0) return given.map(({ value, flag }) => value ?? flag?.withoutValue ?? 'true');
    const flag = flags.find((one) => one.name === name);
    const text = (flag?.variable === undefined ? undefined : env[flag.variable]) || flag?.default;
    return text === undefined || text === '' ? [] : [text];
  };
  const origin = (name: string) => {
    if (uses.some(({ flag }) => flag?.name === name)) return `--${name}`;
    const variable = flags.find((one) => one.name === name)?.variable;
    return variable !== undefined && env[variable] ? variable : undefined;
  };
  return { words, rest, flag: (name) => of(name).at(-1), flags: of, origin };
}
