/** Real processes for tests: each prints JSON lines, which are collected as they come. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const startTimeoutMs = 120_000;

type WorkerName = 'writer' | 'watcher' | 'opener' | 'counter' | 'holder' | 'frozen' | 'candidate' | 'powered';

/** The path of a worker as one file, which starts in less than half the time of its modules. */
export function workerScript(name: WorkerName): string {
  return fileURLToPath(new URL(`./dist/bundle/${name}.mjs`, import.meta.url));
}

/** The path of a worker as modules, in which `plant` can replace text. */
export function workerModule(name: WorkerName | 'plant'): string {
  return fileURLToPath(new URL(`./dist/worker/${name}.js`, import.meta.url));
}

export class Worker<Line> {
  readonly lines: Line[] = [];
  readonly #child: ChildProcess;
  readonly #ready: Promise<void>;
  readonly #exited: Promise<unknown>;
  #isReady = false;
  #errors = '';

  /** `wrapper` is a command that runs the process and replaces itself by it, so that signals reach the process. */
  constructor(name: WorkerName, args: readonly string[], wrapper: readonly string[] = []) {
    const [program = '', ...rest] = [...wrapper, process.execPath, workerScript(name), ...args];
    this.#child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#exited = once(this.#child, 'exit');
    this.#child.stderr?.on('data', (chunk) => {
      this.#errors += chunk;
    });
    this.#ready = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${name} did not start: ${this.#errors}`)), startTimeoutMs);
      let text = '';
      this.#child.stdout?.on('data', (chunk) => {
        const pieces = (text + chunk).split('\n');
        text = pieces.pop() ?? '';
        for (const piece of pieces) {
          const line = JSON.parse(piece);
          if (line.ready) {
            clearTimeout(timer);
            this.#isReady = true;
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

  get isReady(): boolean {
    return this.#isReady;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  get errors(): string {
    return this.#errors;
  }

  /** Ends the process with a signal and waits until it has ended and all its output has arrived. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const closed = this.isRunning ? once(this.#child, 'close') : undefined;
    this.#child.kill(signal);
    await closed;
  }

  /** Waits until it ends by itself; returns its exit code. */
  async finished(): Promise<number | null> {
    await this.#exited;
    return this.#child.exitCode;
  }
}
