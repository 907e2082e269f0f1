/**
 * A transport to the simulated platform without sockets. It behaves like a connection: the caller of a lost call waits
 * until it aborts, a truncated response is `BadAnswer`, and bytes are counted as in HTTP/1.1. All delays use the
 * injected clock, so it works with virtual time.
 *
 * The types repeat those of the client's transport, because the simulator does not depend on the client.
 */
import { ApiError } from '@ecsm/runtime';
import { type LinkContext, type ReceivedResponse, SimulatedCall } from './simulated-call.ts';
import { transfer } from './transfer.ts';
import { responseHeadBytes } from './wire-size.ts';

export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

interface SendOptions {
  readonly signal: AbortSignal;
  readonly responseBytesMax: number;
  readonly meter: { bytesUp: number; bytesDown: number };
}

export interface InProcessTransport {
  send(request: WireRequest, options: SendOptions): Promise<WireResponse>;
  /** Does nothing: there are no connections. */
  close(): void;
}

const emptyBody = new Uint8Array();

export function inProcessTransport(context: LinkContext): InProcessTransport {
  return {
    send: (request, options) =>
      new Promise((resolve, reject) => {
        if (options.signal.aborted) return reject(options.signal.reason);
        new Sending(context, request, options, resolve, reject).start();
      }),
    close: () => {},
  };
}

class Sending {
  readonly #context: LinkContext;
  readonly #request: WireRequest;
  readonly #options: SendOptions;
  readonly #resolve: (response: WireResponse) => void;
  readonly #reject: (reason: unknown) => void;
  #simulatedCall: SimulatedCall | undefined;
  #stopReceiving: () => void = () => {};

  constructor(
    context: LinkContext,
    request: WireRequest,
    options: SendOptions,
    resolve: (response: WireResponse) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#context = context;
    this.#request = request;
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    const { signal, meter } = this.#options;
    signal.addEventListener('abort', this.#giveUp, { once: true });
    this.#simulatedCall = SimulatedCall.start(
      this.#context,
      { ...this.#request, body: this.#request.body ?? emptyBody },
      {
        sent: (bytes) => {
          meter.bytesUp += bytes;
        },
        receive: (received) => this.#receive(received),
      },
    );
  }

  readonly #giveUp = () => {
    this.#simulatedCall?.abandon();
    this.#stopReceiving();
    this.#reject(this.#options.signal.reason);
  };

  #receive({ response, bodyBytes, bytesPerSecond }: ReceivedResponse): void {
    const { responseBytesMax, meter } = this.#options;
    const headBytes = responseHeadBytes(response);
    const sizeBytes = response.body.byteLength;
    const tooLarge = sizeBytes > responseBytesMax;
    // The headers contain the length, so the body is not transferred.
    const bytes = tooLarge ? headBytes : headBytes + bodyBytes;
    const finish = () => {
      if (tooLarge) this.#fail(new ApiError('TooLarge', { what: this.#what, sizeBytes, limitBytes: responseBytesMax }));
      else if (bodyBytes < sizeBytes) this.#fail(truncated(this.#call, bodyBytes, sizeBytes));
      else this.#end(() => this.#resolve(response));
    };
    if (bytesPerSecond === 0) {
      meter.bytesDown += bytes;
      finish();
      return;
    }
    this.#stopReceiving = transfer({
      clock: this.#context.clock,
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
    return `the response to ${this.#call}`;
  }
}

function truncated(call: string, receivedBytes: number, announcedBytes: number): ApiError {
  return new ApiError('BadAnswer', {
    what: call,
    reason: `the connection was closed after ${receivedBytes} of ${announcedBytes} bytes`,
  });
}
