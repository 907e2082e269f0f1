/**
 * Runs everything of a process, in order: first the health server, then what needs no leader, then what does; and ends
 * it in reverse, waiting for what is in flight.
 *
 * With an election, what needs a leader starts when the lease is won, stops when it is lost, and starts again when it is
 * regained. Without one, as for a single process on an embedded store, it starts at once.
 */
import { ApiError, isApiError } from '../api/errors.ts';
import { Informers } from '../informer/informers.ts';
import type { Clock } from '../ports/clock.ts';
import { type Log, silentLog } from '../ports/log.ts';
import type { Registry } from '../registry/contract.ts';
import { type Check, type Checks, checkName } from './checks.ts';
import type { LeaderElection } from './election.ts';
import { checkGrace } from './election-times.ts';
import { type HealthAddress, HealthServer } from './health.ts';
import { MetricRegistry } from './metrics.ts';
import { type Runnable, RunningGroup } from './runnable.ts';
import { standardMetrics } from './standard-metrics.ts';
import { aborted, within } from './within.ts';

export interface ManagerOptions {
  readonly registry: Registry;
  /** Default: the registry's. */
  readonly clock?: Clock;
  readonly log?: Log;
  /** Default: none; this process leads. */
  readonly election?: LeaderElection;
  /** Of the informers that everything it runs shares; see the informer. Default 10 minutes. */
  readonly resyncMs?: number;
  /** Where `/healthz`, `/readyz` and `/metrics` are served. Default: nowhere. */
  readonly health?: HealthAddress;
  /** Default: a new one. */
  readonly metrics?: MetricRegistry;
  /** Named reasons to be restarted, beside `ping`. */
  readonly healthChecks?: Checks;
  /** Named reasons to get no work, beside those of the runnables. */
  readonly readyChecks?: Checks;
  /** How long stopping may take in all. Default 30,000. After that all are told to stop at once, and `run` fails. */
  readonly stopMsMax?: number;
}

export type ManagerState = 'new' | 'running' | 'stopping' | 'stopped';

export class Manager {
  readonly metrics: MetricRegistry;
  readonly #registry: Registry;
  readonly #informers: Informers;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #options: ManagerOptions;
  readonly #stopMsMax: number;
  readonly #runnables: Runnable[] = [];
  /** Aborts when the manager has to end, because it was asked to or because something failed. */
  readonly #end = new AbortController();
  #state: ManagerState = 'new';
  #failure: { readonly error: unknown } | undefined;
  #server: HealthServer | undefined;
  #free: RunningGroup | undefined;
  #leading: RunningGroup | undefined;

  constructor(options: ManagerOptions) {
    this.#options = options;
    this.#registry = options.registry;
    this.#clock = options.clock ?? options.registry.clock;
    this.#log = options.log ?? silentLog;
    const { registry, resyncMs } = options;
    this.#informers = new Informers({ registry, log: this.#log, ...(resyncMs === undefined ? {} : { resyncMs }) });
    this.#stopMsMax = options.stopMsMax ?? 30_000;
    this.metrics = options.metrics ?? new MetricRegistry();
    for (const name of Object.keys({ ...options.healthChecks, ...options.readyChecks })) checkName(name);
    const { election } = options;
    if (election)
      standardMetrics(this.metrics)
        .leader(election.name)
        .read(() => Number(election.isLeader));
  }

  get state(): ManagerState {
    return this.#state;
  }

  /** Of the health server, while it listens. */
  get url(): string | undefined {
    return this.#server?.url;
  }

