/**
 * Lists the instances of our services, part by part: not all of their changes show in the row of a service, such as the
 * number of restarts. A fleet of one part is swept with every poll at rest, so that a crash loop is seen as soon as any other
 * change, a larger one as the budget of the link allows.
 */
import type { Clock } from '@ecsm/runtime';
import { instanceOf } from './fingerprint.ts';
import type { Pace } from './pace.ts';
import type { Prefetch } from './prefetch.ts';
import type { ServiceRecords } from './service-records.ts';

/** Time for all services, as a part of the longest interval between polls, if the budget allows it. */
const sweepPart = 1 / 2;
/** Services of one part. */
const partSize = 64;
/** Bytes to list the instances of a service, before any was measured. */
const serviceBytes = 800;

interface SweepOptions {
  readonly services: ServiceRecords;
  readonly prefetch: Prefetch;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly observeMs: number;
  /** Bytes of all lists of instances so far. */
  readonly bytes: () => number;
}

export class Sweep {
  readonly #options: SweepOptions;
  #bytesPerService = serviceBytes;
  /** The last service that was swept. */
  #last = '';
  #nextMs: number | undefined;

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  clear(): void {
    this.#last = '';
    this.#nextMs = undefined;
  }

  /** Returns the names of services whose instances are not those that reconciles decided about. */
  async run(signal: AbortSignal): Promise<readonly string[]> {
    const { services, prefetch, clock, bytes } = this.#options;
    const own = services.ownIds;
    if (own.length === 0) return [];
    const nowMs = clock.monotonicMs();
    this.#nextMs ??= nowMs + this.#pauseMs(own.length);
    if (nowMs < this.#nextMs) return [];
    const part = this.#nextPart(own);
    this.#nextMs = nowMs + this.#pauseMs(own.length);
    const bytesBefore = bytes();
    const found = await prefetch.containersOf(part, signal);
    this.#bytesPerService = (bytes() - bytesBefore) / part.length;
    return [...found].flatMap(([id, rows]) => services.changedName(id, rows.map(instanceOf)) ?? []);
  }

  /** Those after the last one that was swept; ids are in the order in which they were found. */
  #nextPart(own: readonly string[]): readonly string[] {
    const start = own.indexOf(this.#last) + 1;
    const part = own.slice(start, start + partSize);
    const chosen = part.length > 0 ? part : own.slice(0, partSize);
    this.#last = chosen.at(-1) ?? '';
    return chosen;
  }

  #pauseMs(count: number): number {
    const { pace, observeMs } = this.#options;
    const size = Math.min(count, partSize);
    const evenMs = (sweepPart * observeMs * size) / count;
    return Math.max(evenMs, pace.sweepMs(size * this.#bytesPerService, count <= partSize));
  }
}
