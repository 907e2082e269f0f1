/**
 * Polls the platform for all services: pages of services and of nodes, at an interval, compared with the polls before. It
 * enqueues only the owners of what changed; their reconciles read what they need. It never changes the platform.
 *
 * At rest a poll costs the pages of services and of nodes, of which only changed rows are parsed. Between polls a summary
 * shows most changes for a few hundred bytes. Instances of our services, whose changes do not all show in a row, are listed
 * part by part. While many services are in progress polls are frequent, because one poll for all is then cheaper than a
 * request by each service.
 */
import { type CircuitBreaker, type Ecsm, ListMemory, numberOf, type Recorder, type ServiceRow } from '@ecsm/client';
import type { Clock, Log, Random } from '@ecsm/runtime';
import { basesOf, type OwnerKey, ownerKeysOf } from '../resource/naming.ts';
import type { NodeCache } from './node-cache.ts';
import type { OwnerRecords } from './owner-records.ts';
import { Pace } from './pace.ts';
import { PendingNames } from './pending-names.ts';
import { PollTimer } from './poll-timer.ts';
import { PollInterval, Polling } from './polling.ts';
import type { Prefetch } from './prefetch.ts';
import { RestWait } from './rest-wait.ts';
import type { ServiceRecords } from './service-records.ts';
import { Summary } from './summary.ts';
import { Sweep } from './sweep.ts';

interface PollerOptions {
  readonly ecsm: Ecsm;
  readonly services: ServiceRecords;
  readonly owners: OwnerRecords;
  readonly nodes: NodeCache;
  readonly prefetch: Prefetch;
  readonly breaker: Pick<CircuitBreaker, 'state' | 'onChange' | 'isBusy' | 'inFlight'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Bytes by endpoint. */
  readonly recorder: Pick<Recorder, 'bytesOf'>;
  /** Maximum interval between polls at rest. */
  readonly observeMs: number;
  readonly linkBudgetBytesPerSecond: number;
  /** Maximum interval between polls in bulk mode. */
  readonly pollMs: number;
  /** Called with the owners of what changed. There may be no object of that key. */
  readonly enqueue: (owners: readonly OwnerKey[], reason: string) => void;
}

const pageSize = 1_000;
/** Of the wait while the link is down or a poll failed: operators that lost the same link do not return together. */
const jitterPart = 1 / 5;
/** With fewer services in progress and a free link, the reconciles read their instances sooner by themselves. */
const prefetchMin = 16;

export class Poller {
  readonly #options: PollerOptions;
  readonly #pendingNames = new PendingNames();
  readonly #polling: Polling;
  readonly #interval: PollInterval;
  readonly #timer: PollTimer;
  readonly #pace: Pace;
  readonly #memory: ListMemory;
  readonly #summary: Summary;
  readonly #sweep: Sweep;
  readonly #restWait: RestWait;
  #started = 0;
  #completed = 0;
  #failures = 0;
  #observedMs: number | undefined;
  #waiting: (() => void)[] = [];
  #isRunning = false;

  constructor(options: PollerOptions) {
    const { ecsm, services, owners, pollMs, clock, recorder, observeMs, breaker } = options;
    this.#options = options;
    this.#polling = new Polling(pollMs, () => services.listedCount, owners);
    this.#interval = new PollInterval(pollMs);
    this.#timer = new PollTimer(clock);
    const pace = new Pace({ observeMs, budgetBytesPerSecond: options.linkBudgetBytesPerSecond });
    this.#pace = pace;
    this.#memory = new ListMemory(clock);
    const summary = new Summary(ecsm, clock);
    this.#summary = summary;
    this.#restWait = new RestWait({ clock, breaker, timer: this.#timer, pace, summary });
    this.#sweep = new Sweep({ ...options, pace, bytes: () => recorder.bytesOf('GET /container/service') });
  }

  get pace(): Pick<Pace, 'intervalMs' | 'pollBytes' | 'auditMs'> {
    return this.#pace;
  }

  /** For readyz: the maximum time until a change is noticed, and what that costs. */
  get detail(): string {
    const { intervalMs, pollBytes } = this.#pace;
    const seconds = Math.round(intervalMs / 100) / 10;
    return `changes on the platform are noticed within ${seconds} s; an observation needs ${pollBytes} bytes`;
  }

  /** Number of the newest poll. */
  get newest(): number {
    return this.#started;
  }

  /** Time of day at which the last complete poll started: what it read is not older. */
  get observedMs(): number | undefined {
    return this.#observedMs;
  }

  /** Whether the operator leads. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Whether polls are frequent, because many services are in progress. */
  get isBulk(): boolean {
    return this.#polling.isBulk;
  }

  /** Delay of the next pass over a service, if it is in progress then. */
  requeueMs(base: string): number {
    return this.#polling.requeueMs(this.#options.owners.isInProgress(base) ? 0 : 1);
  }

