/** Counts the bytes of one request, including headers. Over TLS it counts the bytes before encryption. */
import type { Meter } from './transport.ts';

/** The part of a `net.Socket` that is used. */
interface CountedSocket {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly connecting: boolean;
  once(event: string, listener: () => void): unknown;
}

/** The bytes of one request on a connection that may have served others before. */
export class ByteCounter {
  readonly #meter: Meter;
  #socket: CountedSocket | undefined;
  #before = { up: 0, down: 0 };
  #isConnected = false;

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  get bytesDown(): number {
    return this.#socket ? this.#socket.bytesRead - this.#before.down : 0;
  }

  follow(socket: CountedSocket, connectEvent: string, connected: () => void): void {
    this.#socket = socket;
    if (socket.connecting) {
      socket.once(connectEvent, () => {
        this.#isConnected = true;
        connected();
      });
      return;
    }
    this.#isConnected = true;
    this.#before = { up: socket.bytesWritten, down: socket.bytesRead };
  }

  /** Adds to the meter. A socket counts buffered bytes as written, so nothing is counted before it is connected. */
  finish(): void {
    if (!this.#socket || !this.#isConnected) return;
    this.#meter.bytesUp += this.#socket.bytesWritten - this.#before.up;
    this.#meter.bytesDown += this.bytesDown;
  }
}
