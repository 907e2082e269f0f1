/**
 * Reports the changes of a kind to handlers: it follows the watch of the registry, and compares versions with a list when
 * it starts, after `Expired`, and at each resync. Handlers get keys and the type of change, never an object: a consumer
 * reads the newest version itself.
 *
 *     listing ──▶ watching ──(Expired, or time to resync)──▶ listing
 *        │            │
 *        └─(failure)──┴──▶ backing off ──▶ listing or watching, where it was
 *
 *     any state ──(signal)──▶ stopped
 */
import { ApiError, isApiError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import { Backoff } from '../lib/backoff.ts';
import { type Clock, sleep } from '../ports/clock.ts';
import { type Log, silentLog } from '../ports/log.ts';
import type { Registry, Resource, VersionPage } from '../registry/contract.ts';
import { SharedReads } from './shared-reads.ts';
import { type Change, Versions } from './versions.ts';

export type InformerState = 'new' | 'listing' | 'watching' | 'backing off' | 'stopped';

export type ChangeHandler = (change: Change) => void;

export interface InformerOptions {
  readonly registry: Registry;
  readonly kind: Kind;
  /** Only this namespace. Default: all. */
  readonly namespace?: string;
  /**
   * Interval between comparisons with a full list of versions, jittered by a fifth. Default 10 minutes. Guards against
   * events that a store lost; costs one list of versions.
   */
  readonly resyncMs?: number;
  readonly log?: Log;
}

/** Versions in a page. */
const pageKeys = 10_000;
const resyncMsDefault = 600_000;
/** After this time, lists that are older than the observed changes are those of a restored store, and not of a late server. */
const staleMsMax = 60_000;

export class Informer {
  readonly kind: Kind;
  /** For handlers that read what has changed. */
  readonly reads = new SharedReads();
  readonly #resource: Resource<unknown, unknown, unknown, unknown>;
  readonly #namespace: { readonly namespace?: string };
  readonly #isNewer: Registry['isNewer'];
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #resyncMs: () => number;
  readonly #backoff: Backoff;
  readonly #versions: Versions;
  readonly #handlers = new Set<ChangeHandler>();
  /** Handlers have been called for everything up to this version. */
  #position: string | undefined;
  /** Set when a resync is due. Without a position, a list is needed in any case. */
  #mustList = false;
  /** Since when lists are older than the position. */
  #staleSinceMs: number | undefined;
  /** Ends the current watch. */
  #interrupt = () => {};
  #state: InformerState = 'new';
  /** Of the last list or watch that failed. */
  #error = '';
  #hasSynced = false;
  #resolveSynced = () => {};
  /** Resolves when the first list has been passed to every handler. */
  readonly synced = new Promise<void>((resolve) => {
    this.#resolveSynced = resolve;
  });

  constructor(options: InformerOptions) {
    const { registry, kind, namespace, resyncMs = resyncMsDefault } = options;
    this.kind = kind;
    this.#resource = registry.resource(kind);
    this.#namespace = namespace === undefined ? {} : { namespace };
    this.#isNewer = (version, than) => registry.isNewer(version, than);
    this.#versions = new Versions(this.#isNewer);
    this.#clock = registry.clock;
    this.#log = options.log ?? silentLog;
    this.#resyncMs = () => resyncMs * (0.9 + registry.random.next() / 5);
    this.#backoff = new Backoff(registry.random);
  }

  get state(): InformerState {
    return this.#state;
  }

  /** Why changes are not observed at present; undefined if they are. */
  get failure(): string | undefined {
    return this.#state === 'backing off' ? this.#error : undefined;
  }

  /** Whether the first list has been passed to every handler. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get size(): number {
    return this.#versions.size;
  }

  /** The newest observed version of a key. Returns undefined if there is no such object. */
  versionOf(key: string): string | undefined {
    return this.#versions.versionOf(key);
  }

  /**
   * Whether an object of this version is known to be deleted: all changes up to that version have been observed, and the
   * key does not exist. A read that returns such an object is stale.
   */
  isDeleted(key: string, version: string): boolean {
    if (this.#position === undefined || this.#versions.versionOf(key) !== undefined) return false;
    return !this.#isNewer(version, this.#position);
  }

  /** Calls the handler for all known objects, as initial, and then for changes. Returns a function that removes it. */
  addHandler(handler: ChangeHandler): () => void {
    for (const [key, version] of this.#versions.entries()) {
      this.#notify(handler, { type: 'added', key, version, relisted: true, initial: true });
    }
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  /** Runs until the signal aborts; failures are retried. */
  async run(signal: AbortSignal): Promise<void> {
    let cancelResync = () => {};
    while (!signal.aborted) {
      try {
        if (this.#position === undefined || this.#mustList) {
          cancelResync();
          this.#position = await this.#list();
          this.#mustList = false;
          this.#backoff.reset();
          cancelResync = this.#clock.after(this.#resyncMs(), () => {
            this.#mustList = true;
            this.#interrupt();
          });
          if (signal.aborted) break;
        }
        await this.#watch(this.#position, signal);
      } catch (error) {
        await this.#recover(error, signal);
      }
    }
    cancelResync();
    this.#state = 'stopped';
  }

  async #list(): Promise<string> {
    this.#state = 'listing';
    const pages: VersionPage[] = [];
    for (;;) {
      const token = pages.at(-1)?.continue;
      const from = token === undefined ? {} : { continue: token };
      const page = await this.#resource.versions({ ...this.#namespace, limit: pageKeys, ...from });
      this.#checkAge(page);
      pages.push(page);
      if (page.continue !== undefined) continue;
      this.#staleSinceMs = undefined;
      for (const change of this.#versions.compare(pages, !this.#hasSynced)) this.#notifyAll(change);
      this.#hasSynced = true;
      this.#resolveSynced();
      return page.resourceVersion;
    }
  }

  /** Throws if a list is older than the observed changes: it would undo them. */
  #checkAge({ resourceVersion }: VersionPage): void {
    if (this.#position === undefined || !this.#isNewer(this.#position, resourceVersion)) return;
    const nowMs = this.#clock.monotonicMs();
    this.#staleSinceMs ??= nowMs;
    if (nowMs - this.#staleSinceMs >= staleMsMax) return;
    throw new ApiError('Unavailable', {
      what: 'the store',
      reason: `stale list: older than version ${this.#position}`,
    });
  }

  /** Returns when a resync is due or the signal aborts. */
  async #watch(position: string, signal: AbortSignal): Promise<void> {
    this.#state = 'watching';
    const stop = new AbortController();
    // With a string as reason: without one, an error with its stack would be created each time.
    this.#interrupt = () => stop.abort('interrupted');
    signal.addEventListener('abort', this.#interrupt, { once: true });
    try {
      const from = { ...this.#namespace, resourceVersion: position, signal: stop.signal };
      for await (const batch of this.#resource.watchVersions(from)) {
        for (const change of this.#versions.observe(batch)) this.#notifyAll(change);
        this.#position = batch.resourceVersion;
        this.#backoff.reset();
      }
    } finally {
      signal.removeEventListener('abort', this.#interrupt);
      this.#interrupt = () => {};
    }
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    // The history does not reach back to our position: relist.
    if (isApiError(error, 'Expired')) this.#position = undefined;
    this.#state = 'backing off';
    const delayMs = this.#backoff.next();
    this.#error = error instanceof Error ? error.message : String(error);
    this.#log.write('warn', 'informer failed to list or watch; retrying', {
      kind: this.kind.kind,
      delayMs,
      error: this.#error,
    });
    await sleep(this.#clock, delayMs, signal);
  }

  #notifyAll(change: Change): void {
    for (const handler of this.#handlers) this.#notify(handler, change);
  }

  /** A handler that throws must neither stop the informer nor affect other handlers. */
  #notify(handler: ChangeHandler, change: Change): void {
    try {
      handler(change);
    } catch (error) {
      this.#log.write('error', 'informer handler failed', {
        kind: this.kind.kind,
        key: change.key,
        error: String(error),
      });
    }
  }
}
