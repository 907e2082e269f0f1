/**
 * One pure function over all services: how many instances each of them may have, and on which nodes if they are fixed.
 *
 * - An instance that exists stays where it is, and counts until it is deleted.
 * - The highest priority comes first, then the oldest service, then the name.
 * - If an instance does not fit, the fewest instances of the lowest priorities are given up for it: never for an equal or
 *   lower priority, and only if the class of the service allows it. It is created after they were deleted.
 * - The platform chooses the node within a pool, so "fits" means that there is an assignment of all instances to nodes.
 *   It is searched for greedily, moving one other instance at most.
 * - Instances that were given up are restored, highest priority first, when there has been room for `restoreMs`.
 *
 * The same input gives the same result. Declared limits are compared with capacities: use at run time plays no role.
 */
import type { InstanceLimits } from '../../fleet/fleet-service.ts';
import { needText } from './arithmetic.ts';
import type { PlacementInput, PlacementResult, PlacementService } from './model.ts';
import { placementOf } from './outcome.ts';
import { Room } from './room.ts';
import { compareStates, Occupancy, State } from './state.ts';
import { type Preemption, preempt, takeBack } from './victims.ts';

export function isLimited({ limits }: { readonly limits: InstanceLimits }): boolean {
  return limits.memoryBytes !== undefined || limits.diskBytes !== undefined;
}

export function place({ nodes, services, nowMs, restoreMs }: PlacementInput): PlacementResult {
  const room = new Room(nodes);
  const states = services.filter(isLimited).map((service) => new State(service, room));
  states.sort(compareStates);
  const calculation = new Calculation(room);
  for (const state of states) calculation.addExisting(state);
  calculation.assumeRequested(states);
  for (const state of states) calculation.serve(state);
  const placements = new Map<string, ReturnType<typeof placementOf>['placement']>();
  let dueMs: number | undefined;
  for (const state of states) {
    const outcome = placementOf(state, nowMs, restoreMs);
    placements.set(state.service.key, outcome.placement);
    if (outcome.dueMs !== undefined) dueMs = Math.min(outcome.dueMs, dueMs ?? outcome.dueMs);
  }
  return { placements, ...(dueMs === undefined ? {} : { dueMs }) };
}

function compareChoice(left: State, right: State): number {
  return left.pool.length - right.pool.length || compareSize(left, right);
}

function compareSize({ service: left }: State, { service: right }: State): number {
  const memoryBytes = (right.limits.memoryBytes ?? 0) - (left.limits.memoryBytes ?? 0);
  return memoryBytes || (right.limits.diskBytes ?? 0) - (left.limits.diskBytes ?? 0);
}

type Preferred = 'emptiest' | 'fullest';

const attempts: readonly (readonly [typeof compareSize, Preferred])[] = [
  [compareChoice, 'emptiest'],
  [compareSize, 'fullest'],
  [compareChoice, 'fullest'],
];

/** Moves that are tried in one calculation: they only matter while instances are being created. */
const movesMax = 20_000;

/** Instances without room that will be deleted anyway need none. */
function dropLeaving(state: State): void {
  const leaving = Math.min(state.homeless, state.leaving);
  state.homeless -= leaving;
  state.leaving -= leaving;
}

class Calculation {
  readonly #room: Room;
  readonly #occupancy: Occupancy;
  #moves = 0;

  constructor(room: Room) {
    this.#room = room;
    this.#occupancy = new Occupancy(room);
  }

  addExisting(state: State): void {
    for (const [name, count] of state.service.placed) {
      const node = this.#room.indexOf(name);
      if (node !== undefined) this.#occupancy.add(state, node, count);
      // The platform moves instances of a lost node. A fixed instance waits for its node.
      else if (!state.isStatic) state.homeless += count;
    }
    dropLeaving(state);
    // The platform may still create all that were requested, also those that will be deleted.
    state.homeless += state.service.floating;
  }

