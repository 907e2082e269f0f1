/** What wakes a controller: an informer for each kind that it watches, and the keys that their changes concern. */
import type { Kind } from '../api/kind.ts';
import { Backoff } from '../informer/backoff.ts';
import { Informer } from '../informer/informer.ts';
import type { Change } from '../informer/versions.ts';
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
  readonly resyncMs?: number;
  readonly log?: Log;
}

const syncPollMs = 5;

export class Feed {
  readonly #name: string;
  readonly #registry: Registry;
  readonly #log: Log;
  readonly #handlers: FeedHandlers;
  readonly #lines: readonly { readonly informer: Informer; readonly source: Source }[];

  constructor(options: FeedOptions, registry: Registry, handlers: FeedHandlers) {
    const { name, kind: own, watches = [], predicates = [], namespace, resyncMs, log = silentLog } = options;
    this.#name = name;
    this.#registry = registry;
    this.#log = log;
    this.#handlers = handlers;
    const scope = {
      ...(namespace === undefined ? {} : { namespace }),
      ...(resyncMs === undefined ? {} : { resyncMs }),
    };
    this.#lines = [{ kind: own, predicates }, ...watches].map((watch) => {
      const informer = new Informer({ registry, kind: watch.kind, log, ...scope });
      return { informer, source: new Source(registry, own, watch, (key) => informer.versionOf(key)) };
    });
  }

  /** Nothing if everything has been listed, else what has not. */
  ready(): string | undefined {
    const waiting = this.#lines.filter(({ informer }) => !informer.hasSynced).map(({ informer }) => informer.kind.kind);
    return waiting.length > 0 ? `it has not listed ${waiting.join(', ')} yet` : undefined;
  }

  /** The newest version that was seen of a key of the controller's own kind. */
  versionOf(key: string): string | undefined {
    return this.#lines[0]?.informer.versionOf(key);
  }

  /** Whether an object of the controller's own kind, read at this version, is gone for certain. */
  isGone(key: string, version: string): boolean {
    return this.#lines[0]?.informer.isGone(key, version) ?? false;
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(
      this.#lines.map(async ({ informer, source }) => {
        // One after another, so that a source sees changes in order.
        let turn: Promise<void> = Promise.resolve();
        informer.addHandler((change) => {
          turn = turn.then(() => this.#wake(change, source, signal));
        });
        await informer.run(signal);
        await turn;
      }),
    );
  }

  /** Resolves when everything has been listed, or the signal aborts. */
  async synced(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.ready() !== undefined) await sleep(this.#registry.clock, syncPollMs, signal);
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
