/**
 * What is known of the services on the platform: one record for each, by id, and an index by the names that they may
 * have in the registry. All of it may be lost at any time. A record never holds the row of its service.
 */
import { Buffer } from 'node:buffer';
import { numberOf, type ServiceBody, type ServiceRow } from '@ecsm/client';
import type { Clock } from '@ecsm/runtime';
import type { Mark, PlatformService } from '../resource/model.ts';
import { basesOf } from '../resource/naming.ts';
import { fingerprintOfInstances, fingerprintOfRow } from './fingerprint.ts';

/** As the polls listed it. */
interface Listed {
  readonly name: string;
  /** The number of instances that a dynamic service is to have; 0 for a static one. */
  readonly factor: number;
  readonly fingerprint: number;
  /** The platform's version of it; undefined if that is not a time. */
  readonly updatedMs: number | undefined;
  /** Polls in a row that listed an older version. */
  readonly stalePolls: number;
}

/** As it was when a reconcile last decided about it. */
interface Decided {
  readonly name: string;
  readonly fingerprint: number;
  /** The poll that was the newest then. */
  readonly poll: number;
  /** Undefined before the first decision. */
  readonly mark?: Mark | undefined;
}

interface NewestVersion {
  readonly updatedMs: number;
  /** Since when only older versions have been read. */
  readonly olderSinceMs?: number;
}

interface SentUpdate {
  readonly body: ServiceBody;
  /** The version that was updated. */
  readonly before: string;
  readonly atMs: number;
}

class ServiceRecord {
  listed: Listed | undefined;
  /** Defined only for services of ours. */
  decided: Decided | undefined;
  /** Of the instances for which a poll reports a change once, whatever it lists. */
  recheckedFingerprint: number | undefined;
  /** The first poll that starts after this one reports that change. */
  recheckAfterPoll: number | undefined;
  /** The poll that was the newest when the operator last changed the service. */
  changedPoll = 0;
  newest: NewestVersion | undefined;
  update: SentUpdate | undefined;
  deletedAtMs: number | undefined;
  /** Since when polls do not list it. */
  absentSinceMs: number | undefined;
}

type Comparison = 'new' | 'changed' | 'same' | 'stale';

/** Consecutive polls for which an older version counts as stale; after them the platform's clock was set back. */
const stalePollsMax = 3;
/** A fingerprint that no instances have. */
const neverDecided = -1;
/** An absent service is kept for longer than any of the waits in its record, in case that a poll was wrong. */
const absentMsMax = 60_000;

export class ServiceRecords {
  readonly #clock: Clock;
  readonly #records = new Map<string, ServiceRecord>();
  /** Base of a name → ids of listed services named so. */
  readonly #idsByBase = new Map<string, readonly string[]>();
  #listedCount = 0;
  #registry = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of services that the polls list, ours and others. */
  get listedCount(): number {
    return this.#listedCount;
  }

