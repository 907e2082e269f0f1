/** The processes that run tests. A process that exceeds its time is killed with all its children, and replaced. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('lane.mjs', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
/** Time to load vitest on a busy machine. */
const startMsMax = 120_000;

/**
 * Creates one lane for each set of variables, and removes them and the files of their tests in the end, or when the program
 * is interrupted.
 * @param {Record<string, string>[]} envs
 * @param {(lanes: Lane[]) => Promise<void>} use
 */
export async function withLanes(envs, use) {
  const scratch = mkdtempSync(join(tmpdir(), 'ecsm-mutants-'));
  const lanes = envs.map((env) => new Lane(scratch, env));
  const cleanUp = () => {
    for (const lane of lanes) lane.close();
    rmSync(scratch, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      cleanUp();
      process.exit(130);
    });
  }
  try {
    await use(lanes);
  } finally {
    cleanUp();
  }
}

export class Lane {
  #child;
  #env;

  /**
   * @param {string} temporaryDirectory where tests put their files: a killed process does not remove them.
   * @param {Record<string, string>} [env] more variables of the process
   */
  constructor(temporaryDirectory, env = {}) {
    this.#env = { ...process.env, TMPDIR: temporaryDirectory, ...env };
  }

  /**
   * Runs test files. `failed` is undefined when all of them passed.
   * @param {{ tests: string[], file?: string, text?: string }} work
   * @param {number} msMax
   * @returns {Promise<{ passed: number, failed?: string, isTimeout?: boolean, ms: number }>}
   */
  async run(work, msMax) {
    this.#child ??= await this.#start();
    const startedMs = performance.now();
    this.#child.send(work);
    const result = await this.#result(msMax);
    return { ...result, ms: performance.now() - startedMs };
  }

  /** Kills the process group, so that no child of a test is left. */
  close() {
    const pid = this.#child?.pid;
    this.#child = undefined;
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // The process has already exited.
    }
  }

  async #start() {
    this.#child = fork(program, {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: this.#env,
    });
    const child = this.#child;
    const { failed } = await this.#result(startMsMax);
    if (failed !== undefined) throw new Error(`the test runner did not start: ${failed}`);
    return child;
  }

  async #result(msMax) {
    const child = this.#child;
    const ended = new AbortController();
    const options = { signal: ended.signal };
    const late = AbortSignal.timeout(msMax);
    try {
      return await Promise.race([
        once(child, 'message', options).then(([message]) => message),
        once(child, 'exit', options).then(() => this.#lost('the test runner exited')),
        once(late, 'abort', options).then(() => ({
          ...this.#lost(`timed out after ${msMax / 1000} s`),
          isTimeout: true,
        })),
      ]);
    } finally {
      ended.abort();
    }
  }

  #lost(failed) {
    this.close();
    return { passed: 0, failed };
  }
}
