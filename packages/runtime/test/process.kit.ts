/** Real processes for tests: each prints JSON lines, which are collected as they come. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const startTimeoutMs = 20_000;

export type WorkerName = 'writer' | 'watcher' | 'counter' | 'holder' | 'candidate';

export function workerScript(name: WorkerName): string {
  return fileURLToPath(new URL(`./dist/worker/${name}.js`, import.meta.url));
}

export class Worker<Line> {
  readonly lines: Line[] = [];
  readonly #child: ChildProcess;
  readonly #ready: Promise<void>;
  readonly #exited: Promise<unknown>;
  #errors = '';

  constructor(name: WorkerName, ...args: string[]) {
    this.#child = spawn(process.execPath, [workerScript(name), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#exited = once(this.#child, 'exit');
    this.#child.stderr?.on('data', (chunk) => {
      this.#errors += chunk;
    });
    this.#ready = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${name} did not start: ${this.#errors}`)), startTimeoutMs);
      let rest = '';
      this.#child.stdout?.on('data', (chunk) => {
        const pieces = (rest + chunk).split('\n');
        rest = pieces.pop() ?? '';
        for (const piece of pieces) {
          const line = JSON.parse(piece);
          if (line.ready) {
            clearTimeout(timer);
            resolve();
          } else this.lines.push(line);
        }
      });
      this.#child.once('exit', (code) => {
        clearTimeout(timer);
        reject(new Error(`${name} ended with ${code} before it was ready: ${this.#errors}`));
      });
    });
    this.#ready.catch(() => {});
  }

  ready(): Promise<void> {
    return this.#ready;
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  get errors(): string {
    return this.#errors;
  }

  /** Ends the process with a signal and waits until it is gone and all that it printed has arrived. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const closed =
      this.#child.exitCode === null && this.#child.signalCode === null ? once(this.#child, 'close') : undefined;
    this.#child.kill(signal);
    await closed;
  }

  /** Waits until it ends by itself; answers with its exit code. */
  async finished(): Promise<number | null> {
    await this.#exited;
    return this.#child.exitCode;
  }
}