  /**
   * Instances that the platform is creating, or moving, will be somewhere in the pool. Those with the fewest nodes, or the
   * largest ones, are assumed first, so that all of them find room; if there is not enough, those of the highest priority.
   */
  assumeRequested(states: readonly State[]): void {
    for (const state of states) this.#assumeNodes(state);
    this.#assumeAnywhere(states);
    for (const state of states) dropLeaving(state);
  }

  #assumeAnywhere(states: readonly State[]): void {
    const requested = states.filter(({ homeless }) => homeless > 0);
    for (const [compare, preferred] of attempts) {
      const assumed = [...requested].sort(compare).flatMap((state) => this.#assumeAll(state, preferred));
      if (requested.every(({ homeless }) => homeless === 0)) return;
      for (const { state, node } of assumed) {
        this.#occupancy.withdraw(state, node);
        state.homeless++;
      }
    }
    for (const state of requested) this.#assumeAll(state, 'emptiest');
  }

  #assumeAll(state: State, preferred: Preferred): { readonly state: State; readonly node: number }[] {
    const assumed: { readonly state: State; readonly node: number }[] = [];
    for (; state.homeless > 0; state.homeless--) {
      const node = this.#room.choose(state.pool, state.service.limits, preferred);
      if (node === undefined) break;
      this.#occupancy.assume(state, node);
      assumed.push({ state, node });
    }
    return assumed;
  }

  #assumeNodes(state: State): void {
    state.homelessNodes = state.service.floatingNodes.filter((name) => {
      const node = this.#room.indexOf(name);
      if (node === undefined) return false;
      const fits = this.#room.fitsNow(node, state.service.limits);
      if (fits) this.#occupancy.add(state, node, 1);
      return !fits && state.kept.has(name);
    });
  }

  serve(state: State): void {
    // Instances of it are given up: it cannot get others, and those without room are given up too.
    if (state.given > 0) {
      this.#giveUpHomeless(state);
      return;
    }
    const preemptions: Preemption[] = [];
    if (state.isStatic) {
      this.#serveHomelessNodes(state, preemptions);
      if (state.given === 0) this.#serveNodes(state, preemptions);
    } else {
      this.#serveHomeless(state, preemptions);
      if (state.given + state.homeless === 0) this.#serveCount(state, preemptions);
    }
    takeBack(preemptions, this.#room);
  }

  /**
   * Instances of lost nodes. If a service of higher priority has taken the room, they are given up: otherwise the platform
   * could create them there first.
   */
  #serveHomeless(state: State, preemptions: Preemption[]): void {
    for (; state.homeless > 0; state.homeless--) {
      const when = this.#placeOne(state, state.pool, true, preemptions);
      if (when === undefined) break;
      if (when === 'later') state.movingLater++;
    }
    if (state.homeless === 0) return;
    const by = this.#takerAbove(state, state.pool);
    if (by === undefined) {
      this.#fail(state, state.homeless, state.pool);
      return;
    }
    state.given = state.homeless;
    state.givenBy = by;
    state.homeless = 0;
  }

  #giveUpHomeless(state: State): void {
    for (; state.homeless > 0; state.homeless--) {
      if (this.#placeOne(state, state.pool, false, []) === undefined) state.given++;
    }
    for (const name of state.homelessNodes) {
      if (this.#placeOne(state, this.#room.indexesOf([name]), false, []) !== undefined) continue;
      state.given++;
      state.givenNodes.add(name);
    }
  }

  /** The same for instances that were requested on particular nodes, which may have been lost. */
  #serveHomelessNodes(state: State, preemptions: Preemption[]): void {
    for (const name of state.homelessNodes) {
      const nodes = this.#room.indexesOf([name]);
      const when = this.#placeOne(state, nodes, true, preemptions);
      if (when === 'later') state.movingLater++;
      if (when !== undefined) continue;
      const by = this.#takerAbove(state, nodes);
      if (by === undefined) {
        this.#fail(state, state.failed + 1, nodes);
        continue;
      }
      state.given++;
      state.givenBy ??= by;
      state.givenNodes.add(name);
    }
  }

  /** A service of higher priority that took room on one of these nodes. */
  #takerAbove({ service }: State, nodes: readonly number[]): State | undefined {
    const takers = nodes.map((node) => this.#occupancy.taker(node));
    return takers.find((taker) => taker !== undefined && taker.service.priority > service.priority);
  }

  #serveCount(state: State, preemptions: Preemption[]): void {
    const { desired, surge, isSurgeNeeded } = state.service;
    const wanted = Math.max(desired - state.count, 0);
    for (let n = 0; n < wanted && state.failed === 0; n++) {
      const when = this.#placeOne(state, state.pool, true, preemptions);
      if (when === 'now') state.granted++;
      else if (when === 'later') state.later++;
      else this.#fail(state, wanted - n, state.pool);
    }
    if (state.target < desired || state.failed + state.later > 0) return;
    const extra = Math.min(surge, Math.max(desired + surge - state.count, 0));
    for (let n = 0; n < extra; n++) {
      const when = this.#placeOne(state, state.pool, isSurgeNeeded, preemptions);
      if (when === undefined && isSurgeNeeded) this.#failSurge(state, state.pool);
      if (when !== 'now') return;
      state.granted++;
    }
  }

  #serveNodes(state: State, preemptions: Preemption[]): void {
    const { nodeNames, placed, floatingNodes, surge, isSurgeNeeded } = state.service;
    for (const name of nodeNames) {
      const node = this.#room.indexOf(name);
      if (node === undefined || placed.has(name) || floatingNodes.includes(name)) continue;
      const when = this.#placeOne(state, [node], true, preemptions);
      if (when === 'now') state.grantedNodes.add(name);
      else if (when === 'later') state.later++;
      else this.#fail(state, state.failed + 1, [node]);
    }
    if (surge === 0 || state.kept.size < nodeNames.length || state.failed + state.later > 0) return;
    // The update chooses the nodes of further instances: each of them needs room.
    const whens = state.pool.map((node) => this.#placeOne(state, [node], isSurgeNeeded, preemptions));
    if (whens.every((when) => when === 'now')) state.granted = surge;
    else if (isSurgeNeeded && whens.includes(undefined)) this.#failSurge(state, state.pool);
  }

  #fail(state: State, count: number, nodes: readonly number[]): void {
    state.failed = count;
    state.failure ??= needText(state.service, nodes, this.#room);
  }

  #failSurge(state: State, nodes: readonly number[]): void {
    state.isSurgeMissing = true;
    state.failure = needText(state.service, nodes, this.#room);
  }

  #placeOne(
    state: State,
    nodes: readonly number[],
    mayPreempt: boolean,
    preemptions: Preemption[],
  ): 'now' | 'later' | undefined {
    const { limits } = state.service;
    const free = this.#room.emptiest(nodes, limits) ?? this.#moveOne(state, nodes);
    if (free !== undefined) {
      this.#occupancy.assume(state, free);
      return 'now';
    }
    const left = nodes.find((node) => this.#room.fits(node, limits));
    if (left !== undefined) {
      this.#occupancy.reserve(state, left);
      return 'later';
    }
    if (!mayPreempt) return undefined;
    const preemption = preempt(state, nodes, this.#room, this.#occupancy);
    if (preemption === undefined) return undefined;
    preemptions.push(preemption);
    return 'later';
  }

  /** Makes room by assuming that one instance, whose node is not known yet, is created on another node. */
  #moveOne({ service }: State, nodes: readonly number[]): number | undefined {
    for (const node of nodes) {
      for (const entry of this.#occupancy.on(node)) {
        if (entry.movable <= entry.taken || ++this.#moves > movesMax) continue;
        const { limits, key } = entry.state.service;
        if (key === service.key || !this.#wouldFit(node, service, entry.state.service)) continue;
        const other = this.#room.emptiest(entry.state.pool, limits);
        if (other === undefined || other === node) continue;
        this.#occupancy.move(entry, other);
        return node;
      }
    }
    return undefined;
  }

  #wouldFit(node: number, service: PlacementService, without: PlacementService): boolean {
    this.#room.take(node, without.limits, -1);
    const fits = this.#room.fitsNow(node, service.limits);
    this.#room.take(node, without.limits);
    return fits;
  }
}
