/**
 * The registry: what people want and what was last seen of it, under the rules of the API, on any store.
 *
 * It adds to the store's promises: only valid objects are stored, a write names the version it was based on, a write
 * that changes nothing is not written, and a former leader's write is refused.
 */
import { ApiError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import { KindSet } from '../api/kind-set.ts';
import type { ApiObject } from '../api/object.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import { type Random, systemRandom } from '../ports/random.ts';
import type { Revision, Store, StoreProblem } from '../store/contract.ts';
import { parseRevision } from './codec.ts';
import { keyOf, locate, type Place } from './keys.ts';
import { Resource } from './resource.ts';
import { type CommitListener, type Fence, raiseFence, Writer } from './writer.ts';

export interface RegistryOptions {
  readonly store: Store;
  readonly kinds: Iterable<Kind> | KindSet;
  readonly clock?: Clock;
  readonly random?: Random;
}

export class Registry {
  readonly store: Store;
  readonly kinds: KindSet;
  readonly clock: Clock;
  readonly random: Random;
  readonly #writer: Writer;
  readonly #fence: Fence | undefined;

  constructor(options: RegistryOptions, fence?: Fence, listener?: CommitListener) {
    this.store = options.store;
    this.kinds = options.kinds instanceof KindSet ? options.kinds : new KindSet(options.kinds);
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? systemRandom;
    this.#fence = fence;
    this.#writer = new Writer(this.store, fence, listener);
  }

  /** The objects of one kind. */
  resource<Spec, Status, SpecInput, StatusInput>(
    kind: Kind<Spec, Status, SpecInput, StatusInput>,
  ): Resource<Spec, Status, SpecInput, StatusInput> {
    if (this.kinds.find(kind.apiVersion, kind.kind) === undefined) {
      throw new ApiError('BadRequest', {
        reason: `this registry was opened without the kind ${kind.kind} of ${kind.apiVersion}`,
      });
    }
    return new Resource(kind, { store: this.store, writer: this.#writer, clock: this.clock, random: this.random });
  }

  /** The kind and the object that a key of `versions` or `changes` stands for; nothing if it is no object of ours. */
  locate(key: string): Place | undefined {
    return locate(this.kinds, key);
  }

  /**
   * Shuts out every holder of an earlier epoch of this fence. With `holding`, only while that object (the lease that was
   * just acquired) is still at the version given; `Conflict` otherwise.
   */
  async raiseFence(name: string, holding?: ApiObject<unknown, unknown>): Promise<Fence> {
    return raiseFence(this.store, name, holding && this.#holding(holding));
  }

  /** The same registry for a leader: its writes are refused with `Fenced` once somebody raises the fence again. */
  fencedBy(fence: Fence): Registry {
    return new Registry(this, fence);
  }

  /**
   * Throws `Fenced` if somebody has raised the fence again. A registry without a fence has nothing to say. It is for what
   * a leader does outside the registry, just before it does it: what is under way by then cannot be called back.
   */
  async checkFence(): Promise<void> {
    await this.#writer.check();
  }

  /** The same registry, for somebody who wants to know what is written through it. */
  heardBy(listener: CommitListener): Registry {
    return new Registry(this, this.#fence, listener);
  }

  /** The newest revision: a watch from here sees only what is still to come. */
  async revision(): Promise<Revision> {
    return this.store.revision();
  }

  /** What is wrong with the place of the registry at the moment, for people to put right: refused files, for example. */
  problems(): readonly StoreProblem[] {
    return this.store.problems?.() ?? [];
  }

  async close(): Promise<void> {
    await this.store.close();
  }

  #holding({ apiVersion, kind, metadata }: ApiObject<unknown, unknown>): { key: string; revision: Revision } {
    const revision = parseRevision(metadata.resourceVersion);
    if (revision === undefined) {
      throw new ApiError('BadRequest', { reason: `"${metadata.resourceVersion}" is not a resourceVersion` });
    }
    return { key: keyOf(this.kinds.get(apiVersion, kind), metadata.namespace, metadata.name), revision };
  }
}
