/**
 * What every ECSMService wants, as far as other services depend on it: a few fields of each, by key. The informer feeds it,
 * so it costs no reads. It is a cache: `load` fills it at the start of a term.
 */
import type { Registry } from '@ecsm/runtime';
import { ECSMService } from '../apis/ecsm-service.ts';
import { type FleetService, fleetServiceOf, keyOfService } from './fleet-service.ts';

/** Called after a change with the service before and after it. */
export type FleetListener = (before: FleetService | undefined, after: FleetService | undefined) => void;

export class Fleet {
  readonly #services = new Map<string, FleetService>();
  /** Key → keys of the services that depend on it. It need not exist. */
  readonly #dependents = new Map<string, Set<string>>();
  readonly #listeners = new Set<FleetListener>();

  /** Reads all services. Those that are no longer there are removed. */
  async load(registry: Registry): Promise<void> {
    const { items } = await registry.resource(ECSMService).list();
    const present = new Set(items.map(({ metadata }) => keyOfService(metadata.namespace, metadata.name)));
    this.retain((key) => present.has(key));
    for (const service of items) this.#set(service);
  }

  /** Removes the services that do not exist. */
  retain(exists: (key: string) => boolean): void {
    for (const key of [...this.#services.keys()]) if (!exists(key)) this.delete(key);
  }

  set(service: ECSMService): void {
    const { namespace, name, uid, resourceVersion } = service.metadata;
    const known = this.#services.get(keyOfService(namespace, name));
    // The writer of a version and the informer both report it.
    if (known?.version !== resourceVersion || known.uid !== uid) this.#set(service);
  }

  #set(service: ECSMService): void {
    const after = fleetServiceOf(service);
    const before = this.#services.get(after.key);
    this.#services.set(after.key, after);
    this.#index(before, after);
    for (const listener of this.#listeners) listener(before, after);
  }

  delete(key: string): void {
    const before = this.#services.get(key);
    if (before === undefined) return;
    this.#services.delete(key);
    this.#index(before, undefined);
    for (const listener of this.#listeners) listener(before, undefined);
  }

  get(key: string): FleetService | undefined {
    return this.#services.get(key);
  }

  all(): Iterable<FleetService> {
    return this.#services.values();
  }

  /** Keys of the services that depend on this one directly. */
  dependentsOf(key: string): readonly string[] {
    return [...(this.#dependents.get(key) ?? [])];
  }

  onChange(listener: FleetListener): void {
    this.#listeners.add(listener);
  }

  #index(before: FleetService | undefined, after: FleetService | undefined): void {
    for (const { key } of before?.dependsOn ?? []) {
      const dependents = this.#dependents.get(key);
      if (before) dependents?.delete(before.key);
      if (dependents?.size === 0) this.#dependents.delete(key);
    }
    for (const { key } of after?.dependsOn ?? []) {
      const dependents = this.#dependents.get(key) ?? new Set();
      if (after) this.#dependents.set(key, dependents.add(after.key));
    }
  }
}
