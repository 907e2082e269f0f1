/** Oracles of dependencies: the order of starts and deletions. */
import type { Clock } from '@ecsm/runtime';
import type { Simulation } from '@ecsm/runtime/simulation';
import type { ECSMService } from '../../../src/apis/ecsm-service.ts';
import { hasLateWrite } from '../late.kit.ts';
import { ownedServices, stored, type World } from '../world.kit.ts';

/** A dependency may be lost between the decision and its effect on the platform. */
const reactionMs = 30_000;
/** Services that are deleted together are marked within this time. */
const markedMs = 2_000;

interface Seen {
  readonly name: string;
  readonly createdMs: number;
  /** When it last met each condition, by its status. */
  availableMs?: number;
  existsMs?: number;
  /** Whether instances were requested on the platform at the last check. */
  isStarted: boolean;
  /** When it was last found without requested instances, after it had some; in wall time. */
  stoppedMs?: number;
  /** Its dependencies, and since when it has them. */
  needs: string;
  needsSinceMs: number;
}

export function watchOrder(simulation: Simulation, world: World, operatorClock: Pick<Clock, 'now'>): void {
  const seen = new Map<string, Seen>();
  /** Of objects, by uid, as last stored. */
  let objects: readonly ECSMService[] = [];
  let revision = -1;

  simulation.always('a service starts after its dependencies', () => {
    if (revision !== simulation.store.newest) {
      revision = simulation.store.newest;
      objects = stored(simulation);
      learn(objects, seen, simulation.nowMs);
    }
    const owned = ownedServices(world);
    for (const object of objects) {
      const { uid, name } = object.metadata;
      const one = seen.get(uid);
      if (one === undefined) continue;
      const size = owned
        .filter(({ mark, service }) => mark.uid === uid && service.deletingMs === null)
        .reduce(
          (sum, { service }) => sum + (service.policy === 'static' ? service.nodeNames.length : service.factor),
          0,
        );
      const wasStarted = one.isStarted;
      one.isStarted = size > 0;
      if (wasStarted && !one.isStarted) one.stoppedMs = simulation.clock.now();
      const isNew = simulation.nowMs - one.needsSinceMs < reactionMs && one.needsSinceMs > one.createdMs;
      if (wasStarted || !one.isStarted || isNew || hasLateWrite(simulation)) continue;
      for (const dependency of object.spec.dependsOn ?? []) {
        const needed = objects.find(({ metadata }) => metadata.name === dependency.name);
        const state = needed && seen.get(needed.metadata.uid);
        const metMs = dependency.condition === 'Exists' ? state?.existsMs : state?.availableMs;
        if (metMs === undefined || simulation.nowMs - metMs > reactionMs) {
          return `${name} was started, and ${dependency.name} was last ${dependency.condition} at ${metMs} ms`;
        }
      }
    }
    return undefined;
  });

  /** When the deletion of a platform service was first seen, in wall time, by its id. */
  const deleting = new Map<string, number>();
  simulation.always('a service is deleted after those that depend on it', () => {
    const owned = ownedServices(world);
    for (const { service } of owned) {
      if (service.deletingMs !== null && !deleting.has(service.id)) deleting.set(service.id, simulation.clock.now());
    }
    if (deleting.size === 0) return undefined;
    for (const { metadata, spec } of objects) {
      const requestedMs = Date.parse(metadata.deletionTimestamp ?? '');
      const isThere = owned.some(({ mark, service }) => mark.uid === metadata.uid && service.deletingMs === null);
      if (Number.isNaN(requestedMs) || !isThere || isCyclic(objects, metadata.name)) continue;
      for (const dependency of spec.dependsOn ?? []) {
        const needed = objects.find((one) => one.metadata.name === dependency.name);
        if (needed?.metadata.deletionTimestamp === undefined) continue;
        const early = owned.find(
          ({ mark, service }) =>
            mark.uid === needed.metadata.uid && (deleting.get(service.id) ?? 0) > requestedMs + reactionMs,
        );
        if (early && !hasLateWrite(simulation)) return `${early.service.name} is deleted before ${metadata.name}`;
      }
    }
    return undefined;
  });

  simulation.always('a service that is deleted together with its dependency is not stopped before', () => {
    // The operator compares the time of a deletion with its clock.
    if (operatorClock.now() !== simulation.clock.now()) return undefined;
    for (const { metadata, spec } of objects) {
      const { isStarted, stoppedMs = 0 } = seen.get(metadata.uid) ?? {};
      const requestedMs = Date.parse(metadata.deletionTimestamp ?? '');
      if (Number.isNaN(requestedMs) || isStarted || stoppedMs < requestedMs - markedMs) continue;
      const isScaled = ownedServices(world).some(({ mark, service: { deletingMs } }) => {
        return mark.uid === metadata.uid && deletingMs === null;
      });
      const isWith = (spec.dependsOn ?? []).some(({ name }) =>
        objects.some((one) => one.metadata.name === name && one.metadata.deletionTimestamp !== undefined),
      );
      if (isScaled && isWith && !hasLateWrite(simulation)) return `${metadata.name} was scaled to 0`;
    }
    return undefined;
  });
}

function learn(objects: readonly ECSMService[], seen: Map<string, Seen>, nowMs: number): void {
  // What was true until now was true until this moment.
  for (const { metadata, spec, status } of objects) {
    const needs = JSON.stringify(spec.dependsOn ?? []);
    const { name, uid } = metadata;
    const one = seen.get(uid) ?? { name, createdMs: nowMs, isStarted: false, needs, needsSinceMs: nowMs };
    seen.set(uid, one);
    if (one.needs !== needs) one.needsSinceMs = nowMs;
    one.needs = needs;
    const available = status?.conditions.find(({ type }) => type === 'Available');
    const isPreempted = status?.preempted !== undefined;
    if (available?.status === 'True' || isPreempted) one.availableMs = Number.POSITIVE_INFINITY;
    else if (one.availableMs === Number.POSITIVE_INFINITY) one.availableMs = nowMs;
    if ((status?.replicas ?? 0) > 0 || isPreempted) one.existsMs = Number.POSITIVE_INFINITY;
    else if (one.existsMs === Number.POSITIVE_INFINITY) one.existsMs = nowMs;
  }
}

/** Whether a service depends on itself through others: then no order can be kept. */
function isCyclic(objects: readonly ECSMService[], start: string): boolean {
  const next = (name: string) =>
    objects.find(({ metadata }) => metadata.name === name)?.spec.dependsOn?.map((one) => one.name) ?? [];
  const visited = new Set<string>();
  const waiting = [...next(start)];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name === start) return true;
    if (visited.has(name)) continue;
    visited.add(name);
    waiting.push(...next(name));
  }
  return false;
}
