/**
 * A circuit breaker with a limit on concurrent calls, as a transport around a transport. While the link is down, probes
 * are sent with backoff, and all other calls fail immediately.
 *
 *     reachable ──failure──▶ suspect ──failure──▶ unreachable ──probe succeeded─▶ reachable
 *         ▲                     │                      calls other than the probe fail immediately
 *         └─────response────────┘
 *
 * Any response in an envelope counts as contact, including an error of the platform, and so does HTTP 304. A failed connection, a timeout, a
 * truncated response or a body that is not an envelope counts as a failure, unless another call was answered since that
 * call was sent: a link that answers is lossy or slow, not down. A call aborted by its caller, or by its deadline soon after
 * it was sent, counts as neither, and so does one that was never sent.
 */
import { ApiError, backoffMs, type Clock, isApiError, type Random, sleep } from '@ecsm/runtime';
import { RestClient } from './client.ts';
import { type CallClass, ConcurrencyLimit } from './concurrency-limit.ts';
import { onAbort } from './on-abort.ts';
import type { Headers } from './options.ts';
import type { SendOptions, Transport, WireRequest, WireResponse } from './transport.ts';

export type LinkState = 'reachable' | 'suspect' | 'unreachable';

export interface CircuitBreakerOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  /** Maximum number of concurrent calls, including the probe. Default 16. The limit in use follows the link up to it. */
  readonly inFlightMax?: number;
  /** Headers of the probe, the same as of other calls: an authenticating proxy requires them. Default: none. */
  readonly headers?: () => Headers | Promise<Headers>;
  /** Delay from the loss of the link to the first probe; it doubles with each probe. Default 1,000. */
  readonly probeMsMin?: number;
  /** Maximum delay between probes: a restored link may stay unused for this long. Default 15,000. */
  readonly probeMsMax?: number;
  /** Timeout of a probe. An answer that takes more than half of it is slow. Default 10,000. */
  readonly probeTimeoutMs?: number;
  /** Default `/api/v1`. */
  readonly basePath?: string;
}

type LinkListener = (state: LinkState, before: LinkState) => void;

/** Resolves if this process may still change the platform; rejects with `Fenced` if another process leads. */
type WriteFence = () => Promise<void>;

/** When a call was sent, and the number of answers until then. */
interface Sent {
  readonly ms: number;
  readonly answers: number;
}

const failuresMax = 2;
const probeResponseBytesMax = 1024 * 1024;
/** An envelope is a JSON object; white space and a byte order mark may precede it. */
const openingBrace = 0x7b;
const isText = (byte: number) => byte > 0x20 && byte < 0x80;

