/**
 * A store that is being filled. It has to be empty, or to hold only the objects of an unfinished transfer, which are
 * removed first. The steps:
 *
 * 1. `claim` refuses a target that holds anything else, and sets the marker.
 * 2. `add` writes objects in commits as large as a store allows. Each rewrites the marker, and only if it is still ours.
 * 3. `finish` reads everything back, compares count and digest with what was written, and removes the marker.
 *
 * If it ends in between, the marker stays, and the next `claim` starts over. No other client may use the target
 * meanwhile: a garbage collector, for example, would delete objects whose owners are not written yet.
 */
import { ApiError, isApiError } from '../api/errors.ts';
import { type Clock, timestampAt } from '../ports/clock.ts';
import { limits, type Revision, type Store, type Write } from '../store/contract.ts';
import { Digest } from './digest.ts';
import { encodeMarker, type IncompleteTransfer, markerBytesMax, markerKey, readMarker } from './marker.ts';
import type { TransferOptions, TransferProgress } from './progress.ts';
import { snapshot } from './snapshot.ts';
import { inspectTarget, type TargetOption } from './target-check.ts';

export interface ClaimOptions extends TransferOptions, TargetOption {
  readonly transfer: 'restore' | 'migration';
  readonly source: string;
  readonly clock: Clock;
  readonly objectsTotal?: number;
}

/** One write is for the marker. */
const batchObjectsMax = limits.commitWritesMax - 1;
const batchBytesMax = limits.commitBytesMax - markerBytesMax;

type Put = Extract<Write, { type: 'put' }>;

export class Target {
  readonly #store: Store;
  readonly #options: ClaimOptions;
  readonly #marker: Omit<IncompleteTransfer, 'objects' | 'writing'>;
  readonly #digest = new Digest();
  #markerRevision: Revision;
  /** In the store, without the batch. */
  #objects: number;
  #batch: Put[] = [];
  #batchBytes = 0;
  #added = 0;
  #addedBytes = 0;

  static async claim(store: Store, options: ClaimOptions): Promise<Target> {
    const objects = await inspectTarget(store, options);
    const target = new Target(store, options, (await readMarker(store))?.revision ?? 0, objects);
    await target.#commit([], objects);
    await target.#clear();
    return target;
  }

  private constructor(store: Store, options: ClaimOptions, markerRevision: Revision, objects: number) {
    const { transfer, source, clock } = options;
    this.#store = store;
    this.#options = options;
    this.#marker = { transfer, source, started: timestampAt(clock.now()) };
    this.#markerRevision = markerRevision;
    this.#objects = objects;
  }

  get objects(): number {
    return this.#added;
  }

  get bytes(): number {
    return this.#addedBytes;
  }

  /** Call it in ascending order of keys, once for each. Resolves when the next can be added. */
  async add(key: string, value: Uint8Array): Promise<void> {
    const sizeBytes = value.byteLength;
    const isFull = this.#batch.length === batchObjectsMax || this.#batchBytes + sizeBytes > batchBytesMax;
    if (isFull) await this.#flush();
    this.#digest.add(key, value);
    this.#added++;
    this.#addedBytes += sizeBytes;
    if (sizeBytes > batchBytesMax) return this.#addLarge(key, value);
    this.#batch.push({ type: 'put', key, value, expected: 0 });
    this.#batchBytes += sizeBytes;
  }

  /** Returns the target's revision. */
  async finish(): Promise<Revision> {
    await this.#flush();
    await this.#compare();
    this.#options.signal?.throwIfAborted();
    const removal: Write = { type: 'delete', key: markerKey, expected: this.#markerRevision };
    const outcome = await this.#store.commit([removal]);
    if (!outcome.committed) throw this.#conflict(outcome.key);
    return outcome.revision;
  }

  async #flush(): Promise<void> {
    const batch = this.#batch;
    if (batch.length === 0) return;
    this.#batch = [];
    this.#batchBytes = 0;
    try {
      await this.#commit(batch, this.#objects + batch.length);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // One of them cannot be stored here, and the error has to name it. Nothing of the batch was written.
      for (const put of batch) await this.#commitAlone(put);
    }
    this.#report('writing', this.#objects, this.#addedBytes);
  }

