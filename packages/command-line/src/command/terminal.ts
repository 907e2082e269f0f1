/**
 * Everything outside of the process that a command may use: streams, files, environment, time, and a signal to stop. A terminal is a
 * plain object: `{ ...terminal, … }` is a terminal, too.
 */
import type { Clock } from '@ecsm/runtime';

/** An output stream. After the reader has closed it (`| head`) writing does nothing. */
export interface OutputStream {
  write(text: string): void;
  /** Resolves when the output is flushed; long outputs wait for it. Rejects if writing fails. */
  drained(): Promise<void>;
  readonly isTerminal: boolean;
  /** Whether colours may be used: a terminal, no NO_COLOR, TERM is not dumb; FORCE_COLOR enables them. */
  readonly isColoured: boolean;
  /** Whether the cursor may be moved: a terminal that is not dumb. */
  readonly canRepaint: boolean;
  /** Of the terminal; undefined where there is none. It may change while a command runs. */
  readonly columns: number | undefined;
  readonly rows: number | undefined;
  /** Whether the reader has closed it. */
  readonly isClosed: boolean;
}

export interface Terminal {
  /** For data. */
  readonly out: OutputStream;
  /** For messages: progress, warnings, questions. */
  readonly err: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /**
   * Aborts at the first Ctrl-C, or SIGTERM, or when the output is closed or cannot be written. The reason is
   * an `Interrupted`, a `OutputClosed` or a `Failure`.
   */
  readonly signal: AbortSignal;
  /** Prints details with `-v`: requests and stack traces. Without `-v` it does nothing. */
  readonly detail: (text: string) => void;
  readonly isVerbose: boolean;
  /** Reads all of standard input, up to the limit. Throws `UsageError` if it is a terminal. */
  readInput(): Promise<Uint8Array>;
  readonly files: Files;
  readonly machine: Machine;
  /** Prompts the user. Returns undefined without a terminal, or at the end of the input (Ctrl-D). */
  ask(question: string): Promise<string | undefined>;
  /**
   * Opens a text in the editor of the user ($VISUAL, $EDITOR, vi) and returns the saved text. The file is
   * kept until the command has ended, and longer if it failed, so that no edit is lost.
   */
  edit(text: string, suffix: string): Promise<string>;
  /** Called once, when the command has ended: cleans up. */
  ended(exitCode: number): Promise<void>;
}

/** The machine that the command runs on. */
export interface Machine {
  readonly hostname: string;
  /** Whether a process of this id exists, of any user. */
  isRunning(processId: number): boolean;
}

export interface Files {
  readonly home: string;
  readonly here: string;
  /** Returns undefined if there is no such file. Throws `Failure` for all other errors. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Files in a directory, sorted; with `recursive` also of subdirectories. Returns undefined if it is not a directory. */
  list(path: string, options?: { readonly recursive?: boolean }): Promise<readonly string[] | undefined>;
  /**
   * Writes atomically, by renaming a temporary file. `exclusive` refuses to overwrite; a `secret` file can be read only by
   * its owner.
   */
  write(
    path: string,
    content: AsyncIterable<Uint8Array> | Uint8Array,
    options?: { readonly exclusive?: boolean; readonly secret?: boolean },
  ): Promise<void>;
  /** Streams a large file. */
  open(path: string): Promise<{ readonly sizeBytes: number; readonly chunks: AsyncIterable<Uint8Array> } | undefined>;
}
