/** The programs of the quickstart, as real processes: started, listened to and ended. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** After so long a program that was asked to end is made to. */
const endMsMax = 10_000;
const startMsMax = 20_000;

export class Children {
  #running = [];

  /**
   * Starts a program of bin/, its output going to a file. In a group of its own: Ctrl-C reaches everybody in the
   * terminal's, and here the order of the end matters.
   * @param {(error: Error) => void} lost called if it ends before it was asked to
   */
  start(name, argv, { directory, lost }) {
    const log = `${directory}/${name}.log`;
    const output = openSync(log, 'a');
    const program = fileURLToPath(new URL(`../../bin/${name}`, import.meta.url));
    const child = spawn(process.execPath, [program, ...argv], { stdio: ['ignore', output, output], detached: true });
    closeSync(output);
    const running = { child, asked: false, ended: once(child, 'exit') };
    child.once('exit', () => {
      if (!running.asked) lost(new Error(`${name} has ended by itself:\n${tail(log)}`));
    });
    this.#running.push(running);
    return { pid: child.pid, log };
  }

  /** The last one first. */
  async stop() {
    for (const running of this.#running.splice(0).reverse()) {
      running.asked = true;
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

/** The port that everybody knows if it is free, else any. */
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

/** Until a page answers with success. */
export async function untilAnswers(url, signal) {
  for (const endMs = Date.now() + startMsMax; ; ) {
    const ok = await fetch(url, { signal }).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ok) return;
    signal.throwIfAborted();
    if (Date.now() > endMs) throw new Error(`${url} does not answer`);
    await sleep(50, undefined, { signal });
  }
}
