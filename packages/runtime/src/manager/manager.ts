/**
 * Starts all parts of a process in order: the health server, then runnables that need no leader, then those that do. It
 * stops them in reverse and waits for their work in flight.
 *
 * With an election, runnables that need a leader start when the lease is acquired, stop when it is lost, and start again
 * when it is regained. Without one, as for a single process on an embedded store, they start immediately.
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
  /** Default: none; this process is the leader. */
  readonly election?: LeaderElection;
  /** Resync interval of the shared informers; see `InformerOptions`. Default 10 minutes. */
  readonly resyncMs?: number;
  /** Address of `/healthz`, `/readyz` and `/metrics`. Default: no health server. */
  readonly health?: HealthAddress;
  /** Default: a new one. */
  readonly metrics?: MetricRegistry;
  /** Checks of `/healthz`, in addition to `ping`. A failure means that the process should be restarted. */
  readonly healthChecks?: Checks;
  /** Checks of `/readyz`, in addition to those of the runnables. */
  readonly readyChecks?: Checks;
  /** Time limit of the whole shutdown. Default 30,000. Then all signals abort together, and `run` fails. */
  readonly stopMsMax?: number;
}

type ManagerState = 'new' | 'running' | 'stopping' | 'stopped';

export class Manager {
  readonly metrics: MetricRegistry;
  readonly #registry: Registry;
  readonly #informers: Informers;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #options: ManagerOptions;
  readonly #stopMsMax: number;
  readonly #runnables: Runnable[] = [];
  /** Aborts when the manager must end: its signal aborted, or a runnable failed. */
  readonly #end = new AbortController();
  #state: ManagerState = 'new';
  #failure: { readonly error: unknown } | undefined;
  #server: HealthServer | undefined;
  #leaderless: RunningGroup | undefined;
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

  /** The URL of the health server while it is listening. */
  get url(): string | undefined {
    return this.#server?.url;
  }

  /**
   * To be called before `run`. Runnables start in the order in which they were added. Throws `BadRequest` if the grace
   * period does not fit into the lease of the election.
   */
  add(runnable: Runnable): this {
    const { name, needsLeader = true, graceMs = 0 } = runnable;
    const { election } = this.#options;
    checkName(name);
    if (election && needsLeader) checkGrace(`"${name}"`, graceMs, election);
    if (this.#state !== 'new')
      throw new ApiError('BadRequest', { reason: `"${name}" cannot be added: the manager has already been started` });
    if (Object.hasOwn(this.#readyChecks(), name)) {
      throw new ApiError('AlreadyExists', { kind: 'Runnable or check', name });
    }
    this.#runnables.push(runnable);
    return this;
  }

  /**
   * Runs until the signal aborts or a runnable fails, then stops everything. Throws the first failure, or `Timeout` if a
   * runnable did not stop in time. A manager can run once.
   */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    if (this.#state !== 'new') throw new ApiError('BadRequest', { reason: 'a manager can run only once' });
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
    this.#log.write('info', 'health server listening', { url: this.#server.url });
  }

  async #work(): Promise<void> {
    if (this.#end.signal.aborted) return;
    const withoutLeader = this.#runnables.filter(({ needsLeader = true }) => !needsLeader);
    const context = { registry: this.#registry, informers: this.#informers };
    const leaderless = new RunningGroup(withoutLeader, context, (name, error) => this.#fail(name, error));
    this.#leaderless = leaderless;
    const electionEnd = new AbortController();
    const leading = this.#lead(electionEnd.signal).catch((error) => this.#fail('leader election', error));
    await aborted(this.#end.signal).promise;
    this.#state = 'stopping';
    this.#log.write('info', 'stopping', { stopMsMax: this.#stopMsMax });
    try {
      await within(this.#clock, this.#stopMsMax, 'stopping', async () => {
        // The lease is held until the leader's work has ended, so that it never overlaps with that of the next leader.
        await this.#leading?.stopInReverse();
        electionEnd.abort();
        await leading;
        await leaderless.stopInReverse();
      });
    } catch {
      const names = [...(this.#leading?.names ?? []), ...leaderless.names];
      void this.#leading?.stopAll();
      void leaderless.stopAll();
      electionEnd.abort();
      const what = names.length === 0 ? 'leader election' : names.join(', ');
      this.#fail(what, new ApiError('Timeout', { what: `${what} (stopping)`, timeoutMs: this.#stopMsMax }));
    }
  }

  async #lead(signal: AbortSignal): Promise<void> {
    const { election } = this.#options;
    const lead = (registry: Registry, leadSignal: AbortSignal) => this.#leadWith(registry, leadSignal);
    await (election ? election.run({ signal, lead }) : lead(this.#registry, signal));
  }

  /** Runs the runnables that need a leader until the lease is lost or `stopInReverse` has ended them. */
  async #leadWith(registry: Registry, signal: AbortSignal): Promise<void> {
    if (this.#end.signal.aborted) return;
    const fenced = new AbortController();
    let fence: unknown;
    const group = new RunningGroup(
      this.#runnables.filter(({ needsLeader = true }) => needsLeader),
      { registry, informers: this.#informers },
      (name, error, wasStopping) => {
        // There is another leader, and this runnable has noticed it before the election has.
        if (this.#options.election && isApiError(error, 'Fenced')) {
          fence = error;
          fenced.abort();
        } else if (wasStopping && !this.#end.signal.aborted) {
          this.#log.write('warn', 'a runnable failed while stopping after the lease was lost', { part: name, error });
        } else {
          this.#fail(name, error);
        }
      },
    );
    this.#leading = group;
    await Promise.race([aborted(signal).promise, aborted(fenced.signal).promise]);
    await group.stopAll();
    this.#leading = undefined;
    if (fence !== undefined) throw fence;
  }

  /** `run` throws the first failure; it stops all runnables. */
  #fail(name: string, error: unknown): void {
    this.#log.write('error', 'a runnable failed; stopping the manager', { part: name, error });
    this.#failure ??= { error };
    this.#end.abort();
  }

  #readyChecks(): Checks {
    const shutdown: Check = () => (this.#state === 'stopping' ? 'the manager is stopping' : undefined);
    const own = this.#runnables.map((runnable): [string, Check] => {
      const detail = () => (this.#groupOf(runnable) ? runnable.detail?.() : undefined);
      return [runnable.name, Object.assign(() => this.#readiness(runnable), { detail })];
    });
    return { shutdown, ...this.#options.readyChecks, ...Object.fromEntries(own) };
  }

  /** A candidate that waits for the lease is ready: it could take over at any time. */
  #readiness(runnable: Runnable): string | undefined {
    if (this.#groupOf(runnable)) return runnable.ready?.();
    return (runnable.needsLeader ?? true) && this.#options.election ? undefined : 'not started';
  }

  /** Undefined if it is not running. */
  #groupOf({ needsLeader = true }: Runnable) {
    return needsLeader ? this.#leading : this.#leaderless;
  }
}
