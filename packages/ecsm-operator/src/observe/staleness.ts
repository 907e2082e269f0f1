/**
 * Detects stale reads of the platform: a version older than one that was read before, or one from before the operator's
 * last write. A stale read is rejected for a limited time only, in case that the platform's clock was set back, or that
 * it ignores an update.
 */
import type { ServiceBody } from '@ecsm/client';
import type { Clock } from '@ecsm/runtime';
import { differences } from '../resource/differences.ts';
import { type PlatformService, removalMs } from '../resource/model.ts';
import type { TimeOf } from '../resource/read.ts';
import type { ServiceRecords } from './service-records.ts';

/** How long an older version is treated as a stale response. */
const acceptAfterMs = 30_000;

export class Staleness {
  readonly #records: ServiceRecords;
  readonly #clock: Clock;
  readonly #timeOf: TimeOf;

  constructor(records: ServiceRecords, clock: Clock, timeOf: TimeOf) {
    this.#records = records;
    this.#clock = clock;
    this.#timeOf = timeOf;
  }

  updated({ id, updatedTime }: PlatformService, body: ServiceBody): void {
    this.#records.of(id).update = { body, before: updatedTime, atMs: this.#clock.monotonicMs() };
  }

  deleted(id: string): void {
    this.#records.of(id).deletedAtMs = this.#clock.monotonicMs();
  }

  /** Whether the platform accepted a deletion of the service and may not have finished it. */
  isBeingDeleted(id: string): boolean {
    return this.#isRecent(this.#records.get(id)?.deletedAtMs, removalMs);
  }

  /** Returns why these services are too old to decide on, or undefined if they are not. */
  reasonOf(services: readonly PlatformService[]): string | undefined {
    for (const service of services) {
      const reason = this.#olderThanRead(service) ?? this.#olderThanWritten(service);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }

  /** The same services; the instances of those that are being deleted exist, but are not ready. */
  corrected(services: readonly PlatformService[]): readonly PlatformService[] {
    return services.map((service) => {
      if (!this.isBeingDeleted(service.id)) return service;
      return { ...service, instances: service.instances.map((one) => ({ ...one, deployment: 'deploying' as const })) };
    });
  }

  #olderThanRead({ id, name, updatedTime }: PlatformService): string | undefined {
    const updatedMs = this.#timeOf(updatedTime);
    if (updatedMs === undefined) return undefined;
    const record = this.#records.of(id);
    const { newest } = record;
    const olderSinceMs = newest?.olderSinceMs ?? this.#clock.monotonicMs();
    const isAccepted = !this.#isRecent(olderSinceMs, acceptAfterMs);
    if (newest === undefined || updatedMs >= newest.updatedMs || isAccepted) {
      record.newest = { updatedMs };
      return undefined;
    }
    record.newest = { updatedMs: newest.updatedMs, olderSinceMs };
    return `${name} was read as of ${updatedTime}, but a later version was read before`;
  }

  /** Versions have a resolution of one second, so the fields are compared too. */
  #olderThanWritten({ id, name, updatedTime, detail }: PlatformService): string | undefined {
    const record = this.#records.get(id);
    if (record?.update === undefined) return undefined;
    const { body, before, atMs } = record.update;
    const isVisible = before !== updatedTime || differences(body, detail).length === 0;
    if (!isVisible && this.#isRecent(atMs, acceptAfterMs)) return `the last update of ${name} is not visible yet`;
    record.update = undefined;
    return undefined;
  }

  #isRecent(atMs: number | undefined, withinMs: number): boolean {
    return atMs !== undefined && this.#clock.monotonicMs() - atMs < withinMs;
  }
}
