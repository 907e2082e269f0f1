/**
 * What is known of each ECSMService beside what is in the registry: one record for each, by its base name on the platform.
 * All of it may be lost at any time; it only saves calls and waits. The record of a deleted service is removed.
 */
import type { ServiceBody } from '@ecsm/client';
import { type ApiObject, BoundedMap, type Clock } from '@ecsm/runtime';
import type { ECSMService } from '../apis/ecsm-service.ts';
import { adoptAnnotation, orphanAnnotation, platformFinalizer, restartedAtAnnotation } from '../apis/well-known.ts';

/** Deleted objects that are remembered in case that a service of theirs is created late. */
const releasedMax = 1_000;
/** Payloads of services that were created and have not been read yet. */
const payloadsMax = 4_096;

/** Shared by all records, nearly all of which have no lost nodes. */
const none: readonly string[] = [];

class OwnerRecord {
  /** Digest of the object when nothing was left to do. */
  restingDigest: string | undefined;
  /** At rest by the poller's data alone, without having read the services. */
  isUnverified = false;
  /** Something changed on the platform since the last pass started. */
  hasChanged = false;
  /** The platform is still carrying out a step. */
  isInProgress = false;
  /** When a creation was sent whose outcome is not known. */
  creationSentMs: number | undefined;
  /**
   * Ids of the services on the platform when they were last read. A stale list may lack one of them: only a request by id
   * shows that it is deleted.
   */
  knownIds: readonly string[] = [];
  /** Lost nodes that the service waits for. It may not be allowed to run there now. */
  lostNodes: readonly string[] = none;
}

