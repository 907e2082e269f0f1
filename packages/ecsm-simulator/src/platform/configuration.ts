/** The configuration centre: values by key. */
import type { JsonValue } from '@ecsm/runtime';
import type { ConfigurationEntry } from './model.ts';
import { Refusal } from './refusal.ts';
import type { World } from './world.ts';

interface ConfigurationInput {
  /** The id of the entry to change; absent for a new entry. */
  readonly id?: string;
  readonly key: string;
  readonly type: string;
  readonly value: JsonValue;
}

export function putConfiguration(world: World, { id, key, type, value }: ConfigurationInput): ConfigurationEntry {
  if (key === '') throw new Refusal('badRequest', 'key', { key: 'is required' });
  const existing = id === undefined ? undefined : requireEntry(world, id);
  for (const other of world.configuration.values()) {
    if (other.key === key && other !== existing) throw new Refusal('configurationKeyTaken', key);
  }
  if (existing !== undefined) return Object.assign(existing, { key, type, value });
  const entry: ConfigurationEntry = { id: world.uuid(), key, type, value, createdMs: world.nowMs };
  world.configuration.set(entry.id, entry);
  return entry;
}

export function deleteConfiguration(world: World, id: string): void {
  world.configuration.delete(requireEntry(world, id).id);
}

function requireEntry(world: World, id: string): ConfigurationEntry {
  const entry = world.configuration.get(id);
  if (entry === undefined) throw new Refusal('configurationNotFound', id);
  return entry;
}
