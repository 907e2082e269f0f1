/**
 * A read-only resource whose objects are derived from the platform. It reads the platform only while a client asks: a
 * list reads it unless it was just read, and watches poll it together for as long as there is one. While the platform
 * cannot be read, the last known objects are served.
 */
import {
  ApiError,
  type ApiObject,
  type Clock,
  type EventBatch,
  type Kind,
  type ListOptions,
  type Log,
  NAMESPACE_DEFAULT,
  type Namespaced,
  type ObjectList,
  type Resource,
  sleep,
  type WatchEvent,
  type WatchSelection,
} from '@ecsm/runtime';
import { type Change, Collection } from './collection.ts';
import { cursorOf, encodeCursor, type Matcher, matcherOf, versionOf } from './selection.ts';
import type { Reading, Source } from './source.ts';

export type ReadOnlyResource<Spec, Status> = Pick<Resource<Spec, Status>, 'get' | 'list' | 'watch'>;

interface ViewOptions<Spec, Status, Data> {
  readonly kind: Kind<Spec, Status>;
  readonly source: Source<Data>;
  readonly convert: (reading: Reading<Data>) => readonly ApiObject<Spec, Status>[];
  readonly clock: Clock;
  readonly log: Log;
}

/** Lists read the platform at most once in this time. */
export const listMs = 2_000;
/** Interval in which the platform is read while there are watches. */
export const pollMs = 5_000;
/** The interval is at least this many times the duration of a read, to leave the link to the operator. */
const durationFactor = 4;

export class View<Spec, Status, Data> implements ReadOnlyResource<Spec, Status> {
  readonly #options: ViewOptions<Spec, Status, Data>;
  readonly #objects: Collection<Spec, Status>;
  /** The reading that the objects were converted from. */
  #converted: Reading<Data> | undefined;
  #watches = 0;
  #stopPolling: () => void = () => {};
  readonly #waiting = new Set<() => void>();

  constructor(options: ViewOptions<Spec, Status, Data>) {
    this.#options = options;
    this.#objects = new Collection(options.clock);
  }

  /** Throws `NotFound`, or `Unavailable` if nothing is known. */
  async get(name: string, { namespace = NAMESPACE_DEFAULT }: Namespaced = {}): Promise<ApiObject<Spec, Status>> {
    await this.#refresh();
    const { kind } = this.#options;
    const object = this.#objects.get(kind.scope === 'Cluster' ? name : keyOf(namespace, name));
    if (object === undefined) throw new ApiError('NotFound', { kind: kind.kind, name });
    return object;
  }

  /** Throws `BadRequest`, `Expired`, or `Unavailable` if nothing is known. */
  async list(options: ListOptions = {}): Promise<ObjectList<Spec, Status>> {
    const matches = matcherOf(this.#options.kind, options);
    const cursor = cursorOf(options);
    if (cursor === undefined) await this.#refresh();
    const { version, after } = cursor ?? { version: this.#objects.version, after: '' };
    const items: ApiObject<Spec, Status>[] = [];
    const resourceVersion = String(version);
    let last = after;
    for (const [key, object] of this.#objects.at(version)) {
      if (key <= after || !matches(object)) continue;
      if (items.length === options.limit) {
        return { items, resourceVersion, problems: [], continue: encodeCursor({ version, after: last }) };
      }
      items.push(object);
      last = key;
    }
    return { items, resourceVersion, problems: [] };
  }

  /** Throws `BadRequest`, or `Expired` for a version that is not known, or not any more. */
  async *watch(options: WatchSelection): AsyncGenerator<EventBatch<Spec, Status>, void, undefined> {
    const matches = matcherOf(this.#options.kind, options);
    let version = versionOf(options.resourceVersion);
    this.#watchStarts();
    try {
      while (options.signal?.aborted !== true) {
        const changes = this.#objects.changesAfter(version);
        if (changes.length === 0) {
          await this.#nextChange(options.signal);
          continue;
        }
        version = this.#objects.version;
        const events = changes.flatMap((change) => eventOf(change, matches));
        if (events.length > 0 || options.progress === true) yield { resourceVersion: String(version), events };
      }
    } finally {
      this.#watchEnds();
    }
  }

  async #refresh(): Promise<void> {
    const { kind, source } = this.#options;
    await source.read(listMs);
    this.#convert();
    if (source.reading !== undefined) return;
    const reason = `nothing was read from the platform yet: ${source.failureReason ?? 'no reason given'}`;
    throw new ApiError('Unavailable', { what: `the list of ${kind.plural}`, reason });
  }

  /** Brings the objects up to date with the source, and wakes the watches. */
  #convert(): void {
    const { source, convert } = this.#options;
    const { reading } = source;
    if (reading === undefined || reading === this.#converted) return;
    this.#converted = reading;
    const objects = convert(reading).map(
      (object) => [keyOf(object.metadata.namespace, object.metadata.name), object] as const,
    );
    if (!this.#objects.replace(new Map(objects))) return;
    for (const resolve of [...this.#waiting]) resolve();
  }

  #watchStarts(): void {
    this.#watches++;
    if (this.#watches > 1) return;
    const stop = new AbortController();
    // Another view may read the shared source.
    const stopListening = this.#options.source.onRead(() => this.#convert());
    this.#stopPolling = () => {
      stop.abort();
      stopListening();
    };
    void this.#poll(stop.signal);
  }

  #watchEnds(): void {
    this.#watches--;
    if (this.#watches === 0) this.#stopPolling();
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { clock, source, kind, log } = this.#options;
    while (!signal.aborted) {
      const startMs = clock.monotonicMs();
      try {
        await source.read(pollMs);
        this.#convert();
      } catch (error) {
        log.write('error', 'reading the platform for a watch failed; retrying', {
          kind: kind.kind,
          error: String(error),
        });
      }
      const durationMs = clock.monotonicMs() - startMs;
      await sleep(clock, Math.max(pollMs, durationMs * durationFactor), signal);
    }
  }

  #nextChange(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal?.addEventListener('abort', done, { once: true });
    });
  }
}

/** With a selector, an object that starts to match is Added, and one that ceases to match is Deleted. */
function eventOf<Spec, Status>(
  { version, before, after }: Change<ApiObject<Spec, Status>>,
  matches: Matcher,
): WatchEvent<Spec, Status>[] {
  const matchedBefore = before !== undefined && matches(before);
  if (after !== undefined && matches(after)) return [{ type: matchedBefore ? 'Modified' : 'Added', object: after }];
  if (!matchedBefore) return [];
  const resourceVersion = String(version);
  return [{ type: 'Deleted', object: { ...before, metadata: { ...before.metadata, resourceVersion } } }];
}

/** Lists are in the order of keys. */
function keyOf(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
