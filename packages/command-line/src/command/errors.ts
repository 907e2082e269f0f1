/** Errors that end a command. Every message is one sentence that names the remedy. */

/** The command line, a variable or a config file is wrong. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** The command whose help has details: `['rollout', 'undo']`. Absent: the one that runs. */
  readonly path: readonly string[] | undefined;

  constructor(message: string, path?: readonly string[]) {
    super(message);
    this.path = path;
  }
}

/** The command failed. Exit code 1, or another. */
export class Failure extends Error {
  override readonly name = 'Failure';
  /** Absent: that of the command, which is 1 for most. */
  readonly exitCode: number | undefined;

  constructor(message: string, options: { readonly exitCode?: number; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode;
  }
}

/** As in shells: 128 plus the number of the signal. */
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

type EndingSignal = keyof typeof exitCodes;
export const endingSignals: readonly EndingSignal[] = ['SIGHUP', 'SIGINT', 'SIGTERM'];

/** The program was stopped by a signal. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;

  constructor(signal: EndingSignal) {
    super(`interrupted by ${signal}`);
    this.exitCode = exitCodes[signal];
  }
}

/** The reader of the output has closed it, as `| head` does. It is not an error. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
  readonly exitCode = 0;
}

/** How `ApiError` of the runtime marks itself: known without loading the runtime. */
const apiErrorBrand = Symbol.for('@ecsm/runtime/ApiError');

export function isApiError(error: unknown): error is Error {
  return error instanceof Error && apiErrorBrand in error;
}
