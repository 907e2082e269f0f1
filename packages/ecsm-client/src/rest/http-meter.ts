/** Counts the bytes of one request, heads included. Over TLS it counts what is inside of the encryption. */
import type { Meter } from './transport.ts';

/** What is needed of a `net.Socket`. */
interface CountedSocket {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly connecting: boolean;
  once(event: string, listener: () => void): unknown;
}

/** What one request adds to the counts of its connection, which may have served others before. */
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

  /** A socket counts what waits to be written as written, so that nothing counts before there is a connection. */
  finish(): void {
    if (!this.#socket || !this.#isConnected) return;
    this.#meter.bytesUp += this.#socket.bytesWritten - this.#before.up;
    this.#meter.bytesDown += this.bytesDown;
  }
}
