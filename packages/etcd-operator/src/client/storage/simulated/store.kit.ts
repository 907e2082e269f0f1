/**
 * A store of backups in memory, on the injected clock, with faults: for tests and for the simulation, where `link.kit.ts`
 * makes effects of its calls. Without faults it passes the suite of the contract.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '@ecsm/runtime';
import type { BackupStorageClient, StorageErrorCode, StoredObject } from '../contract.ts';
import { StorageError } from '../error.ts';
import { SimulatedClient } from './client.kit.ts';

export type StorageOperation = 'put' | 'head' | 'get' | 'list' | 'delete';

export type StorageFault =
  /** It is carried out, and then fails. */
  | { readonly type: 'lostAnswer'; readonly code?: 'Timeout' | 'Unavailable' }
  /** It fails, and nothing is carried out. */
  | { readonly type: 'refused'; readonly code: StorageErrorCode }
  /** A put fails after some bytes; the stream of a get ends early. */
  | { readonly type: 'halfWay'; readonly afterBytes: number }
  /** It is carried out later. */
  | { readonly type: 'slow'; readonly delayMs: number }
  /** A list is answered from the state of so many changes ago. */
  | { readonly type: 'stale'; readonly changes: number }
  /** A get returns other bytes than are stored: one bit of the byte at the offset is flipped. */
  | { readonly type: 'damaged'; readonly offset: number };

interface InjectedFault {
  /** Default: any. */
  readonly operation?: StorageOperation;
  /** Of keys in the store, with the path; for lists, of the prefix. Default: any. */
  readonly matches?: (key: string) => boolean;
  /** Default: 1. */
  readonly times?: number;
  readonly fault: StorageFault;
}

interface SimulatedObject {
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly modifiedAtMs: number;
}

/** A call that has arrived. */
interface StorageCall {
  readonly operation: StorageOperation;
  readonly key: string;
  readonly atMs: number;
}

type State = ReadonlyMap<string, SimulatedObject>;

/** States that lists may be answered from. */
const statesMax = 64;

export class SimulatedStorage {
  readonly clock: Clock;
  /** Puts that would need more fail with `Full`. */
  capacityBytes = Number.POSITIVE_INFINITY;
  /** All calls fail with this code, such as `Denied`, `Expired`, `NoBucket` or `Unavailable`. */
  failure: StorageErrorCode | undefined;
  /** Lists are answered from the state of so long ago. */
  listLagMs = 0;
  /** In order of arrival. */
  readonly calls: StorageCall[] = [];
  readonly #faults: { readonly injected: InjectedFault; times: number }[] = [];
  #states: { readonly atMs: number; readonly objects: State }[];

  constructor(clock: Clock) {
    this.clock = clock;
    this.#states = [{ atMs: clock.now(), objects: new Map() }];
  }

  /** By key, with the path: for oracles. */
  get objects(): State {
    return this.#states.at(-1)?.objects ?? new Map();
  }

  open(path?: string): BackupStorageClient {
    return new SimulatedClient(this, path);
  }

  /** The oldest injected fault that matches a call is used for it. */
  inject(injected: InjectedFault): void {
    this.#faults.push({ injected, times: injected.times ?? 1 });
  }

  /** Puts an object there without a call, such as one of a stranger, or damages one. */
  plant(key: string, bytes: Uint8Array | string): void {
    const content = Buffer.from(bytes);
    this.#change((objects) => objects.set(key, this.#object(content)));
  }

  remove(key: string): void {
    if (this.objects.has(key)) this.#change((objects) => objects.delete(key));
  }

  /** For clients. Returns the fault of the call, and throws if all calls fail. */
  arrive(operation: StorageOperation, key: string): StorageFault | undefined {
    this.calls.push({ operation, key, atMs: this.clock.now() });
    if (this.failure !== undefined) throw new StorageError(this.failure, `the simulated store: ${this.failure}`);
    const index = this.#faults.findIndex(
      ({ injected: { operation: only, matches } }) => (only ?? operation) === operation && (matches?.(key) ?? true),
    );
    const found = this.#faults[index];
    if (!found) return undefined;
    found.times--;
    if (found.times <= 0) this.#faults.splice(index, 1);
    return found.injected.fault;
  }

  /** For clients. */
  create(key: string, bytes: Uint8Array): SimulatedObject {
    if (this.objects.has(key)) throw new StorageError('AlreadyExists', `the simulated store: ${key} exists already`);
    const usedBytes = [...this.objects.values()].reduce((sum, object) => sum + object.bytes.byteLength, 0);
    if (usedBytes + bytes.byteLength > this.capacityBytes)
      throw new StorageError('Full', 'the simulated store is full');
    const object = this.#object(bytes);
    this.#change((objects) => objects.set(key, object));
    return object;
  }

  /** As of some changes ago, and in any case as of `listLagMs` ago. */
  list(prefix: string, changesAgo = 0): readonly StoredObject[] {
    const latestMs = this.clock.now() - this.listLagMs;
    const visible = this.#states.filter(({ atMs }, index) => index === 0 || atMs <= latestMs);
    const { objects } = visible[Math.max(0, visible.length - 1 - changesAgo)] ?? { objects: this.objects };
    return [...objects]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, { bytes, modifiedAtMs }]) => ({ key, sizeBytes: bytes.byteLength, modifiedAtMs }));
  }

  #object(bytes: Uint8Array): SimulatedObject {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { bytes, sha256, modifiedAtMs: this.clock.now() };
  }

  #change(edit: (objects: Map<string, SimulatedObject>) => void): void {
    const objects = new Map(this.objects);
    edit(objects);
    this.#states = [...this.#states, { atMs: this.clock.now(), objects }].slice(-statesMax);
  }
}
