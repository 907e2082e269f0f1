/** ecsm-apiserver as a process that can be killed and started again on the same port and registry. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const serving = /serving the Kubernetes API url=https:\/\/(\S+) kubeconfig=(\S+)/;

export class Server {
  #launcher;
  #directory;
  #address = '127.0.0.1:0';
  #child;
  kubeconfig = '';

  constructor(launcher, directory) {
    this.#launcher = launcher;
    this.#directory = directory;
  }

  async start() {
    this.#child = spawn(process.execPath, [this.#launcher, '--serve', this.#address], {
      cwd: this.#directory,
      env: { PATH: process.env.PATH, HOME: this.#directory, NO_COLOR: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    // The lines are read to the end: a full pipe would stop the server.
    const lines = createInterface({ input: this.#child.stderr });
    const [, address, kubeconfig] = await new Promise((resolve, reject) => {
      lines.on('line', (line) => {
        const found = serving.exec(line);
        if (found) resolve(found);
      });
      lines.once('close', () => reject(new Error('ecsm-apiserver ended before it was serving')));
    });
    this.#address = address;
    this.kubeconfig = kubeconfig;
  }

  /** Without a chance to close its connections. */
  async kill() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
