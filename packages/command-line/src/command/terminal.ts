/**
 * Everything outside of the process that a command may use: streams, files, environment, time, and a signal to stop. A terminal is a
 * plain object: `{ ...terminal, … }` is a terminal, too.
 */
import type { Clock } from '@ecsm/runtime';

/** Somewhere to write to. After the reader has gone (`| head`) writing does nothing. */
export interface OutputStream {
  write(text: string): void;
  /** Resolves when what was written may be forgotten; long outputs wait for it. Rejects if it cannot be written. */
  drained(): Promise<void>;
  readonly isTerminal: boolean;
  /** Whether colours may be used: a terminal, no NO_COLOR, TERM is not dumb; FORCE_COLOR says yes. */
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
  /** What `-v` shows: requests, and where an error came from. Without `-v` it does nothing. */
  readonly detail: (text: string) => void;
  readonly isVerbose: boolean;
  /** Everything on standard input, up to the limit. Complains if it is a terminal. */
  readInput(): Promise<Uint8Array>;
  readonly files: Files;
  /** Asks a person. Nothing if there is none (no terminal at both ends), or if the person ends the input (Ctrl-D). */
  ask(question: string): Promise<string | undefined>;
  /**
   * Opens a text in the editor of the person ($VISUAL, $EDITOR, vi) and gives it back as it was saved. What was saved is
   * kept until the command has ended, and longer if it failed, so that no edit is lost.
   */
  edit(text: string, suffix: string): Promise<string>;
  /** Told once, when the command has ended: cleans up. */
  ended(exitCode: number): Promise<void>;
}

export interface Files {
  readonly home: string;
  readonly here: string;
  /** `undefined` if there is no such file. Throws an error with a message for people for everything else. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Files in a directory, sorted; with `recursive` those in directories below, too. `undefined` if it is no directory. */
  list(path: string, options?: { readonly recursive?: boolean }): Promise<readonly string[] | undefined>;
  /**
   * Whole or not at all: a new file beside it is renamed. `exclusive` refuses to overwrite; a `secret` file can be read by
   * its owner and nobody else.
   */
  write(
    path: string,
    content: AsyncIterable<Uint8Array> | Uint8Array,
    options?: { readonly exclusive?: boolean; readonly secret?: boolean },
  ): Promise<void>;
  /** For files too large to hold: in pieces, with the size. */
  open(path: string): Promise<{ readonly sizeBytes: number; readonly chunks: AsyncIterable<Uint8Array> } | undefined>;
}
