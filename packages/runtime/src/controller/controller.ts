/**
 * A controller watches its kind (and others, mapped to its own), enqueues the keys of changed objects, and calls
 * `reconcile` for each: several keys concurrently, but never one key twice at the same time.
 *
 * A reconcile gets a key and a reason, never an object: it reads the newest version itself, so a lost, late or duplicate
 * event does no harm. It may be called again at any time, also for an object that was deleted long ago.
 */
import { ApiError, isApiError } from '../api/errors.ts';
import type { ApiObject } from '../api/object.ts';
import { Informers } from '../informer/informers.ts';
import { isEnabled, type Log, type LogFields, silentLog } from '../ports/log.ts';
import type { Registry } from '../registry/contract.ts';
import { type QueueItem, WorkQueue } from '../workqueue/queue.ts';
import type {
  ControllerContext,
  ControllerObserver,
  ControllerOptions,
  ReconcileContext,
  Request,
} from './contract.ts';
import { measure } from './measure.ts';
import { type Outcome, outcomeOf, outcomeOfError } from './outcome.ts';
import { SelfLoopDetector } from './self-loop.ts';
import type { EnqueueRequest } from './source.ts';
import { Sources } from './sources.ts';

interface InFlight {
  /** Aborts the reconcile. */
  readonly timeout: AbortController;
  /** Whether it wrote its own object. */
  wrote: boolean;
}

export class Controller<Spec = unknown, Status = unknown, SpecInput = unknown, StatusInput = unknown> {
  readonly name: string;
  readonly graceMs: number;
  readonly #options: ControllerOptions<Spec, Status, SpecInput, StatusInput>;
  readonly #log: Log;
  readonly #timeoutMs: number;
  readonly #observer: ControllerObserver;
  readonly #loops = new SelfLoopDetector();
  /** Keys whose last reconcile ended in a conflict. */
  readonly #conflicted = new Set<string>();
  /** Key → its reconcile in flight. */
  readonly #inFlight = new Map<string, InFlight>();
  /** Ends the run with an error. */
  #fail: (error: ApiError) => void = () => {};
  #queue: WorkQueue | undefined;
  #sources: Sources | undefined;
  #active = 0;
  #runId = '';
  #reconciles = 0;

  constructor(options: ControllerOptions<Spec, Status, SpecInput, StatusInput>) {
    this.name = options.name;
    this.graceMs = options.graceMs ?? 4_000;
    this.#options = options;
    this.#log = options.log ?? silentLog;
    this.#timeoutMs = options.timeoutMs ?? 60_000;
    const { metrics, observer, workers = 1 } = options;
    this.#observer = observer ?? (metrics && measure(metrics, options.name, workers, () => this.#queue)) ?? {};
  }

  /** Returns undefined if it is ready, otherwise the reason why not. */
  ready(): string | undefined {
    return this.#sources === undefined ? 'not running' : this.#sources.ready();
  }

  get queue(): WorkQueue | undefined {
    return this.#queue;
  }

