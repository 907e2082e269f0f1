/**
 * Splits a command line into command, flags with values, and arguments. No errors
 * are reported here, so completion can read a line that is not finished.
 */
import { parseArgs } from 'node:util';
import type { Command, Flag, Program } from './command.ts';
import { findCommand, flagsOf } from './usage.ts';

/** One use of a flag. */
export interface FlagUse {
  /** Absent: there is no such flag. */
  readonly flag: Flag | undefined;
  /** As it was typed: `-n` or `--namespace`. */
  readonly typed: string;
  readonly value: string | undefined;
  /** The value is part of the same token: `--flag=value`. */
  readonly isInline: boolean;
}

export interface Reading {
  /** The command and the ones around it: `rollout`, `undo`. Empty if none was named. */
  readonly path: readonly Command[];
  /** Arguments without the names of the command. */
  readonly words: readonly string[];
  readonly uses: readonly FlagUse[];
  /** Arguments after `--`. Absent: there is no `--`. */
  readonly rest: readonly string[] | undefined;
  /** A flag before the command is ambiguous, so the command is uncertain. */
  readonly isAmbiguous: boolean;
}

export function readTokens(program: Program, argv: readonly string[]): Reading {
  // Which tokens are values depends on the flags, and these depend on the command. So the command is first searched
  // with the flags of all commands, and then everything is parsed again with the flags of this command.
  const path = pathIn(program, take(argv, everyFlag(program)).words);
  const { words, uses, rest } = take(argv, flagsOf(program, path));
  const again = pathIn(program, words);
  const isAmbiguous = again.length !== path.length || again.some((command, index) => command !== path[index]);
  return { path, words: words.slice(again.length), uses, rest, isAmbiguous };
}

function pathIn(program: Program, words: readonly string[]): readonly Command[] {
  const path: Command[] = [];
  let commands: readonly Command[] | undefined = program.commands;
  for (const word of words) {
    const command: Command | undefined = commands && findCommand(commands, word);
    if (!command) break;
    path.push(command);
    commands = command.commands;
  }
  return path;
}

function everyFlag(program: Program): readonly Flag[] {
  const below = (commands: readonly Command[]): Flag[] =>
    commands.flatMap((command) => [...(command.flags ?? []), ...below(command.commands ?? [])]);
  // Of two flags with the same letter the one with a value wins: its value would be taken for the command.
  const others = below(program.commands).sort((one, other) => Number(takesNext(other)) - Number(takesNext(one)));
  return [...flagsOf(program, []), ...others];
}

/** Whether the next token is its value. */
function takesNext({ value, withoutValue }: Flag): boolean {
  return value !== undefined && withoutValue === undefined;
}

function take(argv: readonly string[], flags: readonly Flag[]): Pick<Reading, 'words' | 'uses' | 'rest'> {
  const byName = new Map<string, Flag>();
  const byLetter = new Map<string, Flag>();
  for (const flag of flags) {
    if (!byName.has(flag.name)) byName.set(flag.name, flag);
    if (flag.short !== undefined && !byLetter.has(flag.short)) byLetter.set(flag.short, flag);
  }
  const options = Object.fromEntries(
    [...byName.values()].map((flag) => {
      const type = takesNext(flag) ? ('string' as const) : ('boolean' as const);
      const isLetterOurs = flag.short !== undefined && byLetter.get(flag.short) === flag;
      return [flag.name, isLetterOurs && flag.short !== undefined ? { type, short: flag.short } : { type }];
    }),
  );
  const { tokens } = parseArgs({ args: spelledOut(argv, byLetter), options, strict: false, tokens: true });
  const words: string[] = [];
  const uses: FlagUse[] = [];
  let rest: string[] | undefined;
  for (const token of tokens) {
    if (token.kind === 'option-terminator') rest = [];
    else if (token.kind === 'positional') (rest ?? words).push(token.value);
    else
      uses.push(
        useOf(token, token.rawName.startsWith('--') ? byName.get(token.name) : byLetter.get(token.rawName.slice(1))),
      );
  }
  return { words, uses, rest };
}

interface OptionToken {
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function useOf({ rawName, value, inlineValue }: OptionToken, flag: Flag | undefined): FlagUse {
  const isInline = inlineValue === true;
  // The parser takes `=ns` of `-n=ns` for the value.
  const isShort = !rawName.startsWith('--');
  return {
    flag,
    typed: rawName,
    value: isShort && isInline && value?.startsWith('=') ? value.slice(1) : value,
    isInline,
  };
}

/** `-A=true` would be read as five letters. Written with its name it is the switch with a value. */
function spelledOut(argv: readonly string[], byLetter: ReadonlyMap<string, Flag>): string[] {
  const end = argv.indexOf('--');
  return argv.flatMap((word, index) => {
    const [, letters = '', value = ''] = /^-([^-=]+)=(.*)$/s.exec(word) ?? [];
    const group = [...letters].map((letter) => byLetter.get(letter));
    const last = group.at(-1);
    if ((end !== -1 && index > end) || !last || group.some((flag) => !flag || takesNext(flag))) return [word];
    const others = [...letters].slice(0, -1).join('');
    return [...(others === '' ? [] : [`-${others}`]), `--${last.name}=${value}`];
  });
}
