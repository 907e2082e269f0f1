/**
 * The in-process registry: the rules of the API on any store.
 *
 * It adds to the guarantees of the store: only valid objects are stored, a write names the version it was based on, a
 * write without a difference is not committed, and a former leader's write is rejected.
 */
import { ApiError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import { KindSet } from '../api/kind-set.ts';
import type { ApiObject } from '../api/object.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import { type Random, systemRandom } from '../ports/random.ts';
import type { Revision, Store, StoreProblem } from '../store/contract.ts';
import { revisionOf } from './codec.ts';
import type { Capabilities, Fence, Fencing, MultiKeyCommits, Registry, WriteObserver } from './contract.ts';
import { EmbeddedEncodedResource } from './encoded.ts';
import { collect, sweep } from './garbage.ts';
import { keyOf, locate, type Place } from './keys.ts';
import { EmbeddedResource } from './resource.ts';
import { SharedLogs } from './shared-log.ts';
import { raiseFence, Writer } from './writer.ts';

export interface EmbeddedRegistryOptions {
  readonly store: Store;
  readonly kinds: Iterable<Kind> | KindSet;
  readonly clock?: Clock;
  readonly random?: Random;
  /** The manager of writes that name none, to objects that have managers. Default `unknown`. */
  readonly manager?: string | undefined;
}

export class EmbeddedRegistry implements Registry, Fencing, MultiKeyCommits {
  readonly store: Store;
  readonly kinds: KindSet;
  readonly clock: Clock;
  readonly random: Random;
  readonly manager: string | undefined;
  readonly #logs: SharedLogs;
  readonly #unfenced: Writer;
  readonly #writer: Writer;
  readonly #fence: Fence | undefined;
  readonly #observers: readonly WriteObserver[];
  /** By kind: every read and write asks for one. */
  readonly #resources = new Map<object, unknown>();

  constructor(options: EmbeddedRegistryOptions, fence?: Fence, observers: readonly WriteObserver[] = []) {
    this.store = options.store;
    this.kinds = options.kinds instanceof KindSet ? options.kinds : new KindSet(options.kinds);
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? systemRandom;
    this.manager = options.manager;
    this.#logs = options instanceof EmbeddedRegistry ? options.#logs : new SharedLogs(this.store, this.clock);
    this.#fence = fence;
    this.#observers = observers;
    this.#unfenced = new Writer(this.store, observers);
    this.#writer = fence ? new Writer(this.store, observers, fence) : this.#unfenced;
  }

  get capabilities(): Capabilities {
    return {
      fencing: this,
      multiKey: this,
      encoded: { resource: (kind) => new EmbeddedEncodedResource(kind, this.store) },
      history: {
        newest: async () => String(await this.store.revision()),
        compact: (version) => this.#compact(revisionOf(version)),
      },
      storage: this.store,
      garbage: { collect: (options) => collect(this, options), sweep: (log) => sweep(this, log) },
    };
  }

  resource<Spec, Status, SpecInput, StatusInput>(
    kind: Kind<Spec, Status, SpecInput, StatusInput>,
  ): EmbeddedResource<Spec, Status, SpecInput, StatusInput> {
    const known = this.#resources.get(kind);
    // The resource under a kind was made for that kind.
    if (known !== undefined) return known as EmbeddedResource<Spec, Status, SpecInput, StatusInput>;
    if (this.kinds.find(kind.apiVersion, kind.kind) === undefined) {
      throw new ApiError('BadRequest', {
        reason: `this registry was opened without the kind ${kind.kind} of ${kind.apiVersion}`,
      });
    }
    const resource = new EmbeddedResource(kind, {
      store: this.store,
      logs: this.#logs,
      writer: this.#writer,
      clock: this.clock,
      random: this.random,
      manager: this.manager,
    });
    this.#resources.set(kind, resource);
    return resource;
  }

  locate(key: string): Place | undefined {
    return locate(this.kinds, key);
  }

  /** Decimal numbers without leading zeros: the longer one is higher, and those of equal length compare as strings. */
  isNewer(version: string, than: string): boolean {
    return version.length === than.length ? version > than : version.length > than.length;
  }

  async raiseFence(name: string, holding?: ApiObject<unknown, unknown>): Promise<Fence> {
    return raiseFence(this.#unfenced, name, holding && this.#holding(holding));
  }

  fencedBy(fence: Fence): EmbeddedRegistry {
    return new EmbeddedRegistry(this, fence, this.#observers);
  }

  async checkFence(): Promise<void> {
    await this.#writer.check();
  }

  observedBy(observer: WriteObserver): EmbeddedRegistry {
    return new EmbeddedRegistry(this, this.#fence, [...this.#observers, observer]);
  }

  /** The newest revision of the store. */
  async revision(): Promise<Revision> {
    return this.store.revision();
  }

  /** Current problems of the store that need an operator, for example rejected files. */
  problems(): readonly StoreProblem[] {
    return this.store.problems?.() ?? [];
  }

  async close(): Promise<void> {
    await this.store.close();
  }

  async #compact(revision: Revision): Promise<void> {
    await this.store.compact(revision);
    this.#logs.compact(revision);
  }

  #holding({ apiVersion, kind, metadata }: ApiObject<unknown, unknown>): { key: string; revision: Revision } {
    const key = keyOf(this.kinds.get(apiVersion, kind), metadata.namespace, metadata.name);
    return { key, revision: revisionOf(metadata.resourceVersion) };
  }
}
