/**
 * Requests of one connection are handled one after the other. A client may send them without waiting for responses, but
 * a response stays in memory until those before it have been sent, and a watch before it lasts as long as its client wants.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Requests of one connection that wait for their turn. A client that sends more is disconnected. */
export const waitingMax = 32;

export class Turns {
  readonly #waiting = new WeakMap<IncomingMessage['socket'], number>();

  /** Calls it when all responses before this one have been sent, and never if the connection ends before. */
  wait({ socket }: IncomingMessage, response: ServerResponse, handle: () => void): void {
    // Node.js assigns the connection to one response at a time.
    if (response.socket) {
      handle();
      return;
    }
    const waiting = this.#waiting.get(socket) ?? 0;
    if (waiting === waitingMax) {
      socket.destroy();
      return;
    }
    this.#waiting.set(socket, waiting + 1);
    response.once('socket', () => {
      this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1);
      handle();
    });
  }
}
