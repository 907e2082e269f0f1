/** Converts the running platform to plain data, and back. */
import type { Log } from '@ecsm/runtime';
import { isEventName } from './events.ts';
import { formatImageRef } from './image-ref.ts';
import type { State } from './model.ts';
import { storeRecord } from './records.ts';
import { Refusal } from './refusal.ts';
import { World } from './world.ts';

/** Returns a copy that shares nothing with the platform. */
export function takeSnapshot(world: World): State {
  const state: State = {
    version: 1,
    seed: world.seed,
    counter: world.counter,
    nowMs: world.nowMs,
    behaviour: world.behaviour,
    nodes: Object.fromEntries(world.nodes),
    registries: Object.fromEntries(world.registries),
    images: Object.fromEntries(world.images),
    services: Object.fromEntries(world.services),
    containers: Object.fromEntries([...world.containers.values()].map((container) => [container.taskId, container])),
    records: [...world.recordsOfService.values()].flat(),
    transactions: Object.fromEntries(world.transactions),
    history: [...world.history.values()].flat(),
    templates: Object.fromEntries(world.templates),
    configuration: Object.fromEntries(world.configuration),
    loadBalance: Object.fromEntries(world.loadBalance),
    uploads: Object.fromEntries(world.uploads),
    syncs: Object.fromEntries(world.syncs),
    agenda: world.agenda.inOrder(),
    plannedFailures: world.plannedFailures,
  };
  return structuredClone(state);
}

/** Does not validate the state, except for unknown scheduled events, which would fail only later. */
export function restoreWorld(snapshot: State, log: Log): World {
  const state = structuredClone(snapshot);
  const world = new World({ seed: state.seed, behaviour: state.behaviour, log });
  world.counter = state.counter;
  world.nowMs = state.nowMs;
  fill(world.nodes, state.nodes);
  fill(world.registries, state.registries);
  fill(world.images, state.images);
  fill(world.services, state.services);
  fill(world.transactions, state.transactions);
  fill(world.templates, state.templates);
  fill(world.configuration, state.configuration);
  fill(world.loadBalance, state.loadBalance);
  fill(world.uploads, state.uploads);
  fill(world.syncs, state.syncs);
  for (const node of world.nodes.values()) {
    world.nodesByName.set(node.name, node);
    if (!node.online) world.offlineNodes.add(node.id);
  }
  for (const service of world.services.values()) world.servicesByName.set(service.name, service);
  for (const image of world.images.values()) {
    if (image.registryId === 'local') world.localImages.set(formatImageRef(image), image);
  }
  for (const container of Object.values(state.containers)) world.containers.add(container);
  for (const record of state.records) storeRecord(world, record);
  for (const entry of state.history) {
    const entries = world.history.get(entry.taskId);
    if (entries === undefined) world.history.set(entry.taskId, [entry]);
    else entries.push(entry);
  }
  for (const event of state.agenda) {
    if (!isEventName(event.what)) throw new Refusal('badRequest', `agenda: ${event.what}`);
    world.agenda.add(event);
  }
  world.plannedFailures = state.plannedFailures;
  return world;
}

function fill<T>(map: Map<string, T>, from: Readonly<Record<string, T>>): void {
  for (const [key, value] of Object.entries(from)) map.set(key, value);
}
