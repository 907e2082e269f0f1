/**
 * Looks at the platform for everybody at once: pages of services and of nodes, at an interval, compared with what the
 * look before showed. Only the owners of what changed are woken; what they need to know they read themselves. It never
 * changes anything.
 *
 * At rest a look costs the pages of services and of nodes. Every tenth also lists the instances of our services, whose
 * changes do not all show in a row. While much is under way the looks come sooner, because one look for all is then
 * cheaper than each service asking for itself.
 */
import { type CircuitBreaker, type Ecsm, numberOf, type ServiceRow } from '@ecsm/client';
import type { Clock, Log, Random } from '@ecsm/runtime';
import type { PlatformService } from '../resource/model.ts';
import type { OwnerKey } from '../resource/naming.ts';
import { Attention } from './attention.ts';
import { Concerned } from './concerned.ts';
import { instanceOf } from './fingerprint.ts';
import { MissedNodes } from './missed-nodes.ts';
import type { OfflineNodes } from './node-cache.ts';
import { GivenNames } from './pending-names.ts';
import { Pace } from './poll-interval.ts';
import { Pause } from './poll-timer.ts';
import { Hurry } from './polling.ts';
import { type Picture, Pictures } from './prefetch.ts';
import { Sightings } from './service-records.ts';

export interface ObserverOptions {
  readonly ecsm: Ecsm;
  readonly nodes: OfflineNodes;
  readonly breaker: Pick<CircuitBreaker, 'state' | 'onChange' | 'isBusy' | 'isIdle'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** From one look to the next, a tenth more or less by chance. */
  readonly observeMs: number;
  /** The same at most while much is under way. */
  readonly pollMs: number;
  /** Told whose services may have changed, and why. Keys may be of objects that do not exist. */
  readonly wake: (owners: readonly OwnerKey[], reason: string) => void;
}

const pageSize = 1_000;
/** So many looks there are from one list of all instances to the next. Those made in a hurry do not count. */
export const looksPerSweep = 10;
/** Where fewer have something under way, and the link is free, they read their instances sooner by themselves. */
export const readAheadMin = 16;

