/**
 * Stands between the operator and a weak link. It is a transport around a transport: few calls at a time, and a link
 * that is dead is probed by one, not hammered by all.
 *
 *     reachable ──failure──▶ suspect ──failure──▶ unreachable ──probe answered──▶ reachable
 *         ▲                     │                      every call but the probe fails at once
 *         └──────answer─────────┘
 *
 * Any answer in an envelope is contact, also a refusal. No connection, no answer in time, an answer that breaks off or
 * a page of somebody else's is a failure. A call that its caller gave up says nothing.
 */
import { ApiError, type Clock, isApiError, type Random, sleep } from '@ecsm/runtime';
import { RestClient } from './client.ts';
import { Slots } from './concurrency-limit.ts';
import type { Headers } from './options.ts';
import type { SendOptions, Transport, WireAnswer, WireRequest } from './transport.ts';

export type LinkState = 'reachable' | 'suspect' | 'unreachable';

export interface LinkGuardOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  /** Calls under way at once, the probe among them. Default 4. More is quicker, fewer spares a narrow link. */
  readonly inFlightMax?: number;
  /** Added to the probe, as to ordinary calls: without them an authenticating proxy refuses it. Default: none. */
  readonly headers?: () => Headers | Promise<Headers>;
  /** From the loss of the link to the first probe; each further one waits twice as long. Default 1,000. */
  readonly probeMsMin?: number;
  /** So long at most, and so long it may take until a link that is back is used again. Default 15,000. */
  readonly probeMsMax?: number;
  /** How long a probe waits for its answer. Default 10,000. */
  readonly probeTimeoutMs?: number;
  /** Default `/api/v1`. */
  readonly basePath?: string;
}

export type LinkListener = (state: LinkState, before: LinkState) => void;

/** Resolves if this process may still change the platform; rejects with `Fenced` if another process leads. */
export type WriteFence = () => Promise<void>;

const failuresMax = 2;
const probeAnswerBytesMax = 1024 * 1024;
/** An envelope is JSON, an object; white space and a byte order mark may come before it. */
const openingBrace = 0x7b;
const isText = (byte: number) => byte > 0x20 && byte < 0x80;

export class LinkGuard {
  /** The way to the platform for everybody else. */
  readonly transport: Transport;
  readonly #options: LinkGuardOptions;
  readonly #slots: Slots;
  /** Sends the probe with the headers of ordinary calls, and past the state that refuses those. */
  readonly #prober: RestClient;
  readonly #listeners = new Set<LinkListener>();
  #state: LinkState = 'reachable';
  #reason: string | undefined;
  #failures = 0;
  #lastContactMs: number | undefined;
  #sinceMs: number;
  /** From the last failure to the next probe. A span and a moment: somebody may set the clock in between. */
  #probeDelayMs = 0;
  #nextProbeMs = 0;
  #probes = 0;
  #fence: WriteFence = () => Promise.resolve();

