/** Runs a program: from its arguments to its exit code. Every error is printed in one line. */
import { visible } from '../text/visible.ts';
import type { Program } from './command.ts';
import { Failure, Interrupted, isApiError, OutputClosed, UsageError } from './errors.ts';
import { type Parsed, parse } from './parse.ts';
import type { Terminal } from './terminal.ts';
import { verboseFlag } from './usage.ts';

/** What a completion script calls the program with. */
export const completeWord = '__complete';

/** Never throws. The output is flushed when it resolves. */
export async function runProgram(program: Program, argv: readonly string[], terminal: Terminal): Promise<number> {
  if (argv[0] === completeWord) return complete(program, argv.slice(1), terminal);
  let code = 0;
  try {
    code = await runCommand(program, argv, terminal);
    await terminal.out.drained();
  } catch (error) {
    // Only a failed write to the output gets here. A command that failed has failed whether or not its output is read.
    const failed = report(program, error, terminal, { path: [], isVerbose: false });
    code ||= failed;
  }
  await terminal.ended(code);
  // Messages that cannot be written do not change the exit code.
  await terminal.err.drained().catch(() => {});
  return code;
}

async function runCommand(program: Program, argv: readonly string[], outside: Terminal): Promise<number> {
  let parsed: Parsed;
  try {
    parsed = parse(program, argv, outside.env);
  } catch (error) {
    return report(program, error, outside, { path: [], isVerbose: false });
  }
  if (parsed.kind === 'help') {
    const { helpText } = await import('./help.ts');
    outside.out.write(helpText(program, parsed.path, outside.out.columns));
    return 0;
  }
  if (parsed.kind === 'version') {
    outside.out.write(`${parsed.version}\n`);
    return 0;
  }
  const { command, call, isVerbose } = parsed;
  const terminal = isVerbose ? verbose(outside) : outside;
  const path = parsed.path.map(({ name }) => name);
  try {
    const implementation = await command.load?.();
    if (!implementation) throw new Error(`the command "${path.join(' ')}" has no implementation`);
    const code = await implementation.run({ ...call, terminal });
    return interruption(terminal)?.exitCode ?? code ?? 0;
  } catch (error) {
    return report(program, error, terminal, { path, isVerbose, failureCode: command.failureCode });
  }
}

function verbose(terminal: Terminal): Terminal {
  return { ...terminal, isVerbose: true, detail: (text) => terminal.err.write(`${text}\n`) };
}

interface ErrorContext {
  readonly path: readonly string[];
  readonly isVerbose: boolean;
  readonly failureCode?: number | undefined;
}

/** Prints an error and returns its exit code. */
function report(
  program: Program,
  error: unknown,
  terminal: Terminal,
  { path, isVerbose, failureCode = 1 }: ErrorContext,
): number {
  const say = (text: string) => terminal.err.write(`${text}\n`);
  const printError = (text: string) => say(`${program.name}: ${visible(text.replace(/\s*\n\s*/g, ' '))}`);
  const stop = interruption(terminal);
  // What else fails then fails because of it.
  const isOwnReason = error instanceof Failure || (isApiError(error) && isUserError(error));
  if (stop instanceof OutputClosed && !isOwnReason) return stop.exitCode;
  // The reason for which everything was stopped explains whatever failed because of it.
  const cause = terminal.signal.aborted && terminal.signal.reason instanceof Failure ? terminal.signal.reason : error;
  let code = failureCode;
  if (isReported(cause)) return code;
  if (cause instanceof UsageError) {
    printError(cause.message);
    say(`Try: ${[program.name, ...(cause.path ?? path), '--help'].join(' ')}`);
    code = 2;
  } else if (cause instanceof Failure) {
    printError(cause.message);
    code = cause.exitCode ?? failureCode;
  } else if (isUserError(cause)) {
    // After an interruption operations fail in many ways; only the interruption is reported.
    if (!(stop instanceof Interrupted)) printError(cause.message);
  } else if (!stop) {
    const what = cause instanceof Error ? cause.message || cause.name : String(cause);
    const hasVerbose = program.flags.includes(verboseFlag);
    printError(`this is a bug: ${what}${isVerbose || !hasVerbose ? '' : '; run again with -v to see where'}`);
    if (!hasVerbose) say(stackOf(cause));
  }
  if (isVerbose && !(cause instanceof UsageError)) say(stackOf(cause));
  return stop instanceof Interrupted ? stop.exitCode : code;
}

/** Errors that have been printed. */
const reported = new WeakSet<object>();

function isReported(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if (reported.has(error)) return true;
  reported.add(error);
  return false;
}

function interruption({ signal }: Terminal): Interrupted | OutputClosed | undefined {
  const { reason } = signal;
  return signal.aborted && (reason instanceof Interrupted || reason instanceof OutputClosed) ? reason : undefined;
}

/** Errors of the catalogue, except bugs, and errors of the operating system. */
function isUserError(error: unknown): error is Error {
  if (isApiError(error)) return !('retry' in error && error.retry === 'bug');
  return error instanceof Error && 'syscall' in error && 'errno' in error;
}

/** The stack with its causes. Control characters are escaped. */
function stackOf(error: unknown): string {
  const lines: string[] = [];
  for (let one = error, depth = 0; one !== undefined && depth < 5; depth++) {
    const text = one instanceof Error ? (one.stack ?? `${one.name}: ${one.message}`) : String(one);
    lines.push(...`${depth === 0 ? '' : 'caused by: '}${text}`.split('\n').map(visible));
    one = one instanceof Error ? one.cause : undefined;
  }
  return lines.join('\n');
}

async function complete(program: Program, argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const { candidatesFor } = await import('./complete.ts');
    const words = argv[0] === '--' ? argv.slice(1) : argv;
    for (const candidate of await candidatesFor(program, words, terminal)) terminal.out.write(`${candidate}\n`);
    await terminal.out.drained();
  } catch {
    // Completion prints no errors: they would appear in the line that is being typed.
  }
  return 0;
}
