/** The configuration centre: values by key. */
import type { JsonValue } from '@ecsm/runtime';
import type { ConfigurationEntry } from './model.ts';
import { Refusal } from './refusal.ts';
import type { World } from './world.ts';

export interface ConfigurationInput {
  /** Of the entry to change; absent: a new one. */
  readonly id?: string;
  readonly key: string;
  readonly type: string;
  readonly value: JsonValue;
}

export function putConfiguration(world: World, { id, key, type, value }: ConfigurationInput): ConfigurationEntry {
  if (key === '') throw new Refusal('badRequest', 'key', { key: 'has to be there' });
  const there = id === undefined ? undefined : mustHave(world, id);
  for (const other of world.configuration.values()) {
    if (other.key === key && other !== there) throw new Refusal('configurationKeyTaken', key);
  }
  if (there !== undefined) return Object.assign(there, { key, type, value });
  const entry: ConfigurationEntry = { id: world.uuid(), key, type, value, createdMs: world.nowMs };
  world.configuration.set(entry.id, entry);
  return entry;
}

export function deleteConfiguration(world: World, id: string): void {
  world.configuration.delete(mustHave(world, id).id);
}

function mustHave(world: World, id: string): ConfigurationEntry {
  const entry = world.configuration.get(id);
  if (entry === undefined) throw new Refusal('configurationNotFound', id);
  return entry;
}
