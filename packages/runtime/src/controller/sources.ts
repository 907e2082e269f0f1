/** The sources of a controller: an informer for each kind that it watches, and the keys that their changes enqueue. */
import type { Kind } from '../api/kind.ts';
import type { ApiObject } from '../api/object.ts';
import type { Informers, InformerUse } from '../informer/informers.ts';
import type { Change } from '../informer/versions.ts';
import { Backoff } from '../lib/backoff.ts';
import { aborted, unlessAborted, within } from '../manager/within.ts';
import { sleep } from '../ports/clock.ts';
import { type Log, silentLog } from '../ports/log.ts';
import type { Registry } from '../registry/contract.ts';
import type { Predicate } from './predicate.ts';
import { type EnqueueRequest, type OwnWatch, Source, type Watch, WatchPanic } from './source.ts';

interface SourcesHandlers {
  readonly enqueue: (request: EnqueueRequest) => void;
  /** An event was skipped because a predicate or a map function threw. */
  readonly panicked?: () => void;
}

interface SourcesOptions {
  readonly name: string;
  readonly kind: Kind;
  readonly watches?: readonly (Watch | OwnWatch)[];
  readonly predicates?: readonly Predicate[];
  readonly namespace?: string;
  readonly log?: Log;
}

export class Sources {
  readonly #name: string;
  readonly #registry: Registry;
  readonly #log: Log;
  readonly #handlers: SourcesHandlers;
  readonly #watches: readonly { readonly use: InformerUse; readonly source: Source }[];

  /** Starts the informers; `run` releases them. */
  constructor(options: SourcesOptions, registry: Registry, informers: Informers, handlers: SourcesHandlers) {
    const { name, kind: own, watches = [], predicates = [], namespace, log = silentLog } = options;
    this.#name = name;
    this.#registry = registry;
    this.#log = log;
    this.#handlers = handlers;
    const isOwn = ({ map, mapName }: Watch | OwnWatch) => map === undefined && mapName === undefined;
    const ownDefault: readonly OwnWatch[] = watches.some(isOwn) ? [] : [{ kind: own, predicates }];
    // The first one is of the own kind: `versionOf` uses its informer.
    const watched = [...ownDefault, ...watches.filter(isOwn), ...watches.filter((watch) => !isOwn(watch))];
    // Throws for an unknown kind before any informer has started.
    for (const { kind } of watched) registry.resource(kind);
    this.#watches = watched.map((watch) => {
      const use = informers.use(watch.kind, namespace);
      return {
        use,
        source: new Source(registry, own, watch, use.informer, (key) => this.versionOf(key) !== undefined),
      };
    });
  }

  /** Returns undefined if all kinds have been listed and their changes are observed, otherwise what is missing and why. */
  ready(): string | undefined {
    const informers = this.#watches.map(({ use }) => use.informer);
    const waiting = informers.filter(({ hasSynced }) => !hasSynced);
    if (waiting.length > 0) return `waiting for the first list of ${waiting.map(({ kind }) => kind.kind).join(', ')}`;
    const failed = informers.find(({ failure }) => failure !== undefined);
    return failed && `changes of ${failed.kind.kind} are not observed: ${failed.failure}`;
  }

  /** The newest observed version of a key of the controller's own kind. */
  versionOf(key: string): string | undefined {
    return this.#watches[0]?.use.informer.versionOf(key);
  }

  /** The controller has written this object of its own kind. */
  wrote(key: string, object: ApiObject<unknown, unknown>): void {
    this.#watches[0]?.use.informer.reads.offer(key, object);
  }

  /** Whether an object of the controller's own kind, read at this version, is known to be deleted. */
  isDeleted(key: string, version: string): boolean {
    return this.#watches[0]?.use.informer.isDeleted(key, version) ?? false;
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(
      this.#watches.map(async ({ use, source }) => {
        // Sequentially, so that a source gets changes in order.
        let turn: Promise<void> = Promise.resolve();
        const removeHandler = use.informer.addHandler((change) => {
          turn = turn.then(() => this.#handle(change, source, signal));
        });
        await aborted(signal).promise;
        removeHandler();
        await use.release();
        await turn;
      }),
    );
  }

  /** Resolves when everything has been listed, or the signal aborts. Throws `Timeout`. */
  async synced(signal: AbortSignal, timeoutMs: number): Promise<void> {
    const listed = unlessAborted(signal, Promise.all(this.#watches.map(({ use }) => use.informer.synced)));
    const what = `the first list of ${this.#watches.map(({ use }) => use.informer.kind.kind).join(', ')}`;
    await (timeoutMs === Number.POSITIVE_INFINITY
      ? listed
      : within(this.#registry.clock, timeoutMs, what, () => listed));
  }

  /**
   * The informer reports a change once, so a failed read is retried until it succeeds. An exception of a predicate or a
   * map function is not retried: it would recur and block all later changes.
   */
  async #handle(change: Change, source: Source, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#registry;
    const backoff = new Backoff(random);
    while (!signal.aborted) {
      try {
        for (const request of await source.requests(change)) this.#handlers.enqueue(request);
        return;
      } catch (error) {
        if (error instanceof WatchPanic) {
          this.#skip(change, error);
          return;
        }
        const delayMs = backoff.next();
        const fields = { controller: this.#name, key: change.key, delayMs, error: String(error) };
        this.#log.write('warn', 'a changed object could not be read; retrying', fields);
        await sleep(clock, delayMs, signal);
      }
    }
  }

  #skip({ key, type, version }: Change, { source, cause }: WatchPanic): void {
    this.#handlers.panicked?.();
    this.#log.write('error', 'a predicate or map function threw; the event is skipped', {
      controller: this.#name,
      source,
      key,
      type,
      version,
      error: cause,
    });
  }
}
