/**
 * What the observer remembers of the platform: for each service a name, a version and a print, and which names of ours
 * they could belong to. A few dozen bytes a service, never its row.
 */
import type { ServiceRow } from '@ecsm/client';
import { type OwnerKey, ownerKeysOf, platformName } from '../resource/naming.ts';
import { printOfRow } from './fingerprint.ts';

interface Sighting {
  readonly name: string;
  readonly print: number;
  /** The platform's version of it; undefined if that is no time. */
  readonly updatedMs: number | undefined;
  /** Looks in a row that showed an older version. */
  readonly staleLooks: number;
}

export type Seen = 'new' | 'changed' | 'same' | 'stale';

/** So often an older version is taken for a late answer; then the platform's clock was set back, and it counts. */
const staleLooksMax = 3;

export class Sightings {
  readonly #sightings = new Map<string, Sighting>();
  /** Base of a name → ids of services named so. */
  readonly #byBase = new Map<string, readonly string[]>();

  get size(): number {
    return this.#sightings.size;
  }

  nameOf(id: string): string | undefined {
    return this.#sightings.get(id)?.name;
  }

  /** Services whose name is `base`, or that with a revision behind it. */
  idsOf(base: string): readonly string[] {
    return this.#byBase.get(base) ?? [];
  }

  see(row: ServiceRow, updatedMs: number | undefined): Seen {
    const { id, name } = row;
    const before = this.#sightings.get(id);
    const print = printOfRow(row);
    if (before === undefined) {
      this.#remember(id, { name, print, updatedMs, staleLooks: 0 });
      return 'new';
    }
    if (before.print === print) {
      if (before.staleLooks > 0) this.#sightings.set(id, { ...before, staleLooks: 0 });
      return 'same';
    }
    const isOlder = updatedMs !== undefined && before.updatedMs !== undefined && updatedMs < before.updatedMs;
    if (isOlder && before.staleLooks < staleLooksMax) {
      this.#sightings.set(id, { ...before, staleLooks: before.staleLooks + 1 });
      return 'stale';
    }
    if (before.name !== name) this.#drop(id, before.name);
    this.#remember(id, { name, print, updatedMs, staleLooks: 0 });
    return 'changed';
  }

  /** The next sight of it counts as a change. */
  doubt(id: string): void {
    const sighting = this.#sightings.get(id);
    if (sighting !== undefined) this.#sightings.set(id, { ...sighting, print: Number.NaN });
  }

  /** Forgets everything but these, and gives the names of what went. */
  keepOnly(ids: ReadonlySet<string>): readonly string[] {
    const gone: string[] = [];
    for (const [id, { name }] of this.#sightings) {
      if (ids.has(id)) continue;
      gone.push(name);
      this.#drop(id, name);
    }
    return gone;
  }

  clear(): void {
    this.#sightings.clear();
    this.#byBase.clear();
  }

  #remember(id: string, sighting: Sighting): void {
    this.#sightings.set(id, sighting);
    for (const base of basesOf(sighting.name)) {
      const ids = this.idsOf(base);
      if (!ids.includes(id)) this.#byBase.set(base, [...ids, id]);
    }
  }

  #drop(id: string, name: string): void {
    this.#sightings.delete(id);
    for (const base of basesOf(name)) {
      const ids = this.idsOf(base).filter((other) => other !== id);
      if (ids.length > 0) this.#byBase.set(base, ids);
      else this.#byBase.delete(base);
    }
  }
}

function basesOf(name: string): readonly string[] {
  return ownerKeysOf(name).map(({ namespace, name: owner }: OwnerKey) => platformName(namespace, owner));
}
