/**
 * Leader election: of several processes on one registry, at most one leads, by holding a Lease.
 *
 * ```text
 *            lease free, or seen unchanged            fence raised
 *   waiting ─────────────────────────────▶ acquiring ─────────────▶ leading
 *      ▲ ▲            overtaken, or no answer │                        │ not renewed in time, lease or
 *      │ └────────────────────────────────────┘                        │ fence gone, or asked to stop
 *      │                     the work has ended                        ▼
 *      └──────────────────────────────────────────────────────────── losing ──▶ stopped
 * ```
 *
 * - A candidate takes over only after it has itself seen the record unchanged for the whole lease. No clock is compared
 *   with another, and steps of the time of day do not matter.
 * - A leader that cannot renew stops `leaseMs - renewDeadlineMs` before anybody may take over.
 * - Should it go on all the same (a stopped process that wakes up), its writes are refused: a new leader raises the fence
 *   before it does anything. This guards what is written through its registry, not what it does elsewhere. A registry
 *   that cannot fence leaves it at the times of the lease, as Kubernetes does.
 * - A deleted lease is free at once. Its holder notices at its next renewal; until then only the fence holds it back.
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
  /** Of the lease: candidates for the same work have the same. */
  readonly name: string;
  /** Default `default`. */
  readonly namespace?: string;
  /** Different for every process, and for each of its starts: `host_pid_uuid`. */
  readonly identity: string;
  /** Default: the registry's. */
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  /** How long others wait after the last sign of life. Default 15,000. Shorter: quicker fail-over, more false ones. */
  readonly leaseMs?: number;
  /** How long a leader goes on without a renewal. Default 10,000. The rest of the lease is its time to stop. */
  readonly renewDeadlineMs?: number;
  /** Between two tries, jittered up to 1.2 times. Default 2,000. Each costs a read, and the leader a write. */
  readonly retryMs?: number;
  /** How long the leader's work may take to stop before `run` gives up with `Timeout`. Default 30,000. */
  readonly stopMsMax?: number;
}

