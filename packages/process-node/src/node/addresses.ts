/**
 * Loopback addresses for a node and its pods: 127.a.b.1 for the node, 127.a.b.2 and higher for pods. Linux answers on all
 * of 127.0.0.0/8 without any configuration. Nodes of one host have different blocks: each holds a socket on its own first
 * address as long as it runs.
 */
import { createServer, type Server } from 'node:net';
import { ApiError, type Random } from '@ecsm/runtime';

/** The port of the kubelet. Nothing is served on it: it only marks the block as used. */
const claimPort = 10_250;
const attemptsMax = 100;
const hostMin = 2;
const hostMax = 254;

export class Addresses {
  readonly #prefix: string;
  readonly #claim: Server;
  readonly #used = new Set<number>();
  #last = hostMin - 1;

  private constructor(prefix: string, claim: Server) {
    this.#prefix = prefix;
    this.#claim = claim;
  }

  /** Throws `Unavailable` if no block of addresses is free. */
  static async claim(random: Random): Promise<Addresses> {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      // Not 127.0: other programs use it.
      const prefix = `127.${1 + Math.floor(random.next() * 254)}.${Math.floor(random.next() * 256)}`;
      const claim = await listen(`${prefix}.1`);
      if (claim) return new Addresses(prefix, claim);
    }
    throw new ApiError('Unavailable', { what: '127.0.0.0/8', reason: 'no block of loopback addresses is free' });
  }

  get node(): string {
    return `${this.#prefix}.1`;
  }

  /** Throws `Unavailable` if all addresses are in use. A released address is used again as late as possible. */
  take(): string {
    for (let tried = hostMin; tried <= hostMax; tried++) {
      this.#last = this.#last >= hostMax ? hostMin : this.#last + 1;
      if (this.#used.has(this.#last)) continue;
      this.#used.add(this.#last);
      return `${this.#prefix}.${this.#last}`;
    }
    throw new ApiError('Unavailable', { what: this.#prefix, reason: 'all addresses are in use' });
  }

  release(address: string): void {
    this.#used.delete(Number(address.split('.').at(-1)));
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.#claim.close(resolve));
  }
}

/** Resolves with undefined if the address is in use. */
function listen(host: string): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(undefined));
    server.listen({ host, port: claimPort }, () => {
      server.unref();
      resolve(server);
    });
  });
}
