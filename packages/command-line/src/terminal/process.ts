/** The terminal of a real process, and the entry point of a program. */
import { homedir } from 'node:os';
import process from 'node:process';
import { systemClock } from '@ecsm/runtime/lib';
import type { Program } from '../command/command.ts';
import { endingSignals, Interrupted } from '../command/errors.ts';
import { runProgram } from '../command/run.ts';
import type { Terminal } from '../command/terminal.ts';
import { verboseFlag } from '../command/usage.ts';
import { nodeFiles } from './files.ts';
import { nodeMachine } from './machine.ts';
import { processOutput } from './output.ts';

interface ProcessOptions {
  /** Whether SIGINT, SIGTERM and SIGHUP abort the terminal's signal. Default true; false for servers with handlers of their own. */
  readonly handleSignals?: boolean;
}

/** Runs the program of this process, and ends the process. */
export async function main(program: Program, options: ProcessOptions = {}): Promise<never> {
  // An uncaught exception is a bug and reported like others: in one line.
  process.once('uncaughtException', (error) => {
    const hasVerbose = program.flags.includes(verboseFlag);
    const isVerbose = !hasVerbose || process.argv.some((word) => word === '-v' || word === '--verbose');
    const text = isVerbose ? (error.stack ?? error.message) : `${error.message}; run again with -v to see where`;
    process.stderr.write(`${program.name}: this is a bug: ${text}\n`);
    process.exit(1);
  });
  process.exit(await runProgram(program, process.argv.slice(2), processTerminal(options)));
}

/** The first signal aborts the terminal's signal, the second ends the process. */
function processTerminal({ handleSignals = true }: ProcessOptions): Terminal {
  const stop = new AbortController();
  const { signal } = stop;
  let isEditing = false;
  for (const name of handleSignals ? endingSignals : []) {
    process.on(name, () => {
      // The editor owns the terminal and handles Ctrl-C itself.
      if (isEditing && name === 'SIGINT') return;
      const interrupted = new Interrupted(name);
      if (signal.aborted) process.exit(interrupted.exitCode);
      stop.abort(interrupted);
    });
  }
  const { env } = process;
  const err = processOutput({ name: 'stderr', env, signal, onEnd: () => {} });
  let saved: string | undefined;
  let input: Promise<Uint8Array> | undefined;
  return {
    out: processOutput({ name: 'stdout', env, signal, onEnd: (reason) => stop.abort(reason) }),
    err,
    env,
    clock: systemClock,
    signal,
    detail: () => {},
    isVerbose: false,
    readInput() {
      input ??= import('./input.ts').then(({ readStandardInput }) => readStandardInput(signal));
      return input;
    },
    machine: nodeMachine,
    files: nodeFiles({ here: currentDirectory(), home: env['HOME'] || homedir() }),
    async ask(question) {
      const { promptUser } = await import('./input.ts');
      return promptUser(question, err, signal);
    },
    async edit(text, suffix) {
      const { discard, editText } = await import('./editor.ts');
      isEditing = true;
      try {
        const edited = await editText(text, suffix, env, signal);
        // An unchanged text does not replace an earlier saved one.
        if (edited.text === text) await discard(edited.path);
        else {
          if (saved !== undefined) await discard(saved);
          saved = edited.path;
        }
        return edited.text;
      } finally {
        isEditing = false;
      }
    },
    async ended(exitCode) {
      if (saved === undefined) return;
      const { discard } = await import('./editor.ts');
      if (exitCode === 0) await discard(saved);
      else err.write(`Your edits are kept in ${saved}\n`);
    },
  };
}

/** The directory may have been removed, which must not fail the start. */
function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return process.env['PWD'] || '/';
  }
}