export interface Campaign {
  /** Ends the election: the work is told to stop, finishes under the lease, and the lease is let go of. */
  readonly signal: AbortSignal;
  /**
   * The leader's work. Never called again before it has ended. Its registry refuses writes once somebody else leads. If
   * it ends by itself, the election ends, too, and with its error if it fails; to be `Fenced` only means to have lost.
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
  /** Of the last try, so that a store that is away is reported once and not every two seconds. */
  #trouble: string | undefined;

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
    // Fences know no namespaces, and leases of two namespaces must not shut each other out.
    this.#fenceName = `${namespace}.${name}`;
  }

  get state(): ElectionState {
    return this.#state;
  }

  get isLeader(): boolean {
    return this.#state === 'leading';
  }

  /** Takes part until the signal aborts. A lost lease is no end: it waits for the next chance. */
  async run({ signal, lead }: Campaign): Promise<void> {
    if (this.#state !== 'stopped') throw new ApiError('BadRequest', { reason: 'this election is running already' });
    this.#become('waiting');
    try {
      while (!signal.aborted) {
        const won = await this.#campaign(signal);
        if (!won) break;
        if ((await this.#reign(won, signal, lead)) === 'finished') return;
        this.#become('waiting');
        // Without a pause, whatever makes us lose again and again would make us write without end.
        await this.#pause(signal);
      }
      await this.#release();
    } finally {
      this.#observation.forget();
      this.#become('stopped');
    }
  }

  /** Tries until it has won; nothing if it was asked to stop. */
  async #campaign(signal: AbortSignal): Promise<Reign | undefined> {
    while (!signal.aborted) {
      // It starts before the first look, so that it ends too early rather than too late.
      const term = new Term(this.#clock, this.renewDeadlineMs);
      try {
        const registry = await this.#attempt(term, signal);
        this.#trouble = undefined;
        if (registry) return { term, registry };
      } catch (error) {
        this.#report('the lease could not be looked at or taken', error);
      }
      term.end('not won');
      this.#become('waiting');
      await this.#pause(signal);
    }
    return undefined;
  }

  /** The leader's registry; nothing if somebody else leads. */
  async #attempt(term: Term, signal: AbortSignal): Promise<Registry | undefined> {
    const found = await unlessAborted(signal, this.#answered(term, this.#lock.read()));
    if (signal.aborted) return undefined;
    if (found) this.#observation.see(found);
    const free = found === undefined || found.spec.holderIdentity === '' || this.#lock.isMine(found);
    if (!free && !this.#observation.expired) return undefined;
    this.#become('acquiring');
    const lease = await this.#answered(term, this.#lock.claim(found));
    if (!lease) return undefined;
    const { fencing } = this.#registry.capabilities;
    if (!fencing) return this.#registry;
    return fencing.fencedBy(await this.#answered(term, fencing.raiseFence(this.#fenceName, lease)));
  }

  /** Leads until the lease is lost, the work has ended or it is asked to stop; then waits for the work to end. */
  async #reign({ term, registry }: Reign, signal: AbortSignal, lead: Campaign['lead']): Promise<'lost' | 'finished'> {
    this.#become('leading');
    const stop = new AbortController();
    const lose = () => {
      if (this.#state === 'leading') this.#become('losing');
      stop.abort();
    };
    signal.addEventListener('abort', lose, { once: true });
    term.signal.addEventListener('abort', lose, { once: true });
    if (signal.aborted) lose();
    const work = stop.signal.aborted ? Promise.resolve<Ending>({}) : endingOf(lead(registry, stop.signal), stop.signal);
    const renewing = this.#renew(term, registry);
    try {
      const asked = aborted(stop.signal);
      await Promise.race([work, asked.promise]);
      asked.stop();
      lose();
      // Asked to stop, we go on renewing: what is in flight ends under the lease.
      const { error } = await within(this.#clock, this.#stopMsMax, "the leader's work, told to stop,", () => work);
      const lost = term.signal.aborted || isApiError(error, 'Fenced');
      if (lost) this.#lost(term, error);
      if (lost && !signal.aborted) return 'lost';
      term.end('given up');
      await this.#release();
      if (!lost && error !== undefined) throw error;
      return 'finished';
    } finally {
      term.end('given up');
      signal.removeEventListener('abort', lose);
      await renewing;
    }
  }

  async #renew(term: Term, registry: Registry): Promise<void> {
    for (;;) {
      await this.#pause(term.signal);
      if (term.signal.aborted) return;
      try {
        const renewal = term.extendedBy(() => this.#patiently(() => this.#lock.renew(registry)));
        if ((await unlessAborted(term.signal, renewal)) === false) term.end('somebody else has taken over');
        this.#trouble = undefined;
      } catch (error) {
        this.#report('the lease could not be renewed', error);
      }
    }
  }

  /** Half of the time that there is, so that an answer that got lost leaves time for a second question. */
  #patiently<T>(question: () => Promise<T>): Promise<T> {
    return within(this.#clock, this.renewDeadlineMs / 2, 'the registry', question);
  }

  /** A failure costs the next leader the rest of the lease and nothing else, so it does not spoil the end. */
  async #release(): Promise<void> {
    try {
      await this.#patiently(() => this.#lock.release());
    } catch (error) {
      this.#write('warn', 'the lease could not be released; others have to wait until it expires', { error });
    }
  }

  /** The answer, unless the term ends before it comes. */
  async #answered<T>(term: Term, question: Promise<T>): Promise<T> {
    const answer = await unlessAborted(
      term.signal,
      question.then((value) => ({ value })),
    );
    if (!answer) throw new ApiError('Timeout', { what: 'the registry', timeoutMs: this.renewDeadlineMs });
    return answer.value;
  }

  #pause(signal: AbortSignal): Promise<void> {
    return sleep(this.#clock, jitter(this.#retryMs, this.#random), signal);
  }

  #become(state: ElectionState): void {
    if (state === this.#state) return;
    this.#state = state;
    const quiet = state === 'acquiring' || state === 'waiting';
    this.#write(quiet ? 'debug' : 'info', `leader election: ${state}`);
  }

  #lost(term: Term, error: unknown): void {
    const reason = term.signal.aborted ? term.reason : 'somebody else has raised the fence';
    this.#write('warn', 'the lease was lost; waiting to lead again', {
      reason,
      ...(error === undefined ? {} : { error }),
    });
  }

  #report(message: string, error: unknown): void {
    const trouble = error instanceof Error ? error.message : String(error);
    this.#write(trouble === this.#trouble ? 'debug' : 'warn', message, { error });
    this.#trouble = trouble;
  }

  #write(level: LogLevel, message: string, fields: LogFields = {}): void {
    this.#log.write(level, message, { ...this.#fields, ...fields });
  }
}

interface Reign {
  readonly term: Term;
  readonly registry: Registry;
}

interface Ending {
  readonly error?: unknown;
}

/** How the work ended. Once it was told to stop, an error that says no more than that is none. */
async function endingOf(work: Promise<void>, signal: AbortSignal): Promise<Ending> {
  try {
    await work;
    return {};
  } catch (error) {
    return isAbort(error, signal) ? {} : { error };
  }
}
