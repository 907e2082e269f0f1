/** What the calculation knows of one service, and the instances of all services by node. */
import type { PlacementService } from './model.ts';
import type { Room } from './room.ts';

/** Instances of one service on one node. */
export interface Entry {
  readonly state: State;
  readonly node: number;
  count: number;
  /** Of them, those that were chosen to be given up, or that will be deleted anyway and were counted as free. */
  taken: number;
  /** Of them, those whose node is only assumed. */
  movable: number;
}

export class State {
  readonly service: PlacementService;
  readonly #room: Room;
  #pool: readonly number[] | undefined;
  /** The number of instances without restoring any. */
  readonly target: number;
  /** For Static: the nodes without restoring any. */
  readonly kept: ReadonlySet<string>;
  /** Instances that exist or were requested. */
  readonly count: number;
  /** Of them, those that will be deleted anyway and were not counted as free yet (Dynamic). */
  leaving: number;
  /** Requested instances without a node that has room. */
  homeless = 0;
  /** For Static: their nodes. */
  homelessNodes: readonly string[] = [];
  /** Of them, those that get room after others were deleted. */
  movingLater = 0;
  /** Instances given up in this calculation. */
  given = 0;
  givenBy: State | undefined;
  /** For Static: the nodes of those. */
  readonly givenNodes = new Set<string>();
  /** Instances that may be created now. */
  granted = 0;
  /** For Static: the nodes of those. */
  readonly grantedNodes = new Set<string>();
  /** Instances that may be created after others were deleted. */
  later = 0;
  /** Instances that fit nowhere. */
  failed = 0;
  /** What the first of them needs, and the room that there is. */
  failure: string | undefined;
  /** Further instances that an update cannot proceed without, and that fit nowhere. */
  isSurgeMissing = false;
  /** Name → instances that are given up, or deleted anyway, before this service can grow. */
  readonly awaited = new Map<string, number>();
  readonly victims = new Map<string, number>();

  constructor(service: PlacementService, room: Room) {
    const { policy, desired, hold, placed, floating, floatingNodes, surge } = service;
    this.service = service;
    this.#room = room;
    this.kept = policy === 'Static' ? keptNodes(service) : new Set();
    this.target = policy === 'Static' ? this.kept.size : Math.min(desired, hold?.allowed ?? desired);
    let count = floating + floatingNodes.length;
    for (const instances of placed.values()) count += instances;
    this.count = count;
    this.leaving = policy === 'Static' ? 0 : Math.max(count - this.target - surge, 0);
  }

  get isStatic(): boolean {
    return this.service.policy === 'Static';
  }

  /** The nodes that are online. Most services need no room, and are not asked. */
  get pool(): readonly number[] {
    this.#pool ??= this.#room.indexesOf(this.service.nodeNames);
    return this.#pool;
  }

  isOnline(name: string): boolean {
    return this.#room.indexOf(name) !== undefined;
  }

  /** How many of these instances will be deleted anyway. */
  leavingOf({ node, count, taken }: Entry): number {
    if (!this.isStatic) return Math.min(count - taken, this.leaving);
    const name = this.#room.names[node];
    return name !== undefined && this.kept.has(name) ? 0 : count - taken;
  }
}

/** Highest priority first, then the oldest, then by name. */
export function compareStates({ service: left }: State, { service: right }: State): number {
  if (left.priority !== right.priority) return right.priority - left.priority;
  if (left.createdTime !== right.createdTime) return left.createdTime < right.createdTime ? -1 : 1;
  return left.key < right.key ? -1 : 1;
}

/** A hold that was read from a status has no names: instances that exist stay. */
function keptNodes({ nodeNames, placed, hold }: PlacementService): ReadonlySet<string> {
  if (hold === undefined) return new Set(nodeNames);
  if (hold.nodeNames !== undefined) {
    const left = new Set(hold.nodeNames);
    return new Set(nodeNames.filter((name) => left.has(name)));
  }
  const existing = nodeNames.filter((name) => placed.has(name));
  return new Set([...existing, ...nodeNames].slice(0, hold.allowed));
}

/** The instances on each node. */
export class Occupancy {
  readonly #room: Room;
  readonly #entries: Entry[][];
  readonly #unsorted = new Set<number>();
  /** The last service that took room on a node in this calculation. */
  readonly #takers: (State | undefined)[] = [];

  constructor(room: Room) {
    this.#room = room;
    this.#entries = room.names.map(() => []);
  }

  /** Those to be given up first come first. */
  on(node: number): readonly Entry[] {
    const entries = this.#entries[node] ?? [];
    if (this.#unsorted.delete(node)) entries.sort((left, right) => compareStates(right.state, left.state));
    return entries;
  }

  taker(node: number): State | undefined {
    return this.#takers[node];
  }

  /** They exist. Whether there is room is not asked. */
  add(state: State, node: number, count: number): void {
    this.#room.take(node, state.service.limits, count);
    this.#entry(state, node).count += count;
  }

  /** It is assumed to be created here. */
  assume(state: State, node: number): void {
    this.#room.take(node, state.service.limits);
    const entry = this.#entry(state, node);
    entry.count++;
    if (!state.isStatic) entry.movable++;
    this.#takers[node] = state;
  }

  /** It is no longer assumed to be created here. */
  withdraw(state: State, node: number): void {
    this.#room.take(node, state.service.limits, -1);
    const entry = this.#entry(state, node);
    entry.count--;
    entry.movable--;
  }

  /** It is assumed to be created on another node instead. */
  move({ state, node }: Entry, to: number): void {
    this.withdraw(state, node);
    this.assume(state, to);
  }

  /** Room that others leave is kept for it. */
  reserve(state: State, node: number): void {
    this.#room.reserve(node, state.service.limits);
    this.#takers[node] = state;
  }

  #entry(state: State, node: number): Entry {
    const entries = this.#entries[node] ?? [];
    const last = entries.at(-1);
    const found = last?.state === state ? last : entries.find((one) => one.state === state);
    if (found !== undefined) return found;
    const entry = { state, node, count: 0, taken: 0, movable: 0 };
    entries.push(entry);
    this.#unsorted.add(node);
    return entry;
  }
}
