/**
 * The connections of a server. One whose client does not read would keep a response, and the objects in it, without end:
 * it is closed when nothing could be sent for some time.
 */
import type { Server } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '@ecsm/runtime';

interface Progress {
  readonly bytesWritten: number;
  /** Consecutive checks that found no progress. */
  readonly stalledChecks: number;
}

/** Counted instead of measured, so that a pause of this process is not taken for one of all clients. */
const checksPerTimeout = 4;

export class Connections {
  /** Node.js itself knows only those whose TLS handshake is over. */
  readonly #all = new Set<{ destroy(): unknown }>();
  readonly #secure = new Map<TLSSocket, Progress>();
  readonly #clock: Clock;
  readonly #writeTimeoutMs: number;
  #cancel = () => {};

  constructor(server: Server, clock: Clock, writeTimeoutMs: number) {
    this.#clock = clock;
    this.#writeTimeoutMs = writeTimeoutMs;
    server.on('connection', (socket) => {
      this.#all.add(socket);
      socket.once('close', () => this.#all.delete(socket));
    });
    server.on('secureConnection', (socket) => {
      this.#secure.set(socket, { bytesWritten: 0, stalledChecks: 0 });
      socket.once('close', () => this.#secure.delete(socket));
    });
  }

  get size(): number {
    return this.#all.size;
  }

  /** Until `stop`. One timer for all connections: most of them never stall. */
  watch(): void {
    this.#cancel = this.#clock.after(this.#writeTimeoutMs / checksPerTimeout, () => {
      this.#check();
      this.watch();
    });
  }

  stop(): void {
    this.#cancel();
  }

  destroy(): void {
    for (const socket of this.#all) socket.destroy();
  }

  #check(): void {
    for (const [socket, progress] of this.#secure) {
      const { bytesWritten, writableLength } = socket;
      const isStalled = writableLength > 0 && bytesWritten === progress.bytesWritten;
      const stalledChecks = isStalled ? progress.stalledChecks + 1 : 0;
      if (stalledChecks >= checksPerTimeout) socket.destroy();
      else this.#secure.set(socket, { bytesWritten, stalledChecks });
    }
  }
}
