/**
 * Brings keys to a function that makes them true. A controller watches its kind (and others, mapped to its own), queues
 * the keys that changed, and calls `reconcile` for each, several at a time but never one key twice at once.
 *
 * A reconcile gets a key and why it was woken, never an object: it reads the newest itself, so a lost, late or doubled
 * event does no harm. It may be called again at any time, also for what is long gone.
 */
import { ApiError, isApiError } from '../api/errors.ts';
import type { ApiObject } from '../api/object.ts';
import { Informers } from '../informer/informers.ts';
import { type Log, type LogFields, silentLog } from '../ports/log.ts';
import type { Registry } from '../registry/contract.ts';
import { type QueueItem, WorkQueue } from '../workqueue/queue.ts';
import type {
  ControllerContext,
  ControllerObserver,
  ControllerOptions,
  ReconcileContext,
  Request,
} from './contract.ts';
import { Feed } from './feed.ts';
import { measure } from './measure.ts';
import { type Outcome, outcomeOf, outcomeOfError } from './outcome.ts';
import { SelfLoopDetector } from './self-loop.ts';
import type { Wake } from './source.ts';

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
  /** Of the reconciles in flight. */
  readonly #timeouts = new Set<AbortController>();
  /** Ends the run with an error. */
  #shutOut: (error: ApiError) => void = () => {};
  #queue: WorkQueue | undefined;
  #feed: Feed | undefined;
  #active = 0;

  constructor(options: ControllerOptions<Spec, Status, SpecInput, StatusInput>) {
    this.name = options.name;
    this.graceMs = options.graceMs ?? 4_000;
    this.#options = options;
    this.#log = options.log ?? silentLog;
    this.#timeoutMs = options.timeoutMs ?? 60_000;
    const { metrics, observer, workers = 1 } = options;
    this.#observer = observer ?? (metrics && measure(metrics, options.name, workers, () => this.#queue)) ?? {};
  }

  /** Nothing if it works, else why not (yet). */
  ready(): string | undefined {
    return this.#feed === undefined ? 'it is not running' : this.#feed.ready();
  }

  get queue(): WorkQueue | undefined {
    return this.#queue;
  }

  /**
   * Runs until the signal aborts, and then until what is in flight has ended; that is told to stop after a grace. Throws
   * `Fenced` when somebody else leads: nothing that it does counts any more.
   */
  async run(context: ControllerContext): Promise<void> {
    const { registry, signal, informers = new Informers({ registry, log: this.#log }) } = context;
    const { workers = 1, syncMsMax = Number.POSITIVE_INFINITY } = this.#options;
    const queue = new WorkQueue({
      ...this.#options.queue,
      clock: registry.clock,
      ...(this.#observer.queue && { observer: this.#observer.queue }),
    });
    const feed = new Feed(this.#options, registry, informers, {
      enqueue: (wake) => this.#enqueue(wake, queue),
      panicked: () => this.#observer.watchPanicked?.(),
    });
    this.#queue = queue;
    this.#feed = feed;
    const ending = new AbortController();
    let shutOut: ApiError | undefined;
    let cancelGrace = () => {};
    const end = (graceMs: number) => {
      if (ending.signal.aborted) return;
      ending.abort();
      void queue.shutDown();
      cancelGrace = registry.clock.after(graceMs, () => {
        for (const timeout of this.#timeouts) timeout.abort();
      });
    };
    const stop = () => end(this.graceMs);
    this.#shutOut = (error) => {
      shutOut = error;
      end(0);
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const feeding = feed.run(ending.signal);
    await feed.synced(ending.signal, syncMsMax).catch(this.#shutOut);
    await Promise.all(Array.from({ length: workers }, () => this.#work(queue, registry)));
    await queue.shutDown();
    await feeding;
    cancelGrace();
    signal.removeEventListener('abort', stop);
    this.#queue = undefined;
    this.#feed = undefined;
    if (shutOut) throw shutOut;
  }

  #enqueue({ key, reason, initial, version }: Wake, queue: WorkQueue): void {
    if (this.#loops.woken(key, version)) {
      const message = 'a reconcile keeps waking itself: each time it writes its own object anew';
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

  /** Resolves when the reconcile has ended or run out of time; the key stays in flight until it has really ended. */
  async #reconcile(item: QueueItem, queue: WorkQueue, registry: Registry): Promise<void> {
    const { clock, random } = registry;
    const { key, reason, attempt } = item;
    const place = registry.locate(key);
    if (!place) {
      queue.done(key);
      return;
    }
    const { namespace, name } = place;
    const fields = { controller: this.name, namespace, name, reconcileId: random.uuid(), reason, attempt };
    const startMs = clock.monotonicMs();
    let wrote = false;
    const observed = registry.observedBy({
      written: (version, keys) => {
        if (!keys.includes(key)) return;
        wrote = true;
        this.#loops.wrote(key, version);
      },
    });
    const timeout = new AbortController();
    this.#timeouts.add(timeout);
    const log: Log = { write: (level, message, more) => this.#log.write(level, message, { ...fields, ...more }) };
    const get = () => this.#newest({ key, namespace, name }, registry);
    const context = { get, registry: observed, signal: timeout.signal, log, reason, attempt };
    const ended = this.#call({ key, namespace, name }, context).then((outcome) => {
      this.#timeouts.delete(timeout);
      if (!wrote) this.#loops.rested(key);
      const late = timeout.signal.aborted ? this.#lateOutcome(outcome) : outcome;
      this.#conclude(item, late, queue, clock.monotonicMs() - startMs, fields);
    });
    const outOfTime = new Promise<void>((resolve) => {
      const cancel = clock.after(this.#timeoutMs, () => {
        log.write('warn', 'a reconcile takes too long and was told to stop', { timeoutMs: this.#timeoutMs });
        timeout.abort();
        resolve();
      });
      void ended.then(cancel);
    });
    await Promise.race([ended, outOfTime]);
  }

  async #newest({ key, namespace, name }: Request, registry: Registry): Promise<ApiObject<Spec, Status> | undefined> {
    const { kind } = this.#options;
    const seen = this.#feed?.versionOf(key);
    const stale = () =>
      new ApiError('Unavailable', { what: key, reason: `the store answers with less than revision ${seen}` });
    try {
      const object = await registry.resource(kind).get(name, { namespace });
      const version = object.metadata.resourceVersion;
      if (seen !== undefined && registry.isNewer(seen, version)) throw stale();
      // An old answer must not bring back what is gone: whoever believed it would make everything of it once more.
      return this.#feed?.isGone(key, version) ? undefined : object;
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
      // Gone, as the store says, though not as the informer says: one of them is behind. Believing the store could make
      // us forget an object that is there; if it is really gone, the informer hears of it in a moment.
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

  /** A reconcile that was told to stop has not done its work, whatever it says. */
  #lateOutcome(outcome: Outcome): Outcome {
    if (outcome.is !== 'success' && outcome.is !== 'requeue after') return outcome;
    const what = `the reconcile of ${this.name}`;
    return { is: 'error', error: new ApiError('Timeout', { what, timeoutMs: this.#timeoutMs }) };
  }

  #conclude({ key, priority }: QueueItem, outcome: Outcome, queue: WorkQueue, tookMs: number, fields: LogFields): void {
    const note: Record<string, unknown> = { ...fields, outcome: outcome.is, tookMs };
    switch (outcome.is) {
      case 'success':
        queue.forget(key);
        break;
      case 'requeue after':
        queue.forget(key);
        queue.add(key, { reason: 'requeued', afterMs: outcome.delayMs, priority });
        note['requeueAfterMs'] = outcome.delayMs;
        break;
      case 'conflict':
        // At once, the first time. One that does not end must not keep the process from everything else.
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
    if ('error' in outcome && isApiError(outcome.error, 'Fenced')) this.#shutOut(outcome.error);
    this.#observer.reconciled?.(outcome.is, tookMs);
    const failed = outcome.is === 'error' || outcome.is === 'terminal' || outcome.is === 'panic';
    this.#log.write(failed ? 'error' : 'debug', failed ? 'a reconcile failed' : 'reconciled', note);
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
