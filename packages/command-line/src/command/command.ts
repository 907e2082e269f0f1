/**
 * A command as data: its arguments, flags and examples. Parsing, help, error messages and
 * completion are generated from it. Its implementation is loaded only when it is called, so that a tool with forty
 * commands starts as fast as one with one.
 */
import type { Terminal } from './terminal.ts';

export interface Flag {
  /** Without dashes: `dry-run`. */
  readonly name: string;
  /** One letter: `n` for `-n`. */
  readonly short?: string;
  /** The placeholder of its value in the help: `FILE`. Absent: a boolean flag. */
  readonly value?: string;
  /** The only values it takes. */
  readonly choices?: readonly string[];
  /** May be given several times. */
  readonly repeats?: boolean;
  /** The value if the flag is given without one. Absent: a value is required. */
  readonly withoutValue?: string;
  /** The environment variable that sets it. Of a flag that repeats: one value per line. */
  readonly variable?: string;
  /** The key of the config file that sets it. */
  readonly key?: string;
  /** Its value if it is not set. The help text adds it to `help`. */
  readonly default?: string;
  /** Its value is never shown, not even by `-v`. */
  readonly secret?: boolean;
  /** One line, with the unit, and with the default unless `default` is set. */
  readonly help: string;
  /** Candidates for its value, for completion. */
  readonly complete?: Completer;
}

/** What a completer returns for names of files: the shell completes these itself. */
export const filesMarker = ':files';

export interface Example {
  /** What it does. */
  readonly help: string;
  /** The whole line: `ecsmctl get services -A`. Tests run those of the tools. */
  readonly line: string;
}

/**
 * Returns candidates for the next argument; the caller filters them by what is typed so far. A candidate may carry a
 * description after a tab, and `filesMarker` stands for file names. It may be slow or fail; completion ignores that.
 */
/** `typed`: the start of the word that is completed. Candidates that do not start with it are dropped. */
export type Completer = (call: Call, typed: string) => Promise<readonly string[]>;

export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line for the list of commands. */
  readonly help: string;
  /** A few sentences for its own help. */
  readonly more?: string;
  readonly examples: readonly Example[];
  /**
   * Its arguments, as the usage shows them: `KIND [NAME...]`. Absent: it takes none. Their number is derived from it:
   * those in brackets are optional, and `...` stands for any number.
   */
  readonly words?: string;
  /** If the number cannot be derived from `words`: `(KIND NAME | -f FILE)`. */
  readonly wordsMin?: number;
  readonly wordsMax?: number;
  /** Arguments after `--`, as the usage shows them: `COMMAND...`. Absent: they are normal arguments. */
  readonly rest?: string;
  readonly flags?: readonly Flag[];
  /** Subcommands. A command with subcommands has no implementation. */
  readonly commands?: readonly Command[];
  readonly completeWords?: Completer;
  readonly load?: () => Promise<{ readonly run: Run }>;
  /** The heading in the list of commands. */
  readonly group?: string;
  /** Omitted from help and completion. */
  readonly hidden?: boolean;
  /** Exit codes with a special meaning, for its help: `diff` exits with 1 if objects differ. */
  readonly exitCodes?: readonly ExitCode[];
  /** Exit code of a failure. Default 1. */
  readonly failureCode?: number;
}

export interface ExitCode {
  readonly code: number;
  readonly help: string;
}

/** Runs the command. Returns the exit code; undefined is 0. */
// biome-ignore lint/suspicious/noConfusingVoidType: an async function that returns nothing has to fit.
export type Run = (call: Call) => Promise<number | void>;

/** One use of a command. */
export interface Call {
  readonly terminal: Terminal;
  readonly words: readonly string[];
  /** The value from the flag, its variable or its default. A flag that is on or off is `'true'` or absent. */
  readonly flag: (name: string) => string | undefined;
  readonly flags: (name: string) => readonly string[];
  /** Where the value is from, for error messages: `--namespace` or `ECSM_NAMESPACE`. Undefined if it is not set. */
  readonly origin: (name: string) => string | undefined;
  /** Arguments after `--`, of a command that has a `rest`. */
  readonly rest: readonly string[];
}

export interface Program {
  /** `ecsmctl`. */
  readonly name: string;
  readonly help: string;
  readonly examples: readonly Example[];
  /** Flags that every command takes. */
  readonly flags: readonly Flag[];
  readonly commands: readonly Command[];
  /** Runs if no command is named; it may be one of `commands`. Absent: the help is printed. */
  readonly defaultCommand?: Command;
  /** What `--version` prints, for programs without a command `version`. */
  readonly version?: () => string;
  /** For its help. Default: those of `runProgram`. */
  readonly exitCodes?: readonly ExitCode[];
}