  /**
   * Runs until the signal aborts and the reconciles in flight have ended; their signals abort after `graceMs`. Throws
   * `Fenced` when another process has become the leader.
   */
  async run(context: ControllerContext): Promise<void> {
    const { registry, signal, informers = new Informers({ registry, log: this.#log }) } = context;
    const { workers = 1, syncMsMax = Number.POSITIVE_INFINITY } = this.#options;
    const queue = new WorkQueue({
      ...this.#options.queue,
      clock: registry.clock,
      ...(this.#observer.queue && { observer: this.#observer.queue }),
    });
    const sources = new Sources(this.#options, registry, informers, {
      enqueue: (request) => this.#enqueue(request, queue),
      panicked: () => this.#observer.watchPanicked?.(),
    });
    this.#queue = queue;
    this.#sources = sources;
    this.#runId = registry.random.uuid();
    const ending = new AbortController();
    let failure: ApiError | undefined;
    let cancelGrace = () => {};
    const end = (graceMs: number) => {
      if (ending.signal.aborted) return;
      ending.abort();
      void queue.shutDown();
      cancelGrace = registry.clock.after(graceMs, () => {
        for (const { timeout } of this.#inFlight.values()) timeout.abort();
      });
    };
    const stop = () => end(this.graceMs);
    this.#fail = (error) => {
      failure = error;
      end(0);
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const watching = sources.run(ending.signal);
    await sources.synced(ending.signal, syncMsMax).catch(this.#fail);
    const observed = registry.observedBy({ written: (...write) => this.#wrote(...write) });
    await Promise.all(Array.from({ length: workers }, () => this.#work(queue, observed)));
    await queue.shutDown();
    await watching;
    cancelGrace();
    signal.removeEventListener('abort', stop);
    this.#queue = undefined;
    this.#sources = undefined;
    if (failure) throw failure;
  }

  #enqueue({ key, reason, initial, version }: EnqueueRequest, queue: WorkQueue): void {
    if (this.#loops.enqueued(key, version)) {
      const message = 'reconcile keeps triggering itself: it writes its own object every time';
      this.#log.write('warn', message, { controller: this.name, key });
    }
    queue.add(key, { reason, priority: initial ? (this.#options.initialPriority ?? -10) : 0 });
  }

  async #work(queue: WorkQueue, registry: Registry): Promise<void> {
    for (let item = await queue.take(); item !== undefined; item = await queue.take()) {
      this.#observer.active?.(++this.#active);
      await this.#reconcile(item, queue, registry);
      this.#observer.active?.(--this.#active);
    }
  }

  /** Resolves when the reconcile has ended or timed out; the key stays in flight until it has actually ended. */
  async #reconcile(item: QueueItem, queue: WorkQueue, registry: Registry): Promise<void> {
    const { clock } = registry;
    const { key, reason, attempt } = item;
    // Not from chance: whether a line is logged must not change what a seeded program does.
    const reconcileId = `${this.#runId}-${++this.#reconciles}`;
    const place = registry.locate(key);
    if (!place) {
      queue.done(key);
      return;
    }
    const { namespace, name } = place;
    let known: LogFields | undefined;
    const fields = () => {
      known ??= { controller: this.name, namespace, name, reconcileId, reason, attempt };
      return known;
    };
    const startMs = clock.monotonicMs();
    const timeout = new AbortController();
    const inFlight: InFlight = { timeout, wrote: false };
    this.#inFlight.set(key, inFlight);
    const log: Log = {
      write: (level, message, more) => {
        if (isEnabled(this.#log, level)) this.#log.write(level, message, { ...fields(), ...more });
      },
      isEnabled: (level) => isEnabled(this.#log, level),
    };
    const get = () => this.#newest({ key, namespace, name }, registry);
    const context = { get, registry, signal: timeout.signal, log, reason, attempt };
    const ended = this.#call({ key, namespace, name }, context).then((outcome) => {
      this.#inFlight.delete(key);
      if (!inFlight.wrote) this.#loops.reset(key);
      const late = timeout.signal.aborted ? this.#lateOutcome(outcome) : outcome;
      this.#finish(item, late, queue, clock.monotonicMs() - startMs, fields);
    });
    const outOfTime = new Promise<void>((resolve) => {
      const cancel = clock.after(this.#timeoutMs, () => {
        log.write('warn', 'reconcile timed out; its signal was aborted', { timeoutMs: this.#timeoutMs });
        timeout.abort();
        resolve();
      });
      void ended.then(cancel);
    });
    await Promise.race([ended, outOfTime]);
  }

  /** A reconcile has written. What is written while its key is in flight counts as written by the reconcile of the key. */
  #wrote(version: string, keys: readonly string[], object?: ApiObject<unknown, unknown>): void {
    for (const key of keys) {
      const inFlight = this.#inFlight.get(key);
      if (inFlight === undefined) continue;
      inFlight.wrote = true;
      this.#loops.wrote(key, version);
      if (object !== undefined) this.#sources?.wrote(key, object);
    }
  }

  async #newest({ key, namespace, name }: Request, registry: Registry): Promise<ApiObject<Spec, Status> | undefined> {
    const { kind } = this.#options;
    const seen = this.#sources?.versionOf(key);
    const stale = () => new ApiError('Unavailable', { what: key, reason: `stale read: older than version ${seen}` });
    try {
      const object = await registry.resource(kind).get(name, { namespace });
      const version = object.metadata.resourceVersion;
      if (seen !== undefined && registry.isNewer(seen, version)) throw stale();
      // A stale read must not bring back a deleted object: the reconcile would recreate everything for it.
      return this.#sources?.isDeleted(key, version) ? undefined : object;
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
      // The store and the informer disagree: one of them is behind. Trusting the store could drop an object that exists;
      // if it was really deleted, the informer will report that soon.
      if (seen !== undefined) throw stale();
      return undefined;
    }
  }

  /** Never rejects. */
  async #call(request: Request, context: ReconcileContext<Spec, Status>): Promise<Outcome> {
    try {
      return outcomeOf(await this.#options.reconcile(request, context));
    } catch (error) {
      return outcomeOfError(error);
    }
  }

  /** The result of an aborted reconcile is not trusted. */
  #lateOutcome(outcome: Outcome): Outcome {
    if (outcome.is !== 'success' && outcome.is !== 'requeue after') return outcome;
    const what = `the reconcile of ${this.name}`;
    return { is: 'error', error: new ApiError('Timeout', { what, timeoutMs: this.#timeoutMs }) };
  }

  #finish(
    { key, priority }: QueueItem,
    outcome: Outcome,
    queue: WorkQueue,
    tookMs: number,
    fields: () => LogFields,
  ): void {
    const note: Record<string, unknown> = { outcome: outcome.is, tookMs };
    switch (outcome.is) {
      case 'success':
        queue.forget(key);
        break;
      case 'requeue after':
        queue.forget(key);
        queue.add(key, { reason: outcome.reason ?? 'requeued', afterMs: outcome.delayMs, priority });
        note['requeueAfterMs'] = outcome.delayMs;
        break;
      case 'conflict':
        // Without a delay, the first time. A conflict that persists must not starve everything else.
        if (this.#conflicted.has(key)) queue.retry(key, 'conflict');
        else queue.add(key, { reason: 'conflict', priority });
        this.#conflicted.add(key);
        break;
      case 'terminal':
        queue.forget(key);
        note['error'] = describe(outcome.error);
        break;
      default:
        note['retryAfterMs'] = queue.retry(key, 'retry');
        note['error'] = describe(outcome.error);
    }
    if (outcome.is !== 'conflict') this.#conflicted.delete(key);
    queue.done(key);
    if ('error' in outcome && isApiError(outcome.error, 'Fenced')) this.#fail(outcome.error);
    this.#observer.reconciled?.(outcome.is, tookMs);
    const failed = outcome.is === 'error' || outcome.is === 'terminal' || outcome.is === 'panic';
    const level = failed ? 'error' : 'debug';
    if (!isEnabled(this.#log, level)) return;
    this.#log.write(level, failed ? 'reconcile failed' : 'reconciled', { ...fields(), ...note });
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
