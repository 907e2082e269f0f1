/**
 * What a command is, as data: its words, its flags, its examples. Parsing, help, error messages and
 * completion are generated from it. Its implementation is loaded only when it is called, so that a tool with forty
 * commands starts as fast as one with one.
 */
import type { Terminal } from './terminal.ts';

export interface Flag {
  /** Without dashes: `dry-run`. */
  readonly name: string;
  /** One letter: `n` for `-n`. */
  readonly short?: string;
  /** What stands for its value in the help: `FILE`. Absent: it is on or off. */
  readonly value?: string;
  /** The only values it takes. */
  readonly choices?: readonly string[];
  /** May be given several times. */
  readonly repeats?: boolean;
  /** Its value may be left out: `-o` needs one, `--prune` does not. Then it is this. */
  readonly withoutValue?: string;
  /** The environment variable that sets it. Of a flag that repeats: one value per line. */
  readonly variable?: string;
  /** The key of the config file that sets it. */
  readonly key?: string;
  /** Its value if it is not set. The help text adds it to `help`. */
  readonly default?: string;
  /** Its value is never shown, not even by `-v`. */
  readonly secret?: boolean;
  /** One line, with unit, and with the default where `default` does not say it. */
  readonly help: string;
  /** What could stand here, for completion. */
  readonly complete?: Completer;
}

/** What a completer returns for names of files: the shell completes these itself. */
export const filesMarker = ':files';

export interface Example {
  /** What it is good for. */
  readonly help: string;
  /** The whole line: `ecsmctl get services -A`. Tests run those of the tools. */
  readonly line: string;
}

/**
 * Finds words that could come next; which of them fit what is typed so far is not its business. A word may carry a
 * description behind a tab, and `filesMarker` stands for the names of files. It may be slow or fail; completion gives up
 * quietly.
 */
export type Completer = (call: Call) => Promise<readonly string[]>;

export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line for the list of commands. */
  readonly help: string;
  /** A few sentences for its own help. */
  readonly more?: string;
  readonly examples: readonly Example[];
  /**
   * Its words, as the usage shows them: `KIND [NAME...]`. Absent: it takes none. How many it takes is read off from it:
   * those in brackets may be left out, and `...` stands for any number.
   */
  readonly words?: string;
  /** Where `words` cannot tell how many: `(KIND NAME | -f FILE)`. */
  readonly wordsMin?: number;
  readonly wordsMax?: number;
  /** What stands behind `--`, as the usage shows it: `COMMAND...`. Absent: words behind `--` are words like others. */
  readonly rest?: string;
  readonly flags?: readonly Flag[];
  /** It has commands of its own and does nothing itself. */
  readonly commands?: readonly Command[];
  readonly completeWords?: Completer;
  readonly load?: () => Promise<{ readonly run: Run }>;
  /** Where it stands in the list of commands: the heading. */
  readonly group?: string;
  /** It works, and no list shows it. */
  readonly hidden?: boolean;
  /** Exit codes that mean something of its own, for its help: `diff` ends with 1 where things differ. */
  readonly exitCodes?: readonly ExitCode[];
  /** What it ends with when it fails. Default 1; another where 1 means something of its own. */
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
  /** Words behind `--`, of a command that has a `rest`. */
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
