/** One process of a container, in a process group of its own. It ends with this process at the latest. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import process from 'node:process';
import type { ProcessCommand } from './name-lookup.ts';

/** As a container runtime reports it: a signal is 128 and its number. */
export interface Exit {
  readonly exitCode: number;
  readonly signal?: NodeJS.Signals;
  /** Why it could not be started. */
  readonly message?: string;
}

export type Signal = 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGINT' | 'SIGHUP';

const signalNumbers: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 };
/** The exit code of a container that could not be started. */
const startErrorCode = 128;

export class ContainerProcess {
  readonly pid: number | undefined;
  readonly exited: Promise<Exit>;
  #hasExited = false;

  /** Output is appended to the log file. */
  constructor(command: ProcessCommand, directory: string, logFile: string) {
    const log = openSync(logFile, 'a');
    const child = spawn(command.file, command.arguments, {
      cwd: directory,
      env: command.environment,
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    this.pid = child.pid;
    this.exited = new Promise((resolve) => {
      const end = (exit: Exit) => {
        this.#hasExited = true;
        resolve(exit);
      };
      child.once('error', (error) => end({ exitCode: startErrorCode, message: error.message }));
      child.once('exit', (code, signal) => {
        // Children that the process left behind would keep its ports.
        this.#send('SIGKILL');
        end(signal === null ? { exitCode: code ?? 0 } : { exitCode: 128 + (signalNumbers[signal] ?? 0), signal });
      });
    });
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  /** To the whole group. Does nothing if the process has exited. */
  signal(signal: Signal): void {
    if (!this.#hasExited) this.#send(signal);
  }

  #send(signal: Signal): void {
    if (this.pid === undefined) return;
    try {
      process.kill(-this.pid, signal);
    } catch (error) {
      // No process of the group is left.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}
