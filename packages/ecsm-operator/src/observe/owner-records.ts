/**
 * What reconciles remember from one to the next, beside what is in the registry. All of it may be lost at any time; it
 * only saves calls and waits. What is kept for a key goes with the key.
 */
import type { ServiceBody } from '@ecsm/client';
import { type ApiObject, BoundedMap, backoffMs, type Clock } from '@ecsm/runtime';
import type { ECSMService } from '../apis/ecsm-service.ts';
import { adoptAnnotation, restartedAtAnnotation } from '../apis/well-known.ts';
import { isFinalizerLost } from './finalizer.ts';

/** The wait after the first refusal; each one after it doubles it. */
const refusalMsMin = 5_000;
const refusalMsMax = 300_000;
/** Objects that were let go, and are remembered in case that something of theirs comes late. */
const releasedMax = 1_000;
/** Bodies of services that were made and have not been seen yet. */
const madeMax = 4_096;

export class Memory {
  readonly #clock: Clock;
  #bornMs: number;
  /** What the object looked like when nothing was left to be done. */
  readonly #atRest = new Map<string, string>();
  /** Woken since their last reconcile began. */
  readonly #woken = new Set<string>();
  readonly #refusals = new Map<string, number>();
  /** When a creation was begun whose end is not known. */
  readonly #creations = new Map<string, number>();
  readonly #released = new BoundedMap<string, string>(releasedMax);
  readonly #made = new BoundedMap<string, ServiceBody>(madeMax);
  /** At rest as far as is known without having read everything. */
  readonly #unaudited = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#bornMs = clock.monotonicMs();
  }

  /** Others may have acted in the meantime, so nothing of it counts any more. */
  reset(): void {
    this.#bornMs = this.#clock.monotonicMs();
    const parts = [this.#atRest, this.#woken, this.#refusals, this.#creations, this.#released];
    for (const part of [...parts, this.#made, this.#unaudited]) part.clear();
  }

  /** Something of it has changed on the platform. */
  woken(key: string): void {
    this.#woken.add(key);
    this.#atRest.delete(key);
  }

  /** A reconcile begins. */
  begins(key: string): void {
    this.#woken.delete(key);
  }

  /** Whether nothing was left to be done, and nothing has changed since. */
  isAtRest(key: string, service: ECSMService): boolean {
    return this.#atRest.get(key) === digestOf(service);
  }

  /** Nothing is left to be done, unless something has changed in the meantime. */
  rests(key: string, service: ECSMService, isAudited = true): void {
    if (this.#woken.has(key)) return;
    this.#atRest.set(key, digestOf(service));
    if (!isAudited) this.#unaudited.add(key);
  }

  /** Whether it rests only as far as is known, and has to be read after all. */
  isUnaudited(key: string): boolean {
    return this.#unaudited.has(key);
  }

  stirs(key: string): void {
    this.#atRest.delete(key);
    this.#unaudited.delete(key);
  }

  /** The platform has made a service, and said so. */
  made(id: string, body: ServiceBody): void {
    this.#made.set(id, body);
  }

  /** What it was made from. Only once: what comes after is another story. */
  takeMade(id: string): ServiceBody | undefined {
    const body = this.#made.get(id);
    this.#made.delete(id);
    return body;
  }

  /** How long to wait after one more refusal in a row. */
  refused(key: string): number {
    const count = this.#refusals.get(key) ?? 0;
    this.#refusals.set(key, count + 1);
    return backoffMs(count, refusalMsMin, refusalMsMax);
  }

  accepted(key: string): void {
    this.#refusals.delete(key);
  }

  /** A creation is about to be asked for, or was answered. */
  creating(key: string, isAnswered: boolean): void {
    if (isAnswered) this.#creations.delete(key);
    else this.#creations.set(key, this.#clock.monotonicMs());
  }

  /**
   * How long a creation that nobody heard of may still come true: one of ours, or one of the process before this one,
   * which cannot have begun it later than this one was born.
   */
  lateCreationMs(key: string, withinMs: number): number {
    const lastMs = this.#creations.get(key) ?? this.#bornMs;
    return Math.max(lastMs + withinMs - this.#clock.monotonicMs(), 0);
  }

  released(key: string, uid: string): void {
    this.forget(key);
    this.#released.set(key, uid);
  }

  releasedUid(key: string): string | undefined {
    return this.#released.get(key);
  }

  forget(key: string): void {
    this.stirs(key);
    this.#refusals.delete(key);
    this.#creations.delete(key);
  }
}

/** Everything of an object that a plan depends on, but its status; and whether its finalizer has to be put back. */
export function digestOf(object: Pick<ApiObject<unknown, unknown>, 'metadata' | 'status'>): string {
  const { uid, generation, annotations, deletionTimestamp } = object.metadata;
  const said = [annotations?.[adoptAnnotation], annotations?.[restartedAtAnnotation]];
  return JSON.stringify([uid, generation, deletionTimestamp !== undefined, isFinalizerLost(object), ...said]);
}