  constructor(options: LinkGuardOptions) {
    this.#options = options;
    this.#slots = new Slots(options.inFlightMax ?? 4);
    this.#sinceMs = options.clock.now();
    const close = () => options.transport.close();
    this.transport = { send: (request, sendOptions) => this.#send(request, sendOptions), close };
    const probeTimeoutMs = options.probeTimeoutMs ?? 10_000;
    this.#prober = new RestClient({
      transport: { send: (request, sendOptions) => this.#sendProbe(request, sendOptions), close },
      clock: options.clock,
      random: options.random,
      timeoutMs: probeTimeoutMs,
      deadlineMs: probeTimeoutMs,
      attemptsMax: 1,
      answerBytesMax: probeAnswerBytesMax,
      ...(options.basePath === undefined ? {} : { basePath: options.basePath }),
      ...(options.headers && { headers: options.headers }),
    });
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Why it is not reachable. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** When the platform last answered; undefined if it never did. */
  get lastContactMs(): number | undefined {
    return this.#lastContactMs;
  }

  /** When the state last changed. */
  get sinceMs(): number {
    return this.#sinceMs;
  }

  get inFlight(): number {
    return this.#slots.used;
  }

  /** Whether another call would have to wait. */
  get isBusy(): boolean {
    return this.#slots.isFull;
  }

  /** Whether no call is under way. */
  get isIdle(): boolean {
    return this.#slots.used === 0;
  }

  /** Called at every change of state, until the returned function is called. */
  onChange(listener: LinkListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Sets the fence of all writes that are started from now on. It is asked directly before each write is sent, after the
   * wait for a slot. A write that waits already keeps its own fence: a new term does not legitimate a former one's writes.
   */
  fenceWrites(fence: WriteFence): void {
    this.#fence = fence;
  }

  /** For readyz: nothing if all is well. One failure alone is no reason to complain. */
  check(): string | undefined {
    return this.#state === 'unreachable' ? this.#complaint() : undefined;
  }

  /** Probes whenever the link is down, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      await this.#untilUnreachable(signal);
      await sleep(clock, this.#probeDelayMs, signal);
      if (!signal.aborted && this.check() !== undefined) await this.#probe(signal);
    }
  }

  async #send(request: WireRequest, options: SendOptions): Promise<WireAnswer> {
    this.#checkSendable(options);
    const fence = request.method === 'GET' ? undefined : this.#fence;
    const release = await this.#slots.take(options.signal);
    try {
      this.#checkSendable(options);
      if (fence !== undefined) {
        await fence();
        this.#checkSendable(options);
      }
      return await this.#attempt(request, options);
    } finally {
      release();
    }
  }

  /** Repeated after every wait: the caller may have given up and the link may have been lost meanwhile. */
  #checkSendable({ signal }: SendOptions): void {
    signal.throwIfAborted();
    if (this.#state === 'unreachable') throw this.#unavailable();
  }

  async #attempt(request: WireRequest, options: SendOptions): Promise<WireAnswer> {
    try {
      const answer = await this.#options.transport.send(request, options);
      if (answer.body.find(isText) === openingBrace) this.#answered();
      else this.#failed(`what answers is not the platform (HTTP ${answer.status})`);
      return answer;
    } catch (error) {
      if (isLinkFailure(error)) this.#failed(error.message);
      throw error;
    }
  }

  async #probe(signal: AbortSignal): Promise<void> {
    this.#probes++;
    try {
      await this.#prober.get().resource('service', 'summary').signal(signal).doRaw();
    } catch {
      // The state says what there is to say.
    } finally {
      this.#planProbe();
    }
  }

  async #sendProbe(request: WireRequest, options: SendOptions): Promise<WireAnswer> {
    const release = await this.#slots.take(options.signal, 'first');
    try {
      return await this.#attempt(request, options);
    } finally {
      release();
    }
  }

  #planProbe(): void {
    const { clock, random, probeMsMin = 1_000, probeMsMax = 15_000 } = this.#options;
    const fullMs = Math.min(probeMsMin * 2 ** Math.min(this.#probes, 30), probeMsMax);
    // Operators that lost the same link together do not come back together.
    this.#probeDelayMs = fullMs * (0.75 + random.next() / 4);
    this.#nextProbeMs = clock.now() + this.#probeDelayMs;
  }

  #answered(): void {
    this.#failures = 0;
    this.#reason = undefined;
    this.#lastContactMs = this.#options.clock.now();
    this.#become('reachable');
  }

  #failed(reason: string): void {
    // What a probe fails with says no more, and many statuses would have to be written for it.
    if (this.#state === 'unreachable') return;
    this.#reason = reason;
    this.#failures++;
    if (this.#failures < failuresMax) {
      this.#become('suspect');
      return;
    }
    this.#probes = 0;
    this.#planProbe();
    this.#become('unreachable');
    this.#slots.refuseWaiting(this.#unavailable());
  }

  #become(state: LinkState): void {
    const before = this.#state;
    if (before === state) return;
    this.#state = state;
    this.#sinceMs = this.#options.clock.now();
    for (const listener of [...this.#listeners]) listener(state, before);
  }

  #untilUnreachable(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (this.#state === 'unreachable' || signal.aborted) return resolve();
      const done = () => {
        stop();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const stop = this.onChange((state) => {
        if (state === 'unreachable') done();
      });
      signal.addEventListener('abort', done, { once: true });
    });
  }

  #complaint(): string {
    const waitMs = Math.max(0, this.#nextProbeMs - this.#options.clock.now());
    return `it cannot be reached (${this.#reason}); next probe in ${Math.ceil(waitMs / 1000)} s`;
  }

  #unavailable(): ApiError<'Unavailable'> {
    return new ApiError('Unavailable', { what: 'the platform', reason: this.#complaint() });
  }
}

/** What the transport throws when the link is to blame, or what its caller's time-out makes of it. */
export function isLinkFailure(error: unknown): error is ApiError {
  return isApiError(error, 'Unavailable') || isApiError(error, 'Timeout') || isApiError(error, 'BadAnswer');
}
