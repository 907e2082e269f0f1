/**
 * Tells handlers which objects of a kind changed, reliably and cheaply: it follows the store's watch, and compares
 * versions with a list when it starts, when it fell behind, and every now and then. Handlers get keys and the kind of
 * change, never an object: who wants to act reads the newest first.
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
import { type Change, Versions } from './versions.ts';

export type InformerState = 'new' | 'listing' | 'watching' | 'backing off' | 'stopped';

export type ChangeHandler = (change: Change) => void;

export interface InformerOptions {
  readonly registry: Registry;
  readonly kind: Kind;
  /** Only this namespace. Default: all. */
  readonly namespace?: string;
  /**
   * How often to compare with a full list of versions even if nothing seems wrong, jittered by a fifth. Default 10
   * minutes. Guards against events that a store lost; costs one list of versions.
   */
  readonly resyncMs?: number;
  readonly log?: Log;
}

/** Versions read at a time. */
const pageKeys = 10_000;
const resyncMsDefault = 600_000;

export class Informer {
  readonly kind: Kind;
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
  /** Set when it is time to resync. Without a position, a list is needed anyway. */
  #mustList = false;
  /** Ends the watch that is under way. */
  #interrupt = () => {};
  #state: InformerState = 'new';
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

  /** Whether the first list has been told to every handler. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get size(): number {
    return this.#versions.size;
  }

  /** The newest version of a key that it has seen; undefined if it knows of no such object. */
  versionOf(key: string): string | undefined {
    return this.#versions.versionOf(key);
  }

  /**
   * Whether an object of this version was deleted for certain: all changes up to that version have been seen, and the key
   * is not known. A read that returns such an object is stale.
   */
  isGone(key: string, version: string): boolean {
    if (this.#position === undefined || this.#versions.versionOf(key) !== undefined) return false;
    return !this.#isNewer(version, this.#position);
  }

  /** A handler that comes late is told of everything that is there, as initial. Returns a function that removes it. */
  addHandler(handler: ChangeHandler): () => void {
    for (const [key, version] of this.#versions.entries()) {
      this.#tell(handler, { type: 'added', key, version, relisted: true, initial: true });
    }
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  /** Runs until the signal aborts; whatever fails meanwhile is tried again. */
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
      // A list that is older than what was seen already would take back what is true.
      if (this.#position !== undefined && this.#isNewer(this.#position, page.resourceVersion)) {
        throw new ApiError('Unavailable', { what: 'the store', reason: `it is behind revision ${this.#position}` });
      }
      pages.push(page);
      if (page.continue !== undefined) continue;
      for (const change of this.#versions.compare(pages, !this.#hasSynced)) this.#tellAll(change);
      this.#hasSynced = true;
      this.#resolveSynced();
      return page.resourceVersion;
    }
  }

  /** Returns when it is time to resync or the signal aborts. */
  async #watch(position: string, signal: AbortSignal): Promise<void> {
    this.#state = 'watching';
    const stop = new AbortController();
    // With a reason of our own: without one an error with its stack would be made each time.
    this.#interrupt = () => stop.abort('interrupted');
    signal.addEventListener('abort', this.#interrupt, { once: true });
    try {
      const from = { ...this.#namespace, resourceVersion: position, signal: stop.signal };
      for await (const batch of this.#resource.watchVersions(from)) {
        for (const change of this.#versions.observe(batch)) this.#tellAll(change);
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
    // The history does not reach back to where we were: only a list can tell what happened since.
    if (isApiError(error, 'Expired')) this.#position = undefined;
    this.#state = 'backing off';
    const delayMs = this.#backoff.next();
    const message = error instanceof Error ? error.message : String(error);
    this.#log.write('warn', 'an informer lost its store and will try again', {
      kind: this.kind.kind,
      delayMs,
      error: message,
    });
    await sleep(this.#clock, delayMs, signal);
  }

  #tellAll(change: Change): void {
    for (const handler of this.#handlers) this.#tell(handler, change);
  }

  /** A handler that throws must neither stop the informer nor keep the others from hearing. */
  #tell(handler: ChangeHandler, change: Change): void {
    try {
      handler(change);
    } catch (error) {
      this.#log.write('error', 'a handler of an informer failed', {
        kind: this.kind.kind,
        key: change.key,
        error: String(error),
      });
    }
  }
}