export class Observer {
  readonly #options: ObserverOptions;
  readonly #sightings = new Sightings();
  readonly #attention = new Attention();
  readonly #hurry: Hurry;
  readonly #missed = new MissedNodes();
  readonly #given = new GivenNames();
  readonly #pace: Pace;
  readonly #pause: Pause;
  readonly #pictures: Pictures;
  #begun = 0;
  #complete = 0;
  #failed = 0;
  #sinceSweep = 0;
  #waiters: (() => void)[] = [];

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#hurry = new Hurry(options.pollMs, () => this.#sightings.size);
    this.#pace = new Pace(options.pollMs);
    this.#pause = new Pause(options.clock);
    this.#pictures = new Pictures(options.ecsm, options.clock);
  }

  /** Services on the platform, ours and others. */
  get services(): number {
    return this.#sightings.size;
  }

  /** Whether it looks for all, because much is under way. */
  get isHurried(): boolean {
    return this.#hurry.isOn;
  }

  /** Whether anybody has something under way. */
  get isFollowing(): boolean {
    return this.#hurry.count > 0;
  }

  /** How soon a service with something under way should look for itself. */
  get selfLookMs(): number {
    return this.#hurry.selfLookMs;
  }

  ready(): string | undefined {
    return this.#complete > 0 ? undefined : 'it has not seen the services of the platform yet';
  }

  /** Resolves when the first look has ended, well or not; whoever reads before it could miss a change. */
  firstLook(signal: AbortSignal): Promise<void> {
    if (this.#complete + this.#failed > 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Ids of the services named `base` or so with a revision; nothing if that is not known well enough. */
  idsOf(base: string): readonly string[] | undefined {
    const isKnown = this.#complete > 0 && this.#given.isSeenBy(this.#complete, base);
    return isKnown && this.#failed === 0 ? this.#sightings.idsOf(base) : undefined;
  }

  /** These services as a look has shown them, if one has read them all. Only once: afterwards they are old. */
  takePictures(ids: readonly string[]): readonly Picture[] | undefined {
    return this.#pictures.take(ids);
  }

  /** A service of this name may be there from now on, whatever was seen. */
  gave(base: string): void {
    this.#given.give(base, this.#begun);
  }

  /** Something is being done to this service. */
  touch(id: string): void {
    this.#pictures.touch(id, this.#begun);
  }

  /** Something is under way for this owner, or no longer. */
  follow(owner: OwnerKey, isUnderWay: boolean): void {
    this.#hurry.follow(owner, isUnderWay);
    if (isUnderWay) this.#pace.begun();
    // When the last of many has been asked for, there is nothing left to do but to look what came of it.
    const { waitMs, waitMsMin } = this.#pace;
    if (this.#hurry.isOn) this.#pause.shorten(this.#options.breaker.isIdle ? waitMsMin : waitMs);
  }

  /** These services are ours and were decided about as they are here. */
  attend(services: readonly PlatformService[]): void {
    for (const service of services) this.#attention.decidedOn(service, this.#begun);
  }

  /**
   * They are not well, and nothing can be done about it now. It may have been over before the next look, which would
   * then show what the last one did: whatever it shows, their owner is told, once.
   */
  doubt(services: readonly PlatformService[]): void {
    for (const service of services) if (this.#attention.doubt(service)) this.#sightings.doubt(service.id);
  }

  /** An owner wants to know when one of these nodes is back. */
  miss(owner: OwnerKey, nodeNames: readonly string[]): void {
    this.#missed.miss(owner, nodeNames);
  }

  lookSoon(): void {
    this.#pause.shorten(0);
  }

  /** Looks until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, breaker } = this.#options;
    this.#forgetAll();
    const stopListening = breaker.onChange((state) => {
      if (state === 'reachable') this.lookSoon();
    });
    try {
      while (!signal.aborted) {
        const startMs = clock.monotonicMs();
        const isCertain = breaker.state !== 'unreachable' && (await this.#look(signal));
        if (breaker.state === 'unreachable') this.#ended(false);
        const leftBehind = this.#hurry.leftBehind();
        if (leftBehind.length > 0) this.#options.wake(leftBehind, 'it has to look for itself again');
        const { observeMs, pollMs } = this.#options;
        const hurryMs = this.#pace.looked(clock.monotonicMs() - startMs);
        const soonMs = this.#hurry.isOn ? hurryMs : isCertain ? observeMs : pollMs;
        const intervalMs = Math.min(soonMs, observeMs);
        const waitMs = breaker.state === 'unreachable' ? observeMs : intervalMs;
        await this.#pause.wait(waitMs * (0.9 + random.next() / 5), signal);
      }
    } finally {
      stopListening();
    }
  }

  /** Whether everything was seen, and as it is. Wakes those whom it concerns, also when it ends early. */
  async #look(signal: AbortSignal): Promise<boolean> {
    const number = ++this.#begun;
    // Nobody has read anything before the first look, so nobody is behind.
    const isFirst = this.#complete === 0 && this.#failed === 0;
    const concerned = new Concerned((owners) => isFirst || this.#options.wake(owners, 'seen on the platform'));
    try {
      const turned = await this.#turnedNodes(signal);
      for (const owner of this.#missed.ownersMissing(turned)) concerned.add(owner);
      const { isFresh, changed } = await this.#services(number, turned, concerned, signal);
      this.#complete = number;
      this.#given.seen(number);
      concerned.wake();
      if (!isFirst) await this.#readAhead(changed, number, concerned, signal);
      if (this.#isSweepDue()) await this.#sweep(concerned, signal);
      this.#ended(true);
      return isFresh;
    } catch (error) {
      this.#ended(false);
      if (signal.aborted) return true;
      this.#options.log.write('debug', 'the platform could not be looked at', { error: String(error) });
      return false;
    } finally {
      concerned.wake();
    }
  }

  /** Nodes that were lost or came back. */
  async #turnedNodes(signal: AbortSignal): Promise<ReadonlySet<string>> {
    const { nodes, observeMs } = this.#options;
    const before = nodes.names;
    // In a hurry the services are looked at more often than the nodes.
    const now = await nodes.read(observeMs / 2, signal);
    return new Set([...before, ...now].filter((name) => before.has(name) !== now.has(name)));
  }

  /** Ours among those that changed are given back, and not woken yet. */
  async #services(
    look: number,
    turned: ReadonlySet<string>,
    concerned: Concerned,
    signal: AbortSignal,
  ): Promise<{ readonly isFresh: boolean; readonly changed: readonly ServiceRow[] }> {
    const { ecsm } = this.#options;
    const ids = new Set<string>();
    const changed: ServiceRow[] = [];
    let isFresh = true;
    for await (const row of ecsm.services().list({}, { pageSize, signal })) {
      const { id, name } = row;
      ids.add(id);
      const given = this.#given.lookOf(name);
      // We were at it while this list was made: only the next one tells what came of it.
      if (given !== undefined && given >= look) continue;
      const nameBefore = this.#sightings.nameOf(id);
      const seen = this.#sightings.see(row, ecsm.timeOf(row.updatedTime));
      if (seen === 'stale') isFresh = false;
      const isGiven = given !== undefined;
      if (isGiven) this.#attention.expect(id, name, look);
      // What we made is there, and has not come far: nobody needs to be told.
      if (seen === 'new' && isGiven && isBeginning(row)) continue;
      if (seen !== 'new' && seen !== 'changed' && !isOn(row, turned)) continue;
      this.#pictures.drop(id);
      if (this.#attention.has(id)) changed.push(row);
      else concerned.addOwnersOf(name);
      if (nameBefore !== undefined && nameBefore !== name) concerned.addOwnersOf(nameBefore);
    }
    for (const name of this.#sightings.keepOnly(ids)) concerned.addOwnersOf(name);
    for (const name of this.#attention.keepOnly(ids, look)) concerned.addOwnersOf(name);
    return { isFresh, changed };
  }

  /** Reads the instances of what changed for all its owners at once, and wakes them as they are read. */
  async #readAhead(
    changed: readonly ServiceRow[],
    look: number,
    concerned: Concerned,
    signal: AbortSignal,
  ): Promise<void> {
    const wake = (rows: readonly ServiceRow[]) => {
      for (const { name } of rows) concerned.addOwnersOf(name);
      concerned.wake();
    };
    const isWorthIt = this.#options.breaker.isBusy || Math.max(changed.length, this.#hurry.count) >= readAheadMin;
    if (changed.length === 0 || !isWorthIt) return wake(changed);
    await this.#pictures.read(changed, look, wake, signal);
  }

  #isSweepDue(): boolean {
    if (this.#hurry.isOn) return false;
    this.#sinceSweep = (this.#sinceSweep + 1) % looksPerSweep;
    return this.#sinceSweep === 0;
  }

  /** Compares all instances of our services with what was decided on. */
  async #sweep(concerned: Concerned, signal: AbortSignal): Promise<void> {
    const found = await this.#pictures.containersOf(this.#attention.ids, signal);
    for (const [id, rows] of found) {
      const name = this.#attention.surprisedBy(id, rows.map(instanceOf));
      if (name !== undefined) concerned.addOwnersOf(name);
    }
  }

  #ended(isWell: boolean): void {
    this.#failed = isWell ? 0 : this.#failed + 1;
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  #forgetAll(): void {
    this.#sightings.clear();
    this.#attention.clear();
    this.#hurry.clear();
    this.#missed.clear();
    this.#given.clear();
    this.#pictures.clear();
    this.#begun = 0;
    this.#complete = 0;
    this.#failed = 0;
    this.#sinceSweep = 0;
  }
}

function isOn(row: ServiceRow, nodeNames: ReadonlySet<string>): boolean {
  return nodeNames.size > 0 && (row.nodeList ?? []).some(({ nodeName }) => nodeName != null && nodeNames.has(nodeName));
}

/** Made and nothing more. */
function isBeginning({ status, instanceOnline, errorInstance }: ServiceRow): boolean {
  return status === 'deploying' && !numberOf(instanceOnline) && (errorInstance ?? []).length === 0;
}
