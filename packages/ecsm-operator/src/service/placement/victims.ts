/**
 * Which instances are given up for an instance of higher priority: those of the lowest priorities, and no more than
 * needed. Instances that will be deleted anyway come first; they cost nothing.
 */
import type { Room } from './room.ts';
import type { Entry, Occupancy, State } from './state.ts';

interface Chosen {
  readonly entry: Entry;
  readonly isLeaving: boolean;
}

/** One instance of `state`, and what is given up for it on the node. */
export interface Preemption {
  readonly state: State;
  node: number;
  chosen: readonly Chosen[];
}

interface Option {
  readonly node: number;
  readonly chosen: readonly Chosen[];
  /** Without those that are deleted anyway. */
  readonly cost: number;
  readonly highestPriority: number;
}

/** Chooses a node and the instances on it, and reserves the room. Returns undefined if nothing can be given up. */
export function preempt(
  state: State,
  nodes: readonly number[],
  room: Room,
  occupancy: Occupancy,
): Preemption | undefined {
  let best: Option | undefined;
  for (const node of nodes) {
    const option = optionOn(node, state, room, occupancy);
    if (option !== undefined && (best === undefined || isBetter(option, best))) best = option;
  }
  if (best === undefined) return undefined;
  const { node, chosen } = best;
  for (const one of chosen) giveUp(one, state, room);
  occupancy.reserve(state, node);
  return { state, node, chosen };
}

/**
 * Takes back what is not needed after all instances have their places: an instance is moved to room that was left over,
 * and instances on its node that fit beside it stay.
 */
export function takeBack(preemptions: readonly Preemption[], room: Room): void {
  for (const one of preemptions) {
    const { limits } = one.state.service;
    const other = one.state.isStatic
      ? undefined
      : one.state.pool.find((node) => node !== one.node && room.fits(node, limits));
    const isWorthIt = one.chosen.some(({ isLeaving }) => !isLeaving);
    if (other !== undefined && isWorthIt) {
      room.reserve(one.node, limits, -1);
      room.reserve(other, limits);
    }
    const left = one.chosen.filter((chosen) => {
      const isNeeded = chosen.isLeaving || !room.fits(one.node, chosen.entry.state.service.limits);
      if (!isNeeded) keep(chosen, one.state, room);
      return isNeeded;
    });
    one.chosen = left;
  }
}

/** The fewest instances of the lowest priorities whose room suffices, with what is free. */
function optionOn(node: number, state: State, room: Room, occupancy: Occupancy): Option | undefined {
  const { limits, priority, mayPreempt } = state.service;
  const gained = { memoryBytes: 0, diskBytes: 0 };
  const chosen: Chosen[] = [];
  const entries = occupancy.on(node);
  const add = (entry: Entry, count: number, isLeaving: boolean) => {
    for (let n = 0; n < count && !room.fits(node, limits, gained); n++) {
      chosen.push({ entry, isLeaving });
      change(gained, entry, 1);
    }
  };
  for (const entry of entries) if (entry.state !== state) add(entry, entry.state.leavingOf(entry), true);
  if (mayPreempt) {
    for (const entry of entries) {
      if (entry.state.service.priority >= priority || room.fits(node, limits, gained)) break;
      add(entry, entry.count - entry.taken - entry.state.leavingOf(entry), false);
    }
  }
  if (chosen.length === 0 || !room.fits(node, limits, gained)) return undefined;
  // The last ones have the highest priorities. An earlier one may not be needed beside a larger one.
  const needed = chosen.reverse().filter(({ entry, isLeaving }) => {
    if (isLeaving) return true;
    change(gained, entry, -1);
    if (room.fits(node, limits, gained)) return false;
    change(gained, entry, 1);
    return true;
  });
  const paid = needed.filter(({ isLeaving }) => !isLeaving);
  const highestPriority = Math.max(...paid.map(({ entry }) => entry.state.service.priority));
  return { node, chosen: needed, cost: paid.length, highestPriority };
}

function isBetter(option: Option, best: Option): boolean {
  if (option.highestPriority !== best.highestPriority) return option.highestPriority < best.highestPriority;
  return option.cost < best.cost;
}

function change(gained: { memoryBytes: number; diskBytes: number }, { state }: Entry, count: number): void {
  const { memoryBytes = 0, diskBytes = 0 } = state.service.limits;
  gained.memoryBytes += memoryBytes * count;
  gained.diskBytes += diskBytes * count;
}

function giveUp({ entry, isLeaving }: Chosen, by: State, room: Room): void {
  const { state, node } = entry;
  const { name, limits } = state.service;
  entry.taken++;
  room.reserve(node, limits, -1);
  by.awaited.set(name, (by.awaited.get(name) ?? 0) + 1);
  if (isLeaving) {
    state.leaving = Math.max(state.leaving - 1, 0);
    return;
  }
  state.given++;
  state.givenBy ??= by;
  if (state.isStatic) state.givenNodes.add(room.names[node] ?? '');
  by.victims.set(name, (by.victims.get(name) ?? 0) + 1);
}

/** The opposite, for an instance that is not needed. */
function keep({ entry }: Chosen, by: State, room: Room): void {
  const { state, node } = entry;
  const { name, limits } = state.service;
  entry.taken--;
  room.reserve(node, limits);
  state.given--;
  if (state.given === 0) state.givenBy = undefined;
  if (state.isStatic && entry.taken === 0) state.givenNodes.delete(room.names[node] ?? '');
  for (const counts of [by.awaited, by.victims]) {
    const count = (counts.get(name) ?? 1) - 1;
    if (count > 0) counts.set(name, count);
    else counts.delete(name);
  }
}
