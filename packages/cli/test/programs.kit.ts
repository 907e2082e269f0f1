/**
 * The programs as they are delivered, for tests that run them as processes: a directory of their own, an environment in
 * which nothing of this machine is found, and a shell. What takes too long is killed, and what is left over is found.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { finished, type OnOutput, type Ran } from '@ecsm/command-line/testing';
import { afterAll } from 'vitest';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A program that takes longer hangs. */
const runMsMax = 120_000;

export interface ShellOptions {
  /** Below the directory of the programs. Default: that itself. */
  readonly cwd?: string;
  /** A variable that is `undefined` is not set. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly onOutput?: OnOutput;
}

interface Programs {
  /** Also the home of whoever runs here. Removed with the test file. */
  readonly directory: string;
  /** With all four programs on its path. */
  readonly env: Readonly<Record<string, string>>;
  /** In bash. A pipeline fails if one part of it does. Its input is empty. */
  shell(script: string, options?: ShellOptions): Promise<Ran>;
  /** Ids of processes that still work in the directory, or below it. */
  leftOver(): readonly number[];
}

/** Call it at the top of a test file. */
export function deliveredPrograms(): Programs {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'ecsm-programs-')));
  // A copy, because a build that runs meanwhile takes parts away that a program is about to load.
  const delivery = join(directory, '.delivery');
  mkdirSync(delivery);
  for (const part of ['bin', 'package.json']) cpSync(join(root, part), join(delivery, part), { recursive: true });
  cpSync(join(root, 'dist', 'programs'), join(delivery, 'dist', 'programs'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(delivery, 'node_modules'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const env = {
    PATH: [join(delivery, 'bin'), process.env['PATH']].join(delimiter),
    HOME: directory,
    TMPDIR: directory,
    ECSM_HOME: join(directory, '.ecsm'),
    TERM: 'xterm',
    LANG: 'C.UTF-8',
  };
  return {
    directory,
    env,
    shell(script, { cwd = directory, env: more = {}, onOutput } = {}) {
      const child = spawn('bash', ['--norc', '-o', 'pipefail', '-c', script], {
        cwd,
        env: { ...env, ...more },
        // A group of its own, so that all of a pipeline goes when it hangs.
        detached: true,
      });
      child.stdin.end();
      return bounded(child, onOutput);
    },
    leftOver: () => processesBelow(directory),
  };
}

async function bounded(child: ChildProcessWithoutNullStreams, onOutput?: OnOutput): Promise<Ran> {
  const deadline = setTimeout(() => killGroup(child), runMsMax);
  const ran = await finished(child, onOutput);
  clearTimeout(deadline);
  return ran;
}

function killGroup({ pid }: ChildProcessWithoutNullStreams): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has gone just now.
  }
}

function processesBelow(directory: string): readonly number[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.map(Number).filter((id) => {
    try {
      return readlinkSync(`/proc/${id}/cwd`).startsWith(directory);
    } catch {
      // It is gone, or somebody else's.
      return false;
    }
  });
}
