/** What a command line may look like: which flags a command takes, how many arguments, and how the usage shows them. */
import type { Command, Flag, Program } from './command.ts';

/** For programs that show details on request. Programs without it always print the stack of an unexpected error. */
export const verboseFlag: Flag = {
  name: 'verbose',
  short: 'v',
  repeats: true,
  help: 'print requests and the stack traces of errors',
};
const versionFlag: Flag = { name: 'version', repeats: true, help: 'print the version and exit' };
const helpFlag: Flag = { name: 'help', short: 'h', repeats: true, help: 'print help and exit' };

/** The flags of the program that every command takes. */
export function programFlagsOf({ flags, version }: Program): readonly Flag[] {
  return [...flags, ...(version ? [versionFlag] : []), helpFlag];
}

/** The flags of a command, its own first. One of its own hides one of the program with the same name. */
export function flagsOf(program: Program, path: readonly Command[]): readonly Flag[] {
  const commands = path.length === 0 && program.defaultCommand ? [program.defaultCommand] : [...path].reverse();
  const own = commands.flatMap((command) => command.flags ?? []);
  const seen = new Set<string>();
  return [...own, ...programFlagsOf(program)].filter(({ name }) => !seen.has(name) && seen.add(name));
}

/** The flags that are not a command's own. */
export function globalFlagsOf(program: Program, path: readonly Command[]): readonly Flag[] {
  const own = new Set(path.flatMap((command) => command.flags ?? []));
  return flagsOf(program, path).filter((flag) => !own.has(flag));
}

/** Commands that are not hidden. */
export function shownCommands(commands: readonly Command[]): readonly Command[] {
  return commands.filter(({ hidden }) => !hidden);
}

export function findCommand(commands: readonly Command[], word: string): Command | undefined {
  return commands.find(({ name, aliases }) => name === word || aliases?.includes(word));
}

interface WordLimits {
  readonly min: number;
  readonly max: number;
}

/** How many arguments a command takes: `KIND [NAME...]` takes one or more. */
export function wordLimitsOf({ words = '', wordsMin, wordsMax }: Command): WordLimits {
  const all = words.split(/\s+/).filter((word) => word !== '');
  const min = wordsMin ?? all.filter((word) => !word.startsWith('[')).length;
  const max = wordsMax ?? (words.includes('...') ? Number.POSITIVE_INFINITY : all.length);
  return { min, max: Math.max(min, max) };
}

/** `ecsmctl get KIND [NAME...]`, without flags. */
export function usageOf(program: Program, path: readonly Command[]): string {
  const command = path.at(-1);
  const parts = [program.name, ...path.map(({ name }) => name)];
  if (!command || command.commands) parts.push(command || !program.defaultCommand ? 'COMMAND' : '[COMMAND]');
  if (command?.words) parts.push(command.words);
  if (command?.rest) parts.push('--', command.rest);
  return parts.join(' ');
}

/** What a flag does, with its choices and its default, in one line. */
export function flagMeaningOf({ help, choices, default: fallback, repeats, value, secret }: Flag): string {
  return [
    help,
    ...(choices ? [`: ${choices.join(', ')}`] : []),
    ...(repeats && value !== undefined ? ['; may be repeated'] : []),
    ...(fallback === undefined || secret ? [] : [`. Default ${fallback}`]),
  ].join('');
}

/** `--namespace NS`, `--dry-run[=MODE]` or `--all`. */
export function flagUsageOf({ name, value, withoutValue }: Flag): string {
  if (value === undefined) return `--${name}`;
  return withoutValue === undefined ? `--${name} ${value}` : `--${name}[=${value}]`;
}