  /** Ids of the services that a reconcile has decided about, or that it created. */
  get ownIds(): readonly string[] {
    return [...this.#records].flatMap(([id, { decided }]) => (decided === undefined ? [] : [id]));
  }

  /** The services that the polls list, ours and others. */
  *listed(): Iterable<{ readonly id: string } & Pick<Listed, 'name' | 'factor'>> {
    for (const [id, { listed }] of this.#records) {
      if (listed !== undefined) yield { id, name: listed.name, factor: listed.factor };
    }
  }

  get(id: string): ServiceRecord | undefined {
    return this.#records.get(id);
  }

  /** The record of a service, created if missing. */
  of(id: string): ServiceRecord {
    const record = this.#records.get(id) ?? new ServiceRecord();
    record.absentSinceMs = undefined;
    this.#records.set(id, record);
    return record;
  }

  /** Listed services whose name is `base`, or `base` with a revision. */
  idsOf(base: string): readonly string[] {
    return this.#idsByBase.get(base) ?? [];
  }

  /** Compares a row of a poll's list with the polls before it. */
  compare(row: ServiceRow, updatedMs: number | undefined, poll: number): Comparison {
    const { id, name } = row;
    const record = this.of(id);
    const before = record.listed;
    const fingerprint = fingerprintOfRow(row);
    const isRecheck = record.recheckAfterPoll !== undefined && poll > record.recheckAfterPoll;
    if (before?.fingerprint === fingerprint && !isRecheck) {
      if (before.stalePolls > 0) record.listed = { ...before, stalePolls: 0 };
      return 'same';
    }
    const isOlder = updatedMs !== undefined && before?.updatedMs !== undefined && updatedMs < before.updatedMs;
    if (isOlder && before.stalePolls < stalePollsMax) {
      record.listed = { ...before, stalePolls: before.stalePolls + 1 };
      return 'stale';
    }
    if (before?.name !== name) {
      this.#unlist(id, record);
      this.#list(id, name);
    }
    const factor = row.policy === 'dynamic' ? (numberOf(row.factor) ?? 0) : 0;
    record.listed = { name, factor, fingerprint, updatedMs, stalePolls: 0 };
    if (isRecheck) record.recheckAfterPoll = undefined;
    return before === undefined ? 'new' : 'changed';
  }

  /** Its name is one of ours; no reconcile has decided about it yet. */
  expect(id: string, name: string, poll: number): void {
    const record = this.of(id);
    record.decided ??= { name, fingerprint: neverDecided, poll };
  }

  /** A reconcile decided about a service of ours. */
  decide({ id, name, instances, mark }: PlatformService, poll: number): void {
    const record = this.of(id);
    const fingerprint = fingerprintOfInstances(instances);
    record.decided = { name, fingerprint, poll, mark: mark && this.#kept(mark) };
    if (record.recheckedFingerprint !== fingerprint) record.recheckedFingerprint = undefined;
  }

  /**
   * The next poll reports a change of the service, whatever it lists; once while its instances stay the same. A poll in
   * flight does not count: it may have been answered before the decision.
   */
  recheck({ id, instances }: PlatformService): boolean {
    const record = this.of(id);
    if (record.recheckedFingerprint !== undefined) return false;
    record.recheckedFingerprint = fingerprintOfInstances(instances);
    record.recheckAfterPoll = record.decided?.poll ?? 0;
    return true;
  }

  /** Returns the name if the instances are not those that a reconcile decided about. */
  changedName(id: string, instances: Parameters<typeof fingerprintOfInstances>[0]): string | undefined {
    const decided = this.get(id)?.decided;
    return decided === undefined || decided.fingerprint === fingerprintOfInstances(instances)
      ? undefined
      : decided.name;
  }

  /**
   * A poll listed these ids and no others. Returns the names of deleted services. A service that was decided about during
   * the poll may be too new for it.
   */
  endPoll(ids: ReadonlySet<string>, poll: number): readonly string[] {
    const gone: string[] = [];
    const nowMs = this.#clock.monotonicMs();
    for (const [id, record] of this.#records) {
      if (ids.has(id)) continue;
      const { listed, decided, absentSinceMs = nowMs } = record;
      if (listed !== undefined) {
        gone.push(listed.name);
        this.#unlist(id, record);
      }
      if (decided !== undefined && decided.poll < poll) {
        gone.push(decided.name);
        record.decided = undefined;
        record.recheckedFingerprint = undefined;
      }
      record.absentSinceMs = absentSinceMs;
      if (record.decided === undefined && nowMs - record.absentSinceMs >= absentMsMax) this.#records.delete(id);
    }
    return gone;
  }

  clear(): void {
    this.#records.clear();
    this.#idsByBase.clear();
    this.#listedCount = 0;
  }

  /** A part of a text keeps the whole text in memory: it is copied. The registry is the same for nearly all marks. */
  #kept(mark: Mark): Mark {
    if (this.#registry !== mark.registry) this.#registry = copyOf(mark.registry);
    return { ...mark, registry: this.#registry, uid: copyOf(mark.uid) };
  }

  #list(id: string, name: string): void {
    this.#listedCount++;
    for (const base of basesOf(name)) this.#idsByBase.set(base, this.idsOf(base).concat(id));
  }

  #unlist(id: string, record: ServiceRecord): void {
    if (record.listed === undefined) return;
    this.#listedCount--;
    for (const base of basesOf(record.listed.name)) {
      const ids = this.idsOf(base).filter((other) => other !== id);
      if (ids.length > 0) this.#idsByBase.set(base, ids);
      else this.#idsByBase.delete(base);
    }
    record.listed = undefined;
  }
}

function copyOf(text: string): string {
  return Buffer.from(text).toString();
}
