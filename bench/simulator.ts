/** A simulated platform in a separate process, so that only the client is measured in this one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../packages/ecsm-simulator/dist/program/main.js', import.meta.url));

export interface RunningSimulator {
  /** Without the path of the API: `http://127.0.0.1:41234`. */
  readonly url: string;
  residentMb(): number;
  stop(): Promise<void>;
}

export async function startSimulator(...flags: readonly string[]): Promise<RunningSimulator> {
  const child: ChildProcess = spawn(process.execPath, [program, '--listen', '127.0.0.1:0', '--quiet', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (!child.stdout) throw new Error('the simulator has no output');
  const ended = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) {
    const url = /listens on (http:\/\/[^/\s]+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    return {
      url,
      residentMb: () =>
        Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 1024,
      async stop() {
        child.kill('SIGTERM');
        await ended;
      },
    };
  }
  throw new Error('the simulator exited before it listened');
}