  async #commitAlone(put: Put): Promise<void> {
    try {
      await this.#commit([put], this.#objects + 1);
    } catch (error) {
      throw isRefusal(error) ? cannotHold(put.key, error) : error;
    }
  }

  /** Too large for a commit with the marker, so the marker names the object first. */
  async #addLarge(key: string, value: Uint8Array): Promise<void> {
    await this.#flush();
    await this.#commit([], this.#objects, key);
    const check: Write = { type: 'check', key: markerKey, expected: this.#markerRevision };
    try {
      const outcome = await this.#store.commit([check, { type: 'put', key, value, expected: 0 }]);
      if (!outcome.committed) throw this.#conflict(outcome.key);
    } catch (error) {
      throw isRefusal(error) ? cannotHold(key, error) : error;
    }
    this.#objects++;
    this.#report('writing', this.#objects, this.#addedBytes);
  }

  async #commit(writes: readonly Write[], objects: number, writing?: string): Promise<void> {
    this.#options.signal?.throwIfAborted();
    const value = encodeMarker({ ...this.#marker, objects, ...(writing === undefined ? {} : { writing }) });
    const marker: Write = { type: 'put', key: markerKey, value, expected: this.#markerRevision };
    const outcome = await this.#store.commit([marker, ...writes]);
    if (!outcome.committed) throw this.#conflict(outcome.key);
    this.#markerRevision = outcome.revision;
    this.#objects = objects;
  }

  async #clear(): Promise<void> {
    while (this.#objects > 0) {
      const { keys } = await this.#store.versions('', { limit: batchObjectsMax });
      const leftovers = keys.filter((key) => key !== markerKey);
      if (leftovers.length === 0) break;
      const left = Math.max(0, this.#objects - leftovers.length);
      await this.#commit(
        leftovers.map((key) => ({ type: 'delete', key })),
        left,
      );
      this.#report('clearing', left, 0);
    }
  }

  async #compare(): Promise<void> {
    const found = new Digest();
    let objects = 0;
    let bytes = 0;
    for await (const { entries } of snapshot(this.#store, this.#options)) {
      for (const { key, value } of entries) {
        if (key === markerKey) continue;
        found.add(key, value);
        objects++;
        bytes += value.byteLength;
      }
      this.#report('comparing', objects, bytes);
    }
    if (objects === this.#added && found.finish() === this.#digest.finish()) return;
    throw new ApiError('Conflict', {
      kind: 'Registry',
      name: 'target',
      reason:
        `it holds ${objects} objects, which are not the ${this.#added} that were written: ` +
        'another client is writing to it; stop it and start over',
    });
  }

  #conflict(key: string): ApiError {
    const reason =
      key === markerKey
        ? `another transfer has taken it over from this ${this.#options.transfer}`
        : `another client has written "${key}" to it; stop it and start over`;
    return new ApiError('Conflict', { kind: 'Registry', name: 'target', reason });
  }

  #report(phase: TransferProgress['phase'], objects: number, bytes: number): void {
    const { onProgress, objectsTotal } = this.#options;
    onProgress?.({ phase, objects, bytes, ...(objectsTotal === undefined ? {} : { objectsTotal }) });
  }
}

/** Whether the store will never accept it. Any other error may be temporary. */
function isRefusal(error: unknown): error is ApiError {
  return isApiError(error, 'BadRequest') || isApiError(error, 'TooLarge');
}

function cannotHold(key: string, error: ApiError): ApiError {
  return new ApiError('BadRequest', { reason: `the target cannot hold "${key}": ${error.message}` }, error);
}
