/**
 * Leader election: of several processes on one registry, at most one is the leader, by holding a Lease.
 *
 * ```text
 *            lease free, or unchanged                 fence raised
 *   waiting ─────────────────────────────▶ acquiring ─────────────▶ leading
 *      ▲ ▲               conflict, or timeout │                        │ not renewed in time, lease or
 *      │ └────────────────────────────────────┘                        │ fence lost, or signal aborted
 *      │                     the work has ended                        ▼
 *      └──────────────────────────────────────────────────────────── losing ──▶ stopped
 * ```
 *
 * - A candidate takes over only after it has observed the record unchanged for the whole lease duration. Clocks of
 *   different machines are never compared, and steps of the wall clock do not matter.
 * - A leader that cannot renew stops `leaseMs - renewDeadlineMs` before another candidate may take over.
 * - If it continues nevertheless (after a suspension of its process), its writes are rejected: a new leader raises the
 *   fence before it does anything. This protects the registry, not other side effects. With a registry that cannot fence,
 *   only the timing of the lease protects, as in Kubernetes.
 * - A deleted lease is free immediately. Its holder notices at its next renewal; until then only the fence protects.
 */
import { ApiError, isApiError } from '../api/errors.ts';
import { NAMESPACE_DEFAULT } from '../api/metadata.ts';
import { type Clock, sleep } from '../ports/clock.ts';
import { type Log, type LogFields, type LogLevel, silentLog } from '../ports/log.ts';
import type { Random } from '../ports/random.ts';
import type { Registry } from '../registry/contract.ts';
import { checkTimes, jitter } from './election-times.ts';
import { LeaseLock } from './lease-lock.ts';
import { Observation } from './observation.ts';
import { Term } from './term.ts';
import { aborted, isAbort, unlessAborted, within } from './within.ts';

export type ElectionState = 'waiting' | 'acquiring' | 'leading' | 'losing' | 'stopped';

export interface LeaderElectionOptions {
  /** Opened with the kind `Lease`. */
  readonly registry: Registry;
  /** Name of the lease: the same for all candidates. */
  readonly name: string;
  /** Default `default`. */
  readonly namespace?: string;
  /** Unique for every start of every process: `host_pid_uuid`. */
  readonly identity: string;
  /** Default: the registry's. */
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  /** How long candidates wait after the last renewal. Default 15,000. Shorter: faster fail-over, more false ones. */
  readonly leaseMs?: number;
  /** How long a leader continues without a renewal. Default 10,000. The rest of the lease is its time to stop. */
  readonly renewDeadlineMs?: number;
  /** Interval between attempts, jittered up to 1.2 times. Default 2,000. Each costs a read, and the leader a write. */
  readonly retryMs?: number;
  /** How long the leader's work may take to stop before `run` fails with `Timeout`. Default 30,000. */
  readonly stopMsMax?: number;
}

interface ElectionRunOptions {
  /** Ends the election: the signal of the work aborts, the work ends under the lease, and the lease is released. */
  readonly signal: AbortSignal;
  /**
   * The leader's work. Never called again before it has ended. Its registry rejects writes once there is another leader.
   * If it ends by itself, the election ends, with its error if it fails; `Fenced` only means that the lease was lost.
   */
  readonly lead: (registry: Registry, signal: AbortSignal) => Promise<void>;
}

export class LeaderElection {
  readonly name: string;
  readonly identity: string;
  readonly leaseMs: number;
  readonly renewDeadlineMs: number;
  readonly #registry: Registry;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Log;
  readonly #fields: LogFields;
  readonly #retryMs: number;
  readonly #stopMsMax: number;
  readonly #lock: LeaseLock;
  readonly #observation: Observation;
  readonly #fenceName: string;
  #state: ElectionState = 'stopped';
  /** Of the last attempt, so that an unavailable store is reported once and not every two seconds. */
  #lastError: string | undefined;

