/**
 * One call on its way to the platform and back: what the link decided, carried out in time. The shells (a function call,
 * a socket) hand over a request and receive an answer, or nothing.
 *
 * A caller that gives up cannot call back what it has sent: a request that left in full arrives, and is carried out.
 */
import type { Clock } from '@ecsm/runtime';
import { errorPage } from './error-page.ts';
import type { Fate, Link, Passage } from './link.ts';
import type { Answer, Handler, Request } from './message.ts';
import { transfer } from './transfer.ts';
import { answerHeadBytes, requestBytes } from './wire-size.ts';

export interface Road {
  readonly handler: Handler;
  readonly link: Link;
  readonly clock: Clock;
  /** Told of every call, once: when its answer leaves the platform, or when it is lost. */
  readonly observe?: (call: ObservedCall) => void;
}

/** `caller gone`: it gave up before an answer left. With a status it was carried out all the same. */
export type ObservedFate = Fate | 'caller gone';

export interface ObservedCall {
  readonly request: Request;
  /** Null if the platform never saw the request. */
  readonly answer: Answer | null;
  readonly fate: ObservedFate;
  readonly startedMs: number;
  /** From the first byte of the request until the answer left. */
  readonly durationMs: number;
  readonly bytesUp: number;
  /** What leaves for the caller. */
  readonly bytesDown: number;
}

/** An answer that arrives. */
export interface Arrival {
  readonly answer: Answer;
  /** So much of the body gets through; less than all of it means that the connection breaks there. */
  readonly bodyBytes: number;
  /** How quickly; 0: at once. */
  readonly bytesPerSecond: number;
}

export interface Caller {
  /** So many bytes of the request have gone out. */
  readonly sent: (bytes: number) => void;
  readonly receive: (arrival: Arrival) => void;
}

export class Journey {
  readonly #road: Road;
  readonly #request: Request;
  readonly #caller: Caller;
  readonly #passage: Passage;
  readonly #startedMs: number;
  readonly #startedMonotonicMs: number;
  readonly #bytesUp: number;
  #state: 'sending' | 'under way' | 'answering' | 'over' = 'sending';
  #abandoned = false;
  #stopWaiting: () => void = () => {};

  private constructor(road: Road, request: Request, caller: Caller) {
    this.#road = road;
    this.#request = request;
    this.#caller = caller;
    this.#passage = road.link.route(request);
    this.#startedMs = road.clock.now();
    this.#startedMonotonicMs = road.clock.monotonicMs();
    this.#bytesUp = requestBytes(request);
  }

  /** On a link without delays, the answer is received before this returns. */
  static begin(road: Road, request: Request, caller: Caller): Journey {
    const journey = new Journey(road, request, caller);
    journey.#send();
    return journey;
  }

  /** The caller gives up, and receives nothing any more. */
  abandon(): void {
    if (this.#state === 'over') return;
    this.#abandoned = true;
    if (this.#state === 'under way') return;
    // Half a request is none, and an answer that is on its way has nobody to go to.
    if (this.#state === 'sending') this.#observe('caller gone', null, 0);
    this.cancel();
  }

  /** The road ends here: nothing more happens. */
  cancel(): void {
    this.#state = 'over';
    this.#stopWaiting();
  }

  #send(): void {
    const { bytesPerSecond } = this.#passage;
    if (bytesPerSecond === 0) {
      this.#caller.sent(this.#bytesUp);
      this.#leave();
      return;
    }
    this.#stopWaiting = transfer({
      clock: this.#road.clock,
      bytes: this.#bytesUp,
      bytesPerSecond,
      moved: (from, to) => this.#caller.sent(to - from),
      done: () => this.#leave(),
    });
  }

  #leave(): void {
    this.#state = 'under way';
    if (this.#passage.fate === 'request lost') this.#end('request lost', null);
    else this.#after(this.#passage.beforeMs, () => this.#arrive());
  }

  #arrive(): void {
    const { fate, errorStatus } = this.#passage;
    if (fate === 'error page') this.#answerWith(errorPage(errorStatus));
    else if (this.#road.link.isFrozenFor(this.#request)) this.#waitForThaw();
    else this.#handle();
  }

  #waitForThaw(): void {
    const cancel = this.#road.link.onThaw(() => this.#handle());
    if (cancel === undefined) this.#end('request lost', null);
    else this.#stopWaiting = cancel;
  }

  #handle(): void {
    this.#answerWith(this.#road.handler(this.#request));
  }

  #answerWith(answer: Answer): void {
    const { fate } = this.#passage;
    if (this.#abandoned) this.#end('caller gone', answer);
    else if (fate === 'answer lost') this.#end('answer lost', answer);
    else this.#sendBack(answer, fate);
  }

  #sendBack(answer: Answer, fate: Fate): void {
    const { keptPart, afterMs, bytesPerSecond } = this.#passage;
    const whole = answer.body.byteLength;
    const bodyBytes = fate === 'answer cut' ? Math.floor(whole * keptPart) : whole;
    this.#state = 'answering';
    this.#observe(fate, answer, answerHeadBytes(answer) + bodyBytes);
    this.#after(afterMs, () => {
      this.#state = 'over';
      this.#caller.receive({ answer, bodyBytes, bytesPerSecond });
    });
  }

  /** The caller hears nothing. */
  #end(fate: ObservedFate, answer: Answer | null): void {
    this.#state = 'over';
    this.#observe(fate, answer, 0);
  }

  #observe(fate: ObservedFate, answer: Answer | null, bytesDown: number): void {
    this.#road.observe?.({
      request: this.#request,
      answer,
      fate,
      startedMs: this.#startedMs,
      durationMs: this.#road.clock.monotonicMs() - this.#startedMonotonicMs,
      bytesUp: this.#bytesUp,
      bytesDown,
    });
  }

  /** Without a delay there is no timer: a call on a perfect link costs what a function call costs. */
  #after(delayMs: number, next: () => void): void {
    if (delayMs === 0) next();
    else this.#stopWaiting = this.#road.clock.after(delayMs, next);
  }
}