export class CircuitBreaker {
  /** The transport for all calls of the client. */
  readonly transport: Transport;
  readonly #options: CircuitBreakerOptions;
  readonly #limit: ConcurrencyLimit;
  /** An answer that takes longer is slow. */
  readonly #slowMs: number;
  /** Sends the probe with the headers of other calls, bypassing the check of the state. */
  readonly #prober: RestClient;
  readonly #listeners = new Set<LinkListener>();
  #state: LinkState = 'reachable';
  #reason: string | undefined;
  #failures = 0;
  /** Number of answers so far. */
  #answers = 0;
  #lastContactMs: number | undefined;
  #sinceMs: number;
  /** From the last failure to the next probe. */
  #probeDelayMs = 0;
  #nextProbeMs = 0;
  #probes = 0;
  /** Whether probes read the summary, which is small. Otherwise they read the list. */
  #isSummaryProbed = true;
  #fence: WriteFence = () => Promise.resolve();

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
    const probeTimeoutMs = options.probeTimeoutMs ?? 10_000;
    const { clock, inFlightMax: max = 16 } = options;
    this.#slowMs = probeTimeoutMs / 2;
    this.#limit = new ConcurrencyLimit({ max, slowMs: this.#slowMs });
    this.#sinceMs = clock.monotonicMs();
    const close = () => options.transport.close();
    this.transport = { send: (request, sendOptions) => this.#send(request, sendOptions), close };
    this.#prober = new RestClient({
      transport: { send: (request, sendOptions) => this.#sendProbe(request, sendOptions), close },
      clock,
      random: options.random,
      timeoutMs: probeTimeoutMs,
      deadlineMs: probeTimeoutMs,
      attemptsMax: 1,
      responseBytesMax: probeResponseBytesMax,
      ...(options.basePath === undefined ? {} : { basePath: options.basePath }),
      ...(options.headers && { headers: options.headers }),
    });
  }

  get state(): LinkState {
    return this.#state;
  }

  /** The last link failure; undefined while the link is reachable. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Time of the last response, in wall time; undefined if there was none. */
  get lastContactMs(): number | undefined {
    return this.#lastContactMs;
  }

  /** When the state last changed, monotonic. */
  get sinceMs(): number {
    return this.#sinceMs;
  }

  get inFlight(): number {
    return this.#limit.inUse;
  }

  /** Current maximum number of concurrent calls. */
  get window(): number {
    return this.#limit.window;
  }

  /** Whether another call would have to wait for a slot. */
  get isBusy(): boolean {
    return this.#limit.isFull;
  }

  /** Called at every change of state, until the returned function is called. */
  onChange(listener: LinkListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Sets the fence of all writes that are started from now on. It is called directly before each write is sent, after
   * the wait for a slot. A write that is already waiting keeps its fence: a new term must not allow writes of a former
   * one.
   */
  fenceWrites(fence: WriteFence): void {
    this.#fence = fence;
  }

  /** For readyz. Returns undefined unless the link is unreachable: a single failure is not reported. */
  check(): string | undefined {
    return this.#state === 'unreachable' ? this.#description() : undefined;
  }

  /** Probes while the link is down, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      await this.#untilUnreachable(signal);
      await sleep(clock, this.#probeDelayMs, signal);
      if (!signal.aborted && this.check() !== undefined) await this.#probe(signal);
    }
  }

  async #send(request: WireRequest, options: SendOptions): Promise<WireResponse> {
    this.#checkSendable(options);
    const isRead = request.method === 'GET';
    const fence = isRead ? undefined : this.#fence;
    const release = await this.#acquire(options, isRead ? 'read' : 'write');
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

  #acquire({ signal, queued }: SendOptions, callClass: CallClass): Promise<() => void> {
    const wait = this.#limit.acquire(signal, callClass);
    return queued ? queued(wait) : wait;
  }

  /** Repeated after every wait: the caller may have aborted, or the link may have been lost. */
  #checkSendable({ signal }: SendOptions): void {
    signal.throwIfAborted();
    if (this.#state === 'unreachable') throw this.#unavailable();
  }

  async #attempt(request: WireRequest, options: SendOptions): Promise<WireResponse> {
    const sent: Sent = { ms: this.#options.clock.monotonicMs(), answers: this.#answers };
    try {
      const response = await this.#sendOrGiveUp(request, options, sent);
      if (isNotModified(request, response) || response.body.find(isText) === openingBrace) this.#answered(sent);
      else this.#failed(`the response is not from the platform (HTTP ${response.status})`, sent);
      return response;
    } catch (error) {
      if (isLinkFailure(error)) this.#failed(error.message, sent);
      throw error;
    }
  }

  /**
   * Gives up a request that is repeated, after half of a timeout without a byte of its response, if other calls were
   * answered since it was sent: it was probably lost, and its slot is of use to others.
   */
  async #sendOrGiveUp(request: WireRequest, options: SendOptions, sent: Sent): Promise<WireResponse> {
    const { transport, clock } = this.#options;
    if (options.isRepeated !== true) return transport.send(request, options);
    const { meter, signal } = options;
    const { bytesDown } = meter;
    const ending = new AbortController();
    const unsubscribe = onAbort(signal, () => ending.abort(signal.reason));
    const cancel = clock.after(this.#slowMs, () => {
      if (this.#answers === sent.answers || meter.bytesDown > bytesDown) return;
      const what = `${request.method} ${request.target.split('?', 1)[0]}`;
      ending.abort(new ApiError('Timeout', { what, timeoutMs: this.#slowMs }));
    });
    try {
      return await transport.send(request, { ...options, signal: ending.signal });
    } finally {
      cancel();
      unsubscribe();
    }
  }

  async #probe(signal: AbortSignal): Promise<void> {
    this.#probes++;
    const services = this.#prober.get().resource('service').signal(signal);
    try {
      const { status } = await (this.#isSummaryProbed
        ? services.resource('summary')
        : services.param('pageNum', 1).param('pageSize', 1)
      ).doRaw();
      // A platform without a summary may respond without an envelope. A proxy in front of a dead link may do so too.
      if (status === 404 && this.#state === 'unreachable') this.#isSummaryProbed = !this.#isSummaryProbed;
    } catch {
      // The state was updated when the call ended.
    } finally {
      this.#planProbe();
    }
  }

  async #sendProbe(request: WireRequest, options: SendOptions): Promise<WireResponse> {
    const release = await this.#acquire(options, 'probe');
    try {
      return await this.#attempt(request, options);
    } finally {
      release();
    }
  }

  #planProbe(): void {
    const { clock, random, probeMsMin = 1_000, probeMsMax = 15_000 } = this.#options;
    // Jitter, so that operators that lost the same link do not probe at the same time.
    this.#probeDelayMs = backoffMs(this.#probes, probeMsMin, probeMsMax, random);
    this.#nextProbeMs = clock.monotonicMs() + this.#probeDelayMs;
  }

  #answered(sent: Sent): void {
    this.#limit.answered(this.#options.clock.monotonicMs() - sent.ms);
    this.#answers++;
    this.#failures = 0;
    this.#reason = undefined;
    this.#lastContactMs = this.#options.clock.now();
    this.#become('reachable');
  }

  #failed(reason: string, sent: Sent): void {
    this.#limit.lost();
    if (this.#answers !== sent.answers) return;
    // The reason of a failed probe adds nothing, and each new reason would be written to every status.
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
    this.#limit.restart();
    this.#limit.rejectWaiting(this.#unavailable());
  }

  #become(state: LinkState): void {
    const before = this.#state;
    if (before === state) return;
    this.#state = state;
    this.#sinceMs = this.#options.clock.monotonicMs();
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

  #description(): string {
    const waitMs = Math.max(0, this.#nextProbeMs - this.#options.clock.monotonicMs());
    return `unreachable (${this.#reason}); next probe in ${Math.ceil(waitMs / 1000)} s`;
  }

  #unavailable(): ApiError<'Unavailable'> {
    return new ApiError('Unavailable', { what: 'the platform', reason: this.#description() });
  }
}

/** The caller has the response already: only the platform, or a cache in front of it, knows its tag. */
function isNotModified({ headers }: WireRequest, { status }: WireResponse): boolean {
  return status === 304 && headers['if-none-match'] !== undefined;
}

/** Whether a call failed because of the link: the platform may or may not have received it. */
export function isLinkFailure(error: unknown): error is ApiError {
  return isApiError(error, 'Unavailable') || isApiError(error, 'Timeout') || isApiError(error, 'BadAnswer');
}