export class OwnerRecords {
  readonly #clock: Clock;
  #startMs: number;
  readonly #records = new Map<string, OwnerRecord>();
  #inProgressCount = 0;
  /** Base → uid of the deleted object. */
  readonly #released = new BoundedMap<string, string>(releasedMax);
  /** Id of a created service → the payload. */
  readonly #payloads = new BoundedMap<string, ServiceBody>(payloadsMax);

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startMs = clock.monotonicMs();
  }

  of(base: string): OwnerRecord {
    const record = this.#records.get(base) ?? new OwnerRecord();
    this.#records.set(base, record);
    return record;
  }

  /** Number of services with a step in progress. */
  get inProgressCount(): number {
    return this.#inProgressCount;
  }

  get inProgress(): readonly string[] {
    return this.#basesWhere(({ isInProgress }) => isInProgress);
  }

  isInProgress(base: string): boolean {
    return this.#records.get(base)?.isInProgress ?? false;
  }

  setInProgress(base: string, isInProgress: boolean): void {
    const record = this.of(base);
    if (record.isInProgress !== isInProgress) this.#inProgressCount += isInProgress ? 1 : -1;
    record.isInProgress = isInProgress;
  }

  setLostNodes(base: string, names: readonly string[]): void {
    this.of(base).lostNodes = names.length === 0 ? none : names;
  }

  /** Those that wait for one of these nodes. */
  awaiting(nodeNames: ReadonlySet<string>): readonly string[] {
    if (nodeNames.size === 0) return [];
    return this.#basesWhere(({ lostNodes }) => lostNodes.some((name) => nodeNames.has(name)));
  }

  addKnownIds(base: string, ids: Iterable<string>): void {
    const record = this.of(base);
    // Unlike a literal with a spread, `concat` reserves no memory for further elements.
    for (const id of ids) if (!record.knownIds.includes(id)) record.knownIds = record.knownIds.concat(id);
  }

  /** Something of it changed on the platform. */
  markChanged(base: string): void {
    const record = this.of(base);
    record.hasChanged = true;
    record.restingDigest = undefined;
  }

  /**
   * A pass starts. Returns whether it can end at once: nothing was left to do, and nothing has changed since. `mayWait`: a
   * service that has not been read is read later.
   */
  startPass(base: string, service: ECSMService, mayWait = false): boolean {
    const record = this.of(base);
    record.hasChanged = false;
    if (record.restingDigest === digestOf(service) && (mayWait || !record.isUnverified)) return true;
    record.restingDigest = undefined;
    record.isUnverified = false;
    return false;
  }

  /** Whether nothing was left to do, and nothing has changed since. */
  isAtRest(base: string, service: ECSMService): boolean {
    return this.#records.get(base)?.restingDigest === digestOf(service);
  }

  /** Nothing is left to do, unless something has changed during the pass. */
  setAtRest(base: string, service: ECSMService, isVerified = true): void {
    const record = this.of(base);
    if (record.hasChanged) return;
    record.restingDigest = digestOf(service);
    record.isUnverified ||= !isVerified;
  }

  /** Whether the service is at rest without having been read, and has to be read later. */
  isUnverified(base: string): boolean {
    return this.#records.get(base)?.isUnverified ?? false;
  }

  get unverifiedCount(): number {
    let count = 0;
    for (const { isUnverified } of this.#records.values()) if (isUnverified) count++;
    return count;
  }

  creationSent(base: string): void {
    this.of(base).creationSentMs = this.#clock.monotonicMs();
  }

  creationAnswered(base: string): void {
    this.of(base).creationSentMs = undefined;
  }

  /**
   * How long a creation without a response may still take effect. It was sent by this process, or by the previous one
   * before this one started.
   */
  lateCreationMs(base: string, withinMs: number): number {
    const lastMs = this.#records.get(base)?.creationSentMs ?? this.#startMs;
    return Math.max(lastMs + withinMs - this.#clock.monotonicMs(), 0);
  }

  /** The platform has created a service from this payload. */
  created(id: string, payload: ServiceBody): void {
    this.#payloads.set(id, payload);
  }

  /** Returns the payload once: the service may change afterwards. */
  takePayload(id: string): ServiceBody | undefined {
    const payload = this.#payloads.get(id);
    this.#payloads.delete(id);
    return payload;
  }

  /** The object is deleted. */
  delete(base: string): void {
    if (this.#records.get(base)?.isInProgress) this.#inProgressCount--;
    this.#records.delete(base);
  }

  /** The object is about to be deleted. Its uid is kept for services that are created late. */
  release(base: string, uid: string): void {
    this.delete(base);
    this.#released.set(base, uid);
  }

  releasedUid(base: string): string | undefined {
    return this.#released.get(base);
  }

  /** At the start of a term: other processes may have acted in the meantime. */
  clear(): void {
    this.#startMs = this.#clock.monotonicMs();
    this.#inProgressCount = 0;
    for (const map of [this.#records, this.#released, this.#payloads]) map.clear();
  }

  #basesWhere(isWanted: (record: OwnerRecord) => boolean): readonly string[] {
    return [...this.#records].flatMap(([base, record]) => (isWanted(record) ? [base] : []));
  }
}

/**
 * Everything of an object that a plan depends on, except its status. A finalizer that was removed by hand is part of it:
 * without it a deletion would leave the service running, so the change has to enqueue the key.
 */
export function digestOf({ metadata, status }: Pick<ApiObject<unknown, unknown>, 'metadata' | 'status'>): string {
  const { uid, generation, annotations, deletionTimestamp, finalizers = [] } = metadata;
  const isDeleted = deletionTimestamp !== undefined;
  const isFinalizerLost = status !== undefined && !isDeleted && !finalizers.includes(platformFinalizer);
  // It may be set to end a deletion that waits.
  const orphan = isDeleted ? annotations?.[orphanAnnotation] : undefined;
  const chosen = [annotations?.[adoptAnnotation], annotations?.[restartedAtAnnotation], orphan].map(quoted);
  // One is kept for each object: the text of a join needs less memory than that of a template or of JSON.
  return [uid, generation, isDeleted, isFinalizerLost, ...chosen].join(' ');
}

function quoted(value: string | undefined): string {
  return value === undefined ? '' : JSON.stringify(value);
}
