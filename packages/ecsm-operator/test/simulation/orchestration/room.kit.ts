/** Oracles of priorities: which service is preempted by which, and how much is requested from the nodes. */
import type { Simulation } from '@ecsm/runtime/simulation';
import type { ECSMService } from '../../../src/apis/ecsm-service.ts';
import { parseQuantity } from '../../../src/apis/quantity.ts';
import { hasLateWrite } from '../late.kit.ts';
import { observeMs, ownedServices, stored, type World } from '../world.kit.ts';
import { pool } from './stories.kit.ts';

/** An edit takes effect in the status of others within this time: the next resync finds it if its event is lost. */
const editMs = 660_000;
/** Changes of what one service gives up, in one run. Each edit and each lost node causes a few; ping-pong causes hundreds. */
const changesMax = 16;

interface Held {
  by?: string;
  replicas: number;
  changes: number;
}

export function watchRoom(simulation: Simulation, world: World): void {
  const held = new Map<string, Held>();
  /** The lowest and the highest priority that a service had in the last while. */
  const priorities = new PriorityHistory();
  /** Uid → since when it waits for its dependencies. */
  const waiting = new Map<string, number>();
  let revision = -1;

  simulation.always('nothing is given up for an equal or lower priority', () => {
    if (revision === simulation.store.newest) return undefined;
    revision = simulation.store.newest;
    const objects = stored(simulation);
    priorities.learn(objects, classesOf(simulation), simulation.nowMs);
    for (const { metadata, status } of objects) {
      const ready = status?.conditions.find(({ type }) => type === 'DependenciesReady');
      const isWaiting = ready?.status === 'False' && status?.replicas === 0;
      if (!isWaiting) waiting.delete(metadata.uid);
      else if (!waiting.has(metadata.uid)) waiting.set(metadata.uid, simulation.nowMs);
    }
    for (const { metadata, status } of objects) {
      const { uid, name } = metadata;
      const one = held.get(uid) ?? { replicas: 0, changes: 0 };
      held.set(uid, one);
      const { by, replicas = 0 } = status?.preempted ?? {};
      if (by !== one.by || replicas !== one.replicas) one.changes++;
      one.replicas = replicas;
      if (by === undefined) delete one.by;
      else one.by = by;
      if (by === undefined) continue;
      const other = objects.find((candidate) => `${candidate.metadata.namespace}/${candidate.metadata.name}` === by);
      if (other === undefined) continue;
      const waitingMs = waiting.get(other.metadata.uid);
      if (waitingMs !== undefined && simulation.nowMs - waitingMs > editMs) {
        return `${name} gives up ${replicas} for ${by}, which waits for its dependencies`;
      }
      const mine = priorities.lowest(uid, simulation.nowMs);
      const theirs = priorities.highest(other.metadata.uid, simulation.nowMs);
      if (theirs <= mine) return `${name} (${mine}) gives up ${replicas} for ${by} (${theirs})`;
    }
    return undefined;
  });

  simulation.always('no ping-pong', () => {
    for (const [uid, { changes }] of held) {
      if (changes > changesMax) return `what ${uid} gives up has changed ${changes} times`;
    }
    return undefined;
  });

  let before = 0;
  simulation.always('no growth beyond the memory of the nodes', () => {
    const requested = requestedBytes(simulation, world);
    const grew = requested > before;
    before = requested;
    const { platform } = world.simulator;
    // The operator learns of a lost node with its next poll.
    const isKnownLost = (sinceMs: number) => platform.now() - sinceMs > observeMs * 1.2;
    const online = platform
      .nodes()
      .filter(({ online: is, name, onlineSinceMs }) => pool.includes(name) && (is || !isKnownLost(onlineSinceMs)));
    const capacity = online.reduce((sum, { memoryTotalBytes, memoryOtherBytes }) => {
      return sum + memoryTotalBytes - memoryOtherBytes;
    }, 0);
    if (!grew || requested <= capacity || hasLateWrite(simulation)) return undefined;
    return `${requested} bytes are requested, and the nodes have ${capacity}`;
  });
}

/** The limits of all instances that were requested from the platform, of services that have a priority. */
function requestedBytes(simulation: Simulation, world: World): number {
  const limits = new Map(
    stored(simulation).map(({ metadata, spec }) => {
      const { memory } = spec.template.resources?.limits ?? {};
      return [metadata.uid, memory === undefined ? 0 : (parseQuantity(memory) ?? 0)];
    }),
  );
  return ownedServices(world).reduce((sum, { mark, service, containers }) => {
    const size = service.policy === 'static' ? service.nodeNames.length : service.factor;
    const count = service.deletingMs === null ? Math.max(size, containers.length) : containers.length;
    return sum + count * (limits.get(mark.uid) ?? 0);
  }, 0);
}

function classesOf({ store }: Simulation): ReadonlyMap<string, number> {
  const classes = [...store.jsonBelow('scheduling.k8s.io/v1/priorityclasses/')];
  return new Map(
    classes.map(([, value]) => {
      const { metadata, value: priority } = value as { metadata: { name: string }; value: number };
      return [metadata.name, priority];
    }),
  );
}

class PriorityHistory {
  readonly #known = new Map<string, { readonly value: number; sinceMs: number; untilMs: number }[]>();

  learn(objects: readonly ECSMService[], classes: ReadonlyMap<string, number>, nowMs: number): void {
    for (const { metadata, spec } of objects) {
      const value = classes.get(spec.priorityClassName ?? '') ?? 0;
      const list = this.#known.get(metadata.uid) ?? [];
      this.#known.set(metadata.uid, list);
      const last = list.at(-1);
      if (last?.value === value) continue;
      if (last) last.untilMs = nowMs;
      list.push({ value, sinceMs: nowMs, untilMs: Number.POSITIVE_INFINITY });
    }
  }

  lowest(uid: string, nowMs: number): number {
    return Math.min(...this.#recent(uid, nowMs));
  }

  highest(uid: string, nowMs: number): number {
    return Math.max(...this.#recent(uid, nowMs));
  }

  #recent(uid: string, nowMs: number): readonly number[] {
    const list = this.#known.get(uid) ?? [];
    return list.filter(({ untilMs }) => untilMs >= nowMs - editMs).map(({ value }) => value);
  }
}