  /**
   * To be called before `run`. The order is the order of start. `BadRequest` if its grace does not fit into the lease of
   * the election.
   */
  add(runnable: Runnable): this {
    const { name, needsLeader = true, graceMs = 0 } = runnable;
    const { election } = this.#options;
    checkName(name);
    if (election && needsLeader) checkGrace(`"${name}"`, graceMs, election);
    if (this.#state !== 'new')
      throw new ApiError('BadRequest', { reason: `"${name}" comes too late: the manager runs` });
    if (Object.hasOwn(this.#readyChecks(), name)) {
      throw new ApiError('AlreadyExists', { kind: 'Runnable or check', name });
    }
    this.#runnables.push(runnable);
    return this;
  }

  /**
   * Runs until the signal aborts or something fails, then stops everything, and only then ends: with the first failure,
   * or with `Timeout` if something could not be stopped. A manager runs once.
   */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    if (this.#state !== 'new') throw new ApiError('BadRequest', { reason: 'a manager runs once' });
    this.#state = 'running';
    const stop = () => this.#end.abort();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      await this.#listen();
      await this.#work();
    } finally {
      signal.removeEventListener('abort', stop);
      await this.#server?.close();
      this.#server = undefined;
      this.#state = 'stopped';
    }
    if (this.#failure) throw this.#failure.error;
  }

  async #listen(): Promise<void> {
    const { health } = this.#options;
    if (!health) return;
    this.#server = await HealthServer.listen({
      ...health,
      clock: this.#clock,
      metrics: this.metrics,
      health: () => ({ ping: () => undefined, ...this.#options.healthChecks }),
      ready: () => this.#readyChecks(),
    });
    this.#log.write('info', 'the health server listens', { url: this.#server.url });
  }

  async #work(): Promise<void> {
    if (this.#end.signal.aborted) return;
    const withoutLeader = this.#runnables.filter(({ needsLeader = true }) => !needsLeader);
    const context = { registry: this.#registry, informers: this.#informers };
    const free = new RunningGroup(withoutLeader, context, (name, error) => this.#fail(name, error));
    this.#free = free;
    const electionEnd = new AbortController();
    const leading = this.#lead(electionEnd.signal).catch((error) => this.#fail('leader election', error));
    await aborted(this.#end.signal).promise;
    this.#state = 'stopping';
    this.#log.write('info', 'stopping', { stopMsMax: this.#stopMsMax });
    try {
      await within(this.#clock, this.#stopMsMax, 'stopping', async () => {
        // The lease is held until the leader's work has ended, so that the next leader does not meet it.
        await this.#leading?.stopInReverse();
        electionEnd.abort();
        await leading;
        await free.stopInReverse();
      });
    } catch {
      const names = [...(this.#leading?.names ?? []), ...free.names];
      void this.#leading?.stopAtOnce();
      void free.stopAtOnce();
      electionEnd.abort();
      const what = names.length === 0 ? 'leader election' : names.join(', ');
      this.#fail(what, new ApiError('Timeout', { what: `${what}, told to stop,`, timeoutMs: this.#stopMsMax }));
    }
  }

  async #lead(signal: AbortSignal): Promise<void> {
    const { election } = this.#options;
    const lead = (registry: Registry, leadSignal: AbortSignal) => this.#leadWith(registry, leadSignal);
    await (election ? election.run({ signal, lead }) : lead(this.#registry, signal));
  }

  /** Runs what needs a leader until the lease is lost or `stopInReverse` has ended it. */
  async #leadWith(registry: Registry, signal: AbortSignal): Promise<void> {
    if (this.#end.signal.aborted) return;
    const fenced = new AbortController();
    let fence: unknown;
    const group = new RunningGroup(
      this.#runnables.filter(({ needsLeader = true }) => needsLeader),
      { registry, informers: this.#informers },
      (name, error, asked) => {
        // Somebody else leads, and this one has noticed it before the election has.
        if (this.#options.election && isApiError(error, 'Fenced')) {
          fence = error;
          fenced.abort();
        } else if (asked && !this.#end.signal.aborted) {
          this.#log.write('warn', 'a part has failed while it stopped for want of the lease', { part: name, error });
        } else {
          this.#fail(name, error);
        }
      },
    );
    this.#leading = group;
    await Promise.race([aborted(signal).promise, aborted(fenced.signal).promise]);
    await group.stopAtOnce();
    this.#leading = undefined;
    if (fence !== undefined) throw fence;
  }

  /** The first failure is what `run` ends with; it makes the others stop. */
  #fail(name: string, error: unknown): void {
    this.#log.write('error', 'a part has failed, so the manager ends', { part: name, error });
    this.#failure ??= { error };
    this.#end.abort();
  }

  #readyChecks(): Checks {
    const shutdown: Check = () => (this.#state === 'stopping' ? 'the manager is stopping' : undefined);
    const own = this.#runnables.map((runnable): [string, Check] => [runnable.name, () => this.#readiness(runnable)]);
    return { shutdown, ...this.#options.readyChecks, ...Object.fromEntries(own) };
  }

  /** Who waits for the lease is ready: it could take over at any time. */
  #readiness(runnable: Runnable): string | undefined {
    const needsLeader = runnable.needsLeader ?? true;
    const group = needsLeader ? this.#leading : this.#free;
    if (group) return runnable.ready?.();
    return needsLeader && this.#options.election ? undefined : 'it has not been started';
  }
}
