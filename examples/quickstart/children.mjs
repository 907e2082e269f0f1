/** Starts and stops the programs of the quickstart as child processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Time between SIGTERM and SIGKILL. */
const endMsMax = 10_000;
const startMsMax = 20_000;

export class Children {
  #running = [];
  #onStart;

  /** @param {(ids: number[]) => void} onStart called with all process ids after each start */
  constructor(onStart = () => {}) {
    this.#onStart = onStart;
  }

  /**
   * Starts a program of bin/ and redirects its output to a file. Each program has its own process group: Ctrl-C signals
   * the whole group of the terminal, and the programs have to stop in order.
   * @param {(error: Error) => void} lost called if the program exits before it is stopped
   */
  start(name, argv, { directory, lost }) {
    const log = `${directory}/${name}.log`;
    const output = openSync(log, 'a');
    const program = fileURLToPath(new URL(`../../bin/${name}`, import.meta.url));
    const child = spawn(process.execPath, [program, ...argv], { stdio: ['ignore', output, output], detached: true });
    closeSync(output);
    const running = { child, isStopping: false, ended: once(child, 'exit') };
    child.once('exit', () => {
      if (!running.isStopping) lost(new Error(`${name} exited unexpectedly:\n${tail(log)}`));
    });
    this.#running.push(running);
    this.#onStart(this.#running.map((one) => one.child.pid));
    return { pid: child.pid, log };
  }

  /** Stops all programs in reverse order. */
  async stop() {
    for (const running of this.#running.splice(0).reverse()) {
      running.isStopping = true;
      if (running.child.exitCode !== null || running.child.signalCode !== null) continue;
      running.child.kill('SIGTERM');
      const late = new AbortController();
      const kill = sleep(endMsMax, undefined, { signal: late.signal }).then(
        () => running.child.kill('SIGKILL'),
        () => {},
      );
      await running.ended;
      late.abort();
      await kill;
    }
  }
}

function tail(file) {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-5).join('\n');
}

/** Returns the given port if it is free, else any free port. */
export async function portOrAny(port) {
  return (await tryPort(port)) ?? (await tryPort(0));
}

async function tryPort(port) {
  const server = createServer();
  try {
    server.listen({ port, host: '127.0.0.1', exclusive: true });
    await once(server, 'listening');
    return server.address().port;
  } catch {
    return undefined;
  } finally {
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }
}

/** Waits until the URL responds with success. */
export async function untilReady(url, signal) {
  for (const endMs = Date.now() + startMsMax; ; ) {
    const ok = await fetch(url, { signal }).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
    signal.throwIfAborted();
    if (Date.now() > endMs) throw new Error(`${url} did not respond within ${startMsMax / 1000} s`);
    await sleep(50, undefined, { signal });
  }
}