  constructor(options: LeaderElectionOptions) {
    const { registry, name, namespace = NAMESPACE_DEFAULT, identity, leaseMs = 15_000 } = options;
    this.name = name;
    this.identity = identity;
    this.leaseMs = leaseMs;
    this.#registry = registry;
    this.#clock = options.clock ?? registry.clock;
    this.#random = options.random ?? registry.random;
    this.#log = options.log ?? silentLog;
    this.#fields = { lease: `${namespace}/${name}`, identity };
    this.renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.#retryMs = options.retryMs ?? 2_000;
    this.#stopMsMax = options.stopMsMax ?? 30_000;
    checkTimes({ identity, leaseMs, renewDeadlineMs: this.renewDeadlineMs, retryMs: this.#retryMs });
    this.#lock = new LeaseLock({ registry, clock: this.#clock, name, namespace, identity, leaseMs });
    this.#observation = new Observation(this.#clock);
    // Fences have no namespaces, and leases of two namespaces must not fence each other.
    this.#fenceName = `${namespace}.${name}`;
  }

  get state(): ElectionState {
    return this.#state;
  }

  get isLeader(): boolean {
    return this.#state === 'leading';
  }

  /** Runs until the signal aborts. After a lost lease it tries to acquire it again. */
  async run({ signal, lead }: ElectionRunOptions): Promise<void> {
    if (this.#state !== 'stopped') throw new ApiError('BadRequest', { reason: 'this election is already running' });
    this.#setState('waiting');
    try {
      while (!signal.aborted) {
        const leadership = await this.#acquire(signal);
        if (!leadership) break;
        if ((await this.#lead(leadership, signal, lead)) === 'finished') return;
        this.#setState('waiting');
        // Without a pause, a repeated loss of the lease would cause a write loop.
        await this.#pause(signal);
      }
      await this.#release();
    } finally {
      this.#observation.reset();
      this.#setState('stopped');
    }
  }

  /** Tries until it has the lease. Returns undefined if the signal aborts. */
  async #acquire(signal: AbortSignal): Promise<Leadership | undefined> {
    while (!signal.aborted) {
      // The term starts before the first read, so that it ends too early rather than too late.
      const term = new Term(this.#clock, this.renewDeadlineMs);
      try {
        const registry = await this.#tryAcquire(term, signal);
        this.#lastError = undefined;
        if (registry) return { term, registry };
      } catch (error) {
        this.#report('the lease could not be acquired', error);
      }
      term.end('not acquired');
      this.#setState('waiting');
      await this.#pause(signal);
    }
    return undefined;
  }

  /** Returns the leader's registry; undefined if there is another leader. */
  async #tryAcquire(term: Term, signal: AbortSignal): Promise<Registry | undefined> {
    const found = await unlessAborted(signal, this.#withinTerm(term, this.#lock.read()));
    if (signal.aborted) return undefined;
    if (found) this.#observation.observe(found);
    const free = found === undefined || !found.spec.holderIdentity || this.#lock.isMine(found);
    if (!free && !this.#observation.expired) return undefined;
    this.#setState('acquiring');
    const lease = await this.#withinTerm(term, this.#lock.claim(found));
    if (!lease) return undefined;
    const { fencing } = this.#registry.capabilities;
    if (!fencing) return this.#registry;
    return fencing.fencedBy(await this.#withinTerm(term, fencing.raiseFence(this.#fenceName, lease)));
  }

  /** Runs the work until the lease is lost, the work has ended or the signal aborts; then waits for its end. */
  async #lead(
    { term, registry }: Leadership,
    signal: AbortSignal,
    lead: ElectionRunOptions['lead'],
  ): Promise<'lost' | 'finished'> {
    this.#setState('leading');
    const stop = new AbortController();
    const lose = () => {
      if (this.#state === 'leading') this.#setState('losing');
      stop.abort();
    };
    signal.addEventListener('abort', lose, { once: true });
    term.signal.addEventListener('abort', lose, { once: true });
    if (signal.aborted) lose();
    const work = stop.signal.aborted
      ? Promise.resolve<WorkResult>({})
      : resultOf(lead(registry, stop.signal), stop.signal);
    const renewing = this.#renew(term, registry);
    try {
      const stopped = aborted(stop.signal);
      await Promise.race([work, stopped.promise]);
      stopped.stop();
      lose();
      // Renewal continues after a stop, so that the work in flight ends under the lease.
      const { error } = await within(this.#clock, this.#stopMsMax, "the leader's work (stopping)", () => work);
      const lost = term.signal.aborted || isApiError(error, 'Fenced');
      if (lost) this.#lost(term, error);
      if (lost && !signal.aborted) return 'lost';
      term.end('released');
      await this.#release();
      if (!lost && error !== undefined) throw error;
      return 'finished';
    } finally {
      term.end('released');
      signal.removeEventListener('abort', lose);
      await renewing;
    }
  }

  async #renew(term: Term, registry: Registry): Promise<void> {
    for (;;) {
      await this.#pause(term.signal);
      if (term.signal.aborted) return;
      try {
        const renewal = term.extendedBy(() => this.#withTimeout(() => this.#lock.renew(registry)));
        if ((await unlessAborted(term.signal, renewal)) === false) term.end('another candidate has taken over');
        this.#lastError = undefined;
      } catch (error) {
        this.#report('the lease could not be renewed', error);
      }
    }
  }

  /** Half of the deadline, so that a lost response leaves time for a second attempt. */
  #withTimeout<T>(call: () => Promise<T>): Promise<T> {
    return within(this.#clock, this.renewDeadlineMs / 2, 'the registry', call);
  }

  /** A failure only delays the next leader until the lease expires, so it is logged and not thrown. */
  async #release(): Promise<void> {
    try {
      await this.#withTimeout(() => this.#lock.release());
    } catch (error) {
      this.#write('warn', 'the lease could not be released; candidates must wait until it expires', { error });
    }
  }

  /** Awaits the call; throws `Timeout` if the term ends first. */
  async #withinTerm<T>(term: Term, call: Promise<T>): Promise<T> {
    const result = await unlessAborted(
      term.signal,
      call.then((value) => ({ value })),
    );
    if (!result) throw new ApiError('Timeout', { what: 'the registry', timeoutMs: this.renewDeadlineMs });
    return result.value;
  }

  #pause(signal: AbortSignal): Promise<void> {
    return sleep(this.#clock, jitter(this.#retryMs, this.#random), signal);
  }

  #setState(state: ElectionState): void {
    if (state === this.#state) return;
    this.#state = state;
    const quiet = state === 'acquiring' || state === 'waiting';
    this.#write(quiet ? 'debug' : 'info', `leader election: ${state}`);
  }

  #lost(term: Term, error: unknown): void {
    const reason = term.signal.aborted ? term.reason : 'another leader has raised the fence';
    this.#write('warn', 'the lease was lost; trying to acquire it again', {
      reason,
      ...(error === undefined ? {} : { error }),
    });
  }

  #report(message: string, error: unknown): void {
    const text = String(error);
    this.#write(text === this.#lastError ? 'debug' : 'warn', message, { error });
    this.#lastError = text;
  }

  #write(level: LogLevel, message: string, fields: LogFields = {}): void {
    this.#log.write(level, message, { ...this.#fields, ...fields });
  }
}

interface Leadership {
  readonly term: Term;
  readonly registry: Registry;
}

interface WorkResult {
  readonly error?: unknown;
}

/** The result of the work. After an abort, an `AbortError` is not a failure. */
async function resultOf(work: Promise<void>, signal: AbortSignal): Promise<WorkResult> {
  try {
    await work;
    return {};
  } catch (error) {
    return isAbort(error, signal) ? {} : { error };
  }
}
