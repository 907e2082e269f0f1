/**
 * Keeps decisions from being made on an old picture of the platform: one that is older than another seen before, or
 * that does not show yet what was just done. All of it is bounded, and none of it lasts: a platform whose clock was set
 * back, or that does not keep what it is told, is believed after a while.
 */
import type { ServiceBody } from '@ecsm/client';
import { BoundedMap, type Clock } from '@ecsm/runtime';
import { differences } from '../resource/differences.ts';
import { type PlatformService, removalMs } from '../resource/model.ts';
import type { TimeOf } from '../resource/read.ts';

interface Newest {
  readonly updatedMs: number;
  /** Since when only older ones have been seen. */
  readonly olderSinceMs?: number;
}

interface Update {
  readonly body: ServiceBody;
  /** The version that was updated. */
  readonly before: string;
  readonly atMs: number;
}

/** So long an older picture is taken for a late one. */
const believeAfterMs = 30_000;
/** Services that are remembered; beyond that the oldest are forgotten. */
const entriesMax = 20_000;

export class Freshness {
  readonly #clock: Clock;
  readonly #timeOf: TimeOf;
  readonly #newest = new BoundedMap<string, Newest>(entriesMax);
  readonly #updates = new BoundedMap<string, Update>(entriesMax);
  readonly #deletions = new BoundedMap<string, number>(entriesMax);

  constructor(clock: Clock, timeOf: TimeOf) {
    this.#clock = clock;
    this.#timeOf = timeOf;
  }

  updated(service: PlatformService, body: ServiceBody): void {
    this.#updates.set(service.id, { body, before: service.updatedTime, atMs: this.#clock.monotonicMs() });
  }

  deleted(id: string): void {
    this.#deletions.set(id, this.#clock.monotonicMs());
  }

  /** Whether the platform was told to delete it and is still at it. */
  isBeingDeleted(id: string): boolean {
    return this.#isRecent(this.#deletions.get(id), removalMs);
  }

  /** Why a picture is too old to decide on; nothing if it is not. */
  complaint(services: readonly PlatformService[]): string | undefined {
    for (const service of services) {
      const complaint = this.#olderThanSeen(service) ?? this.#olderThanWritten(service);
      if (complaint !== undefined) return complaint;
    }
    return undefined;
  }

  /** The same services; instances of those that are being deleted are counted as there, but not as ready. */
  corrected(services: readonly PlatformService[]): readonly PlatformService[] {
    return services.map((service) => {
      if (!this.isBeingDeleted(service.id)) return service;
      return { ...service, instances: service.instances.map((one) => ({ ...one, deployment: 'deploying' as const })) };
    });
  }

  #olderThanSeen({ id, name, updatedTime }: PlatformService): string | undefined {
    const updatedMs = this.#timeOf(updatedTime);
    if (updatedMs === undefined) return undefined;
    const newest = this.#newest.get(id);
    if (newest === undefined || updatedMs >= newest.updatedMs) {
      if (newest?.updatedMs !== updatedMs || newest.olderSinceMs !== undefined) this.#newest.set(id, { updatedMs });
      return undefined;
    }
    const olderSinceMs = newest.olderSinceMs ?? this.#clock.monotonicMs();
    if (!this.#isRecent(olderSinceMs, believeAfterMs)) {
      this.#newest.set(id, { updatedMs });
      return undefined;
    }
    this.#newest.set(id, { updatedMs: newest.updatedMs, olderSinceMs });
    return `${name} is shown as of ${updatedTime}, and a later version was seen before`;
  }

  /** The version has a second as its smallest step, so it does not tell alone. */
  #olderThanWritten({ id, name, updatedTime, detail }: PlatformService): string | undefined {
    const update = this.#updates.get(id);
    if (update === undefined) return undefined;
    const isVisible = update.before !== updatedTime || differences(update.body, detail).length === 0;
    if (!isVisible && this.#isRecent(update.atMs, believeAfterMs)) return `${name} does not show its last update yet`;
    this.#updates.delete(id);
    return undefined;
  }

  #isRecent(atMs: number | undefined, withinMs: number): boolean {
    return atMs !== undefined && this.#clock.monotonicMs() - atMs < withinMs;
  }
}
