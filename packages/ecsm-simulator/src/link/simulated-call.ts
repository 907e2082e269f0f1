/**
 * One simulated call: applies the delays and faults that the link decided. Used by the in-process transport and the
 * HTTP server; the caller receives a response, or nothing.
 *
 * A request that was sent completely is executed, even if its caller aborts.
 */
import type { Clock } from '@ecsm/runtime';
import type { Handler, Request, Response } from '../api/exchange.ts';
import { errorPage } from './error-page.ts';
import type { CallPlan, Fate, Link } from './link.ts';
import { transfer } from './transfer.ts';
import { requestBytes, responseHeadBytes } from './wire-size.ts';

export interface LinkContext {
  readonly handler: Handler;
  readonly link: Link;
  readonly clock: Clock;
  /** How a response is sent: compressed, or without a body if the caller has it. Default: as it is. */
  readonly encode?: (request: Request, response: Response) => Response;
  /** Called once per call: when its response is sent, or when the call is lost. */
  readonly observe?: (call: ObservedCall) => void;
}

/** `caller gone`: the caller aborted before the response was sent. With a status, the call was executed. */
export type ObservedFate = Fate | 'caller gone';

export interface ObservedCall {
  readonly request: Request;
  /** Before its encoding. Null if the platform did not receive the request. */
  readonly response: Response | null;
  /** HTTP status that is sent: 304 if the caller has the response already. */
  readonly status: number | null;
  readonly fate: ObservedFate;
  readonly startedMs: number;
  /** From the first byte of the request until the response was sent. */
  readonly durationMs: number;
  readonly bytesUp: number;
  /** Bytes that are sent to the caller. */
  readonly bytesDown: number;
}

/** A response that reaches the caller. */
export interface ReceivedResponse {
  readonly response: Response;
  /** Bytes of the body that are transferred; if fewer than its size, the connection is closed there. */
  readonly bodyBytes: number;
  /** Bandwidth; 0 is unlimited. */
  readonly bytesPerSecond: number;
}

interface Caller {
  /** Called with the number of request bytes that were sent. */
  readonly sent: (bytes: number) => void;
  readonly receive: (received: ReceivedResponse) => void;
}

export class SimulatedCall {
  readonly #context: LinkContext;
  readonly #request: Request;
  readonly #caller: Caller;
  readonly #plan: CallPlan;
  readonly #startedMs: number;
  readonly #startedMonotonicMs: number;
  readonly #bytesUp: number;
  #state: 'sending' | 'in flight' | 'responding' | 'over' = 'sending';
  #abandoned = false;
  #stopWaiting: () => void = () => {};

  private constructor(context: LinkContext, request: Request, caller: Caller) {
    this.#context = context;
    this.#request = request;
    this.#caller = caller;
    this.#plan = context.link.route(request);
    this.#startedMs = context.clock.now();
    this.#startedMonotonicMs = context.clock.monotonicMs();
    this.#bytesUp = requestBytes(request);
  }

  /** On a link without delays, the response is received before this returns. */
  static start(context: LinkContext, request: Request, caller: Caller): SimulatedCall {
    const simulatedCall = new SimulatedCall(context, request, caller);
    simulatedCall.#send();
    return simulatedCall;
  }

  /** The caller aborts and receives nothing. */
  abandon(): void {
    if (this.#state === 'over') return;
    this.#abandoned = true;
    if (this.#state === 'in flight') return;
    // An incomplete request is not executed, and a response has no receiver any more.
    if (this.#state === 'sending') this.#observe('caller gone', null, null, 0);
    this.cancel();
  }

  /** Stops the call without a record. */
  cancel(): void {
    this.#state = 'over';
    this.#stopWaiting();
  }

  #send(): void {
    const { bytesPerSecond } = this.#plan;
    if (bytesPerSecond === 0) {
      this.#caller.sent(this.#bytesUp);
      this.#leave();
      return;
    }
    this.#stopWaiting = transfer({
      clock: this.#context.clock,
      bytes: this.#bytesUp,
      bytesPerSecond,
      moved: (from, to) => this.#caller.sent(to - from),
      done: () => this.#leave(),
    });
  }

  #leave(): void {
    this.#state = 'in flight';
    if (this.#plan.fate === 'request lost') this.#end('request lost', null);
    else this.#after(this.#plan.beforeMs, () => this.#arrive());
  }

  #arrive(): void {
    const { fate, errorStatus } = this.#plan;
    if (fate === 'error page') this.#respond(errorPage(errorStatus));
    else if (this.#context.link.isFrozenFor(this.#request)) this.#waitForThaw();
    else this.#handle();
  }

  #waitForThaw(): void {
    const cancel = this.#context.link.onThaw(() => this.#handle());
    if (cancel === undefined) this.#end('request lost', null);
    else this.#stopWaiting = cancel;
  }

  #handle(): void {
    const response = this.#context.handler(this.#request);
    this.#respond(response, this.#context.encode?.(this.#request, response));
  }

  #respond(response: Response, encoded = response): void {
    const { fate } = this.#plan;
    if (this.#abandoned) this.#end('caller gone', response, encoded.status);
    else if (fate === 'answer lost') this.#end('answer lost', response, encoded.status);
    else this.#sendBack(response, encoded, fate);
  }

  #sendBack(response: Response, encoded: Response, fate: Fate): void {
    const { keptPart, afterMs, bytesPerSecond } = this.#plan;
    const whole = encoded.body.byteLength;
    const bodyBytes = fate === 'answer cut' ? Math.floor(whole * keptPart) : whole;
    this.#state = 'responding';
    this.#observe(fate, response, encoded.status, responseHeadBytes(encoded) + bodyBytes);
    this.#after(afterMs, () => {
      this.#state = 'over';
      this.#caller.receive({ response: encoded, bodyBytes, bytesPerSecond });
    });
  }

  /** Ends the call without a response. */
  #end(fate: ObservedFate, response: Response | null, status: number | null = null): void {
    this.#state = 'over';
    this.#observe(fate, response, status, 0);
  }

  #observe(fate: ObservedFate, response: Response | null, status: number | null, bytesDown: number): void {
    this.#context.observe?.({
      request: this.#request,
      response,
      status,
      fate,
      startedMs: this.#startedMs,
      durationMs: this.#context.clock.monotonicMs() - this.#startedMonotonicMs,
      bytesUp: this.#bytesUp,
      bytesDown,
    });
  }

  /** Uses no timer without a delay, so that calls on a healthy link are fast. */
  #after(delayMs: number, next: () => void): void {
    if (delayMs === 0) next();
    else this.#stopWaiting = this.#context.clock.after(delayMs, next);
  }
}