  ready(): string | undefined {
    return this.#completed > 0 ? undefined : 'the first poll of the platform has not completed';
  }

  /** Resolves after the first poll, successful or not: a reconcile that reads before it could miss a change. */
  firstPoll(signal: AbortSignal): Promise<void> {
    if (this.#completed + this.#failures > 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Ids of the services named `base`, or `base` with a revision. Returns undefined if the last poll is not sufficient. */
  idsOf(base: string): readonly string[] | undefined {
    const isKnown = this.#completed > 0 && this.#pendingNames.isSettled(base, this.#completed);
    return isKnown && this.#failures === 0 ? this.#options.services.idsOf(base) : undefined;
  }

  /** Whether the next poll shows what `idsOf` does not know. */
  isAwaited(base: string): boolean {
    return this.#failures === 0 && this.idsOf(base) === undefined;
  }

  /** A service of this name may exist from now on. */
  nameUsed(base: string): void {
    this.#pendingNames.add(base, this.#started);
  }

  setInProgress(base: string, isInProgress: boolean): void {
    const { owners, breaker } = this.#options;
    owners.setInProgress(base, isInProgress);
    if (isInProgress) this.#interval.reset();
    if (isInProgress) this.#pace.changed();
    // After the last of many steps was sent the link is idle, and the only thing left to do is to poll.
    if (this.#polling.isBulk)
      this.#timer.shorten(breaker.inFlight === 0 ? this.#interval.idleLinkMs : this.#interval.ms);
  }

  pollNow(): void {
    this.#timer.shorten(0);
  }

  /** Polls until the signal aborts. It starts without state: another process may have been the leader before. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, breaker, observeMs, pollMs } = this.#options;
    this.#clear();
    this.#isRunning = true;
    const stopListening = breaker.onChange((state) => {
      if (state === 'reachable') this.pollNow();
    });
    try {
      while (!signal.aborted) {
        const startMs = clock.monotonicMs();
        const isCertain = breaker.state !== 'unreachable' && (await this.#poll(signal));
        if (breaker.state === 'unreachable') this.#ended(false);
        this.#enqueue(this.#polling.leftBehind(), 'bulk polling has ended');
        const durationMs = clock.monotonicMs() - startMs;
        const bulkMs = this.#interval.next(durationMs);
        const jitter = 1 - random.next() * jitterPart;
        if (breaker.state === 'unreachable') await this.#timer.wait(observeMs * jitter, signal);
        else if (this.#polling.isBulk || !isCertain)
          await this.#timer.wait(Math.min(this.#polling.isBulk ? bulkMs : pollMs, observeMs) * jitter, signal);
        else await this.#restWait.wait(startMs, durationMs, signal);
      }
    } finally {
      this.#isRunning = false;
      stopListening();
    }
  }

  /** Returns whether everything was read, and nothing was stale. Wakes the owners also if it fails. */
  async #poll(signal: AbortSignal): Promise<boolean> {
    const poll = ++this.#started;
    const { owners, log, recorder, clock } = this.#options;
    const startedMs = clock.now();
    const bytes = () => recorder.bytesOf('GET /service') + recorder.bytesOf('GET /node');
    const bytesBefore = bytes();
    // No reconcile has read anything before the first poll, so none is outdated.
    const isFirst = this.#completed === 0 && this.#failures === 0;
    /** Bases of the owners to enqueue. */
    const affected = new Set<string>();
    const enqueue = (changed: readonly ServiceRow[] = []) => {
      for (const { name } of changed) addBases(affected, name);
      if (!isFirst) this.#enqueue([...affected], 'changed on the platform');
      affected.clear();
    };
    try {
      // The summary is read first: what changes in the meantime is either listed, or makes the next one differ.
      const [turned] = await Promise.all([this.#turnedNodes(signal), this.#readSummary(signal)]);
      for (const base of owners.awaiting(turned)) affected.add(base);
      const { isFresh, changed } = await this.#services(poll, turned, affected, signal);
      this.#pace.polled(bytes() - bytesBefore, isFirst || affected.size > 0 || changed.length > 0);
      this.#completed = poll;
      this.#observedMs = startedMs;
      this.#pendingNames.settle(poll);
      enqueue();
      if (!isFirst) await this.#prefetch(changed, poll, enqueue, signal);
      if (!this.#polling.isBulk) for (const name of await this.#sweep.run(signal)) addBases(affected, name);
      this.#ended(true);
      return isFresh;
    } catch (error) {
      this.#ended(false);
      if (signal.aborted) return true;
      log.write('debug', 'polling the platform failed', { error: String(error) });
      return false;
    } finally {
      enqueue();
    }
  }

  /** Nodes that went offline or online. */
  async #turnedNodes(signal: AbortSignal): Promise<ReadonlySet<string>> {
    const { nodes, observeMs } = this.#options;
    const before = nodes.offline;
    // In bulk mode services are polled more often than nodes.
    const now = await nodes.read(this.#polling.isBulk ? observeMs / 2 : 0, signal);
    return new Set([...before, ...now].filter((name) => before.has(name) !== now.has(name)));
  }

  /** Returns the changed services of ours, whose owners are not enqueued yet. */
  async #services(
    poll: number,
    turned: ReadonlySet<string>,
    affected: Set<string>,
    signal: AbortSignal,
  ): Promise<{ readonly isFresh: boolean; readonly changed: readonly ServiceRow[] }> {
    const { ecsm, services, prefetch } = this.#options;
    const ids = new Set<string>();
    const changed: ServiceRow[] = [];
    let isFresh = true;
    const isNeeded = (id: string) => turned.size > 0 || this.#isRowNeeded(id);
    for await (const { key, row } of ecsm.services().changes(this.#memory, isNeeded, { pageSize, signal })) {
      ids.add(key);
      if (row === undefined) {
        // It is the same as at the last poll.
        services.of(key);
        continue;
      }
      const { id, name } = row;
      const pendingSince = this.#pendingNames.pollOf(name);
      // It was being created during this list: only the next one shows the outcome.
      if (pendingSince !== undefined && pendingSince >= poll) continue;
      const nameBefore = services.get(id)?.listed?.name;
      const seen = services.compare(row, ecsm.timeOf(row.updatedTime), poll);
      if (seen === 'stale') isFresh = false;
      const isPending = pendingSince !== undefined;
      if (isPending) services.expect(id, name, poll);
      // It was created by us and has not started yet: there is nothing to do for its owner.
      if (seen === 'new' && isPending && isStarting(row)) continue;
      if (seen !== 'new' && seen !== 'changed' && !isOn(row, turned)) continue;
      prefetch.delete(id);
      if (services.get(id)?.decided !== undefined) changed.push(row);
      else addBases(affected, name);
      if (nameBefore !== undefined && nameBefore !== name) addBases(affected, nameBefore);
    }
    for (const name of services.endPoll(ids, poll)) addBases(affected, name);
    return { isFresh, changed };
  }

  /** Reads the instances of changed services for all owners together, and enqueues the owners. */
  async #prefetch(
    changed: readonly ServiceRow[],
    poll: number,
    enqueue: (rows: readonly ServiceRow[]) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { breaker, owners, prefetch } = this.#options;
    const isWorthIt = breaker.isBusy || Math.max(changed.length, owners.inProgressCount) >= prefetchMin;
    if (changed.length === 0 || !isWorthIt) return enqueue(changed);
    await prefetch.read(changed, poll, enqueue, signal);
  }

  /** Many services in progress change it all the time. */
  async #readSummary(signal: AbortSignal): Promise<void> {
    if (this.#polling.isBulk || this.#completed === 0) this.#summary.clear();
    else await this.#summary.read(signal);
  }

  /** Whether a service has to be compared even if its row has not changed. */
  #isRowNeeded(id: string): boolean {
    const record = this.#options.services.get(id);
    if (record?.listed === undefined || record.recheckAfterPoll !== undefined) return true;
    return record.listed.stalePolls > 0 || this.#pendingNames.pollOf(record.listed.name) !== undefined;
  }

  #enqueue(bases: readonly string[], reason: string): void {
    if (bases.length === 0) return;
    for (const base of bases) this.#options.owners.markChanged(base);
    this.#options.enqueue(
      bases.flatMap((base) => ownerKeysOf(base).slice(0, 1)),
      reason,
    );
  }

  #ended(isSuccess: boolean): void {
    this.#failures = isSuccess ? 0 : this.#failures + 1;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #clear(): void {
    const { services, owners, prefetch } = this.#options;
    const own = [this.#polling, this.#pendingNames, this.#memory, this.#summary, this.#sweep, this.#restWait];
    for (const part of [services, owners, prefetch, ...own]) part.clear();
    this.#pace.changed();
    this.#started = 0;
    this.#completed = 0;
    this.#failures = 0;
  }
}

/** All owners that may have given a service on the platform this name. */
function addBases(affected: Set<string>, name: string): void {
  for (const base of basesOf(name)) affected.add(base);
}

function isOn(row: ServiceRow, nodeNames: ReadonlySet<string>): boolean {
  return nodeNames.size > 0 && (row.nodeList ?? []).some(({ nodeName }) => nodeName != null && nodeNames.has(nodeName));
}

/** Created, and nothing more. */
function isStarting({ status, instanceOnline, errorInstance }: ServiceRow): boolean {
  return status === 'deploying' && !numberOf(instanceOnline) && (errorInstance ?? []).length === 0;
}
