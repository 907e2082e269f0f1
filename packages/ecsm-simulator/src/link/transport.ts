/**
 * A way to the simulated platform without a socket, with the behaviour of one: what is lost leaves its caller waiting
 * until it gives up, what is cut short is a bad answer, and bytes are counted as HTTP/1.1 would send them. All waiting
 * is done by the clock that is given, so it runs on a virtual one.
 *
 * The types are those of the client's transport port, declared again: the simulator stands on its own feet.
 */
import { ApiError } from '@ecsm/runtime';
import { type Arrival, Journey, type Road } from './journey.ts';
import { transfer } from './transfer.ts';
import { answerHeadBytes } from './wire-size.ts';

export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface SendOptions {
  readonly signal: AbortSignal;
  readonly answerBytesMax: number;
  readonly meter: { bytesUp: number; bytesDown: number };
}

export interface InProcessTransport {
  send(request: WireRequest, options: SendOptions): Promise<WireAnswer>;
  /** There are no connections, so there is nothing to let go. */
  close(): void;
}

const nothing = new Uint8Array();

export function inProcessTransport(road: Road): InProcessTransport {
  return {
    send: (request, options) =>
      new Promise((resolve, reject) => {
        if (options.signal.aborted) return reject(options.signal.reason);
        new Sending(road, request, options, resolve, reject).begin();
      }),
    close: () => {},
  };
}

class Sending {
  readonly #road: Road;
  readonly #request: WireRequest;
  readonly #options: SendOptions;
  readonly #resolve: (answer: WireAnswer) => void;
  readonly #reject: (reason: unknown) => void;
  #journey: Journey | undefined;
  #stopReceiving: () => void = () => {};

  constructor(
    road: Road,
    request: WireRequest,
    options: SendOptions,
    resolve: (answer: WireAnswer) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#road = road;
    this.#request = request;
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  begin(): void {
    const { signal, meter } = this.#options;
    signal.addEventListener('abort', this.#giveUp, { once: true });
    this.#journey = Journey.begin(
      this.#road,
      { ...this.#request, body: this.#request.body ?? nothing },
      {
        sent: (bytes) => {
          meter.bytesUp += bytes;
        },
        receive: (arrival) => this.#receive(arrival),
      },
    );
  }

  readonly #giveUp = () => {
    this.#journey?.abandon();
    this.#stopReceiving();
    this.#reject(this.#options.signal.reason);
  };

  #receive({ answer, bodyBytes, bytesPerSecond }: Arrival): void {
    const { answerBytesMax, meter } = this.#options;
    const headBytes = answerHeadBytes(answer);
    const sizeBytes = answer.body.byteLength;
    const tooLarge = sizeBytes > answerBytesMax;
    // The head announces the length, so nobody receives the body to find out.
    const bytes = tooLarge ? headBytes : headBytes + bodyBytes;
    const finish = () => {
      if (tooLarge) this.#fail(new ApiError('TooLarge', { what: this.#what, sizeBytes, limitBytes: answerBytesMax }));
      else if (bodyBytes < sizeBytes) this.#fail(cutShort(this.#call, bodyBytes, sizeBytes));
      else this.#end(() => this.#resolve(answer));
    };
    if (bytesPerSecond === 0) {
      meter.bytesDown += bytes;
      finish();
      return;
    }
    this.#stopReceiving = transfer({
      clock: this.#road.clock,
      bytes,
      bytesPerSecond,
      moved: (from, to) => {
        meter.bytesDown += to - from;
      },
      done: finish,
    });
  }

  #fail(error: ApiError): void {
    this.#end(() => this.#reject(error));
  }

  #end(settle: () => void): void {
    this.#options.signal.removeEventListener('abort', this.#giveUp);
    settle();
  }

  get #call(): string {
    return `${this.#request.method} ${this.#request.target.split('?', 1)[0]}`;
  }

  get #what(): string {
    return `the answer to ${this.#call}`;
  }
}

function cutShort(call: string, receivedBytes: number, announcedBytes: number): ApiError {
  return new ApiError('BadAnswer', {
    what: call,
    reason: `it ends after ${receivedBytes} of ${announcedBytes} bytes`,
  });
}
