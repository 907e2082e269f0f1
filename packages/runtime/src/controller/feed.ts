/** What wakes a controller: an informer for each kind that it watches, and the keys that their changes concern. */
import type { Kind } from '../api/kind.ts';
import type { Informers, InformerUse } from '../informer/informers.ts';
import type { Change } from '../informer/versions.ts';
import { Backoff } from '../lib/backoff.ts';
import { aborted, unlessAborted, within } from '../manager/within.ts';
import { sleep } from '../ports/clock.ts';
import { type Log, silentLog } from '../ports/log.ts';
import type { Registry } from '../registry/contract.ts';
import type { Predicate } from './predicate.ts';
import { Source, type Wake, type Watch, WatchPanic } from './source.ts';

/** What a feed calls. */
export interface FeedHandlers {
  readonly enqueue: (wake: Wake) => void;
  /** An event was skipped because a predicate or a map function threw. */
  readonly panicked?: () => void;
}

export interface FeedOptions {
  readonly name: string;
  readonly kind: Kind;
  readonly watches?: readonly Watch[];
  readonly predicates?: readonly Predicate[];
  readonly namespace?: string;
  readonly log?: Log;
}

export class Feed {
  readonly #name: string;
  readonly #registry: Registry;
  readonly #log: Log;
  readonly #handlers: FeedHandlers;
  readonly #lines: readonly { readonly use: InformerUse; readonly source: Source }[];

  /** Starts the informers; `run` releases them. */
  constructor(options: FeedOptions, registry: Registry, informers: Informers, handlers: FeedHandlers) {
    const { name, kind: own, watches = [], predicates = [], namespace, log = silentLog } = options;
    this.#name = name;
    this.#registry = registry;
    this.#log = log;
    this.#handlers = handlers;
    const watched = [{ kind: own, predicates }, ...watches];
    // A kind that the registry does not know has to be refused before an informer has started.
    for (const { kind } of watched) registry.resource(kind);
    this.#lines = watched.map((watch) => {
      const use = informers.use(watch.kind, namespace);
      return { use, source: new Source(registry, own, watch, (key) => use.informer.versionOf(key)) };
    });
  }

  /** Nothing if everything has been listed, else what has not. */
  ready(): string | undefined {
    const waiting = this.#lines.map(({ use }) => use.informer).filter(({ hasSynced }) => !hasSynced);
    return waiting.length > 0 ? `it has not listed ${waiting.map(({ kind }) => kind.kind).join(', ')} yet` : undefined;
  }

  /** The newest version that was seen of a key of the controller's own kind. */
  versionOf(key: string): string | undefined {
    return this.#lines[0]?.use.informer.versionOf(key);
  }

  /** Whether an object of the controller's own kind, read at this version, is gone for certain. */
  isGone(key: string, version: string): boolean {
    return this.#lines[0]?.use.informer.isGone(key, version) ?? false;
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(
      this.#lines.map(async ({ use, source }) => {
        // One after another, so that a source sees changes in order.
        let turn: Promise<void> = Promise.resolve();
        const removeHandler = use.informer.addHandler((change) => {
          turn = turn.then(() => this.#wake(change, source, signal));
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
    const listed = unlessAborted(signal, Promise.all(this.#lines.map(({ use }) => use.informer.synced)));
    const what = `the first list of ${this.#lines.map(({ use }) => use.informer.kind.kind).join(', ')}`;
    await (timeoutMs === Number.POSITIVE_INFINITY
      ? listed
      : within(this.#registry.clock, timeoutMs, what, () => listed));
  }

  /**
   * The informer reports a change once, so a read that fails is retried until it succeeds. An exception of a predicate or
   * a map function is not: it would come again, and block every change behind it.
   */
  async #wake(change: Change, source: Source, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#registry;
    const backoff = new Backoff(random);
    while (!signal.aborted) {
      try {
        for (const wake of await source.wakes(change)) this.#handlers.enqueue(wake);
        return;
      } catch (error) {
        if (error instanceof WatchPanic) {
          this.#skip(change, error);
          return;
        }
        const delayMs = backoff.next();
        const fields = { controller: this.#name, key: change.key, delayMs, error: String(error) };
        this.#log.write('warn', 'a change could not be looked at; it will be tried again', fields);
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
