/**
 * A client that follows a resource as an informer does, over connections that are cut at random points, and compares
 * every event with those that the registry itself reports.
 */
import { type ListOptions, type Resource, sleep, systemClock } from '@ecsm/runtime';
import type { SeededRandom } from '@ecsm/runtime/simulation';
import { Gadget, type RunningServer, type WatchLine } from './server.kit.ts';
import { type OpenWatch, openWatch } from './wire.kit.ts';

const api = '/apis/example.io/v1';

export interface Scope {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

interface Seen {
  readonly type: string;
  readonly name: string;
  readonly version: number;
}

/** The events after a list, up to the version that was seen last. */
interface Stretch {
  readonly fromVersion: number;
  readonly seen: Seen[];
  toVersion: number;
}

const cutMsMax = 40;
const eventsMax = 12;

export class Watcher {
  readonly violations: string[] = [];
  readonly stretches: Stretch[] = [];
  /** Resource versions by key. */
  state = new Map<string, string>();
  connections = 0;
  bookmarks = 0;
  readonly #scope: Scope;
  readonly #lister: RunningServer;
  readonly #random: SeededRandom;
  #current: Stretch | undefined;
  #open: OpenWatch | undefined;
  #isStopped = false;

  constructor(lister: RunningServer, scope: Scope, random: SeededRandom) {
    this.#lister = lister;
    this.#scope = scope;
    this.#random = random;
  }

  get version(): number {
    return this.#current?.toVersion ?? 0;
  }

  /** Runs until `stop`. The server that `origin` returns may be another one for each connection. */
  async run(origin: () => Pick<RunningServer, 'url' | 'certificates'>): Promise<void> {
    while (!this.#isStopped) {
      const stretch = this.#current ?? (await this.#list());
      let left = this.#random.integer(1, eventsMax);
      const watch = openWatch(origin(), this.#path({ resourceVersion: String(stretch.toVersion) }), (line, code) => {
        if (code !== 200) this.violations.push(`watch answered ${code}`);
        this.#receive(stretch, line);
        left--;
        if (left === 0) watch.cut();
      });
      this.#open = watch;
      this.connections++;
      await watch.opened;
      // On a busy machine no event arrives within this time: every second connection is cut after some events only.
      const isCutByTime = this.connections % 2 === 0;
      const cancel = isCutByTime ? systemClock.after(this.#random.integer(0, cutMsMax), () => watch.cut()) : () => {};
      await watch.ended;
      cancel();
      // A server that is restarting refuses connections.
      await sleep(systemClock, 1);
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#open?.cut();
  }

  /** What a list returns now, as `state`. */
  async listed(): Promise<Map<string, string>> {
    return (await this.#read()).state;
  }

  /** Compares what was seen with the events of the registry. */
  check(expected: readonly Seen[]): void {
    for (const { fromVersion, toVersion, seen } of this.stretches) {
      const missing = expected.filter(({ version }) => version > fromVersion && version <= toVersion);
      if (JSON.stringify(seen) === JSON.stringify(missing)) continue;
      this.violations.push(`after ${fromVersion}: ${JSON.stringify(seen)} instead of ${JSON.stringify(missing)}`);
    }
  }

  async #list(): Promise<Stretch> {
    const { state, version } = await this.#read();
    this.state = state;
    const stretch = { fromVersion: version, toVersion: version, seen: [] };
    this.#current = stretch;
    this.stretches.push(stretch);
    return stretch;
  }

  async #read(): Promise<{ readonly state: Map<string, string>; readonly version: number }> {
    const { body } = await this.#lister.call('GET', this.#path());
    const items: WatchLine['object'][] = body.items;
    const state = new Map(items.map(({ metadata }) => [keyOf(metadata), String(metadata.resourceVersion)]));
    return { state, version: Number(body.metadata.resourceVersion) };
  }

  #receive(stretch: Stretch, { type, object }: WatchLine): void {
    if (type === 'ERROR') {
      if (object.code !== 410) this.violations.push(`ERROR ${object.code}: ${object.message}`);
      this.#current = undefined;
      return;
    }
    const version = Number(object.metadata.resourceVersion);
    if (type === 'BOOKMARK') {
      this.bookmarks++;
      if (version < stretch.toVersion) this.violations.push(`bookmark ${version} after ${stretch.toVersion}`);
      stretch.toVersion = version;
      return;
    }
    const name = keyOf(object.metadata);
    // Every commit of the test changes one object.
    if (version <= stretch.toVersion) this.violations.push(`${type} ${name} ${version} after ${stretch.toVersion}`);
    if (this.state.has(name) === (type === 'ADDED')) this.violations.push(`${type} ${name} at ${version}`);
    if (type === 'DELETED') this.state.delete(name);
    else this.state.set(name, String(version));
    stretch.seen.push({ type, name, version });
    stretch.toVersion = version;
  }

  #path(query: Readonly<Record<string, string>> | undefined = undefined): string {
    const { namespace, ...selectors } = this.#scope;
    const place = namespace === undefined ? '' : `/namespaces/${namespace}`;
    const watch = query && { watch: '1', allowWatchBookmarks: '1', ...query };
    return `${api}${place}/gadgets?${new URLSearchParams({ ...selectors, ...watch })}`;
  }
}

/** The events of the registry itself, without HTTP. */
export class Oracle {
  readonly events: Seen[] = [];
  version = 0;
  readonly #end = new AbortController();
  readonly #done: Promise<void>;

  constructor(registry: RunningServer['registry'], scope: Scope, fromVersion: string) {
    this.#done = this.#follow(registry.resource(Gadget), { ...scope }, fromVersion);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#done;
  }

  async #follow(gadgets: Pick<Resource<unknown, unknown>, 'watch'>, scope: ListOptions, from: string): Promise<void> {
    const { signal } = this.#end;
    for await (const batch of gadgets.watch({ ...scope, resourceVersion: from, progress: true, signal })) {
      for (const event of batch.events) {
        if (event.type === 'Problem') continue;
        const { metadata } = event.object;
        const version = Number(metadata.resourceVersion);
        this.events.push({ type: event.type.toUpperCase(), name: keyOf(metadata), version });
      }
      this.version = Number(batch.resourceVersion);
    }
  }
}

function keyOf({ namespace, name }: { readonly namespace?: string | undefined; readonly name: string }): string {
  return `${namespace}/${name}`;
}
