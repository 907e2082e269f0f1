/**
 * The hosts file of the node: the names of pods and services with their addresses, as cluster DNS has them. It is mounted
 * into running processes, so it is written in place, in one write, and never shortened: no reader finds half of it.
 */
import { closeSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';

export interface HostsEntry {
  readonly address: string;
  readonly names: readonly string[];
}

const localhost = '127.0.0.1 localhost';

export class HostsFile {
  readonly #path: string;
  #written: string;

  /** Creates the file if it does not exist. */
  constructor(path: string) {
    this.#path = path;
    if (!existsSync(path)) writeFileSync(path, `${localhost}\n`);
    this.#written = readFileSync(path, 'utf8');
  }

  write(entries: readonly HostsEntry[]): void {
    const lines = entries.map(({ address, names }) => `${address} ${names.join(' ')}`).sort();
    const text = `${[localhost, ...lines].join('\n')}\n`;
    const padded = text.padEnd(this.#written.length, '\n');
    if (padded === this.#written) return;
    const file = openSync(this.#path, 'r+');
    try {
      writeSync(file, padded, 0);
    } finally {
      closeSync(file);
    }
    this.#written = padded;
  }
}

/** `main-0.main-peer.default` with the endings that programs use. */
export function clusterNames(name: string): readonly string[] {
  return [`${name}.svc.cluster.local`, `${name}.svc`, name];
}
