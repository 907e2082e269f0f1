/** The answer for one service, from the calculation. Restoring waits until there has been room for long enough. */
import { shortageOf } from './arithmetic.ts';
import type { Placement } from './model.ts';
import type { State } from './state.ts';

interface Outcome {
  readonly placement: Placement;
  /** When instances are restored if there is still room. */
  readonly dueMs?: number;
}

type Size = Pick<Placement, 'allowed' | 'surge' | 'nodeNames'>;

export function placementOf(state: State, nowMs: number, restoreMs: number): Outcome {
  const { service, target, given } = state;
  const { hold, desired } = service;
  const size = state.isStatic ? sizeByNode : sizeByCount;
  if (given > 0) {
    const left = size(state, false);
    // An update may lose its further instances only.
    return { placement: left.allowed < desired ? held(state, left, state.givenBy?.service.name) : left };
  }
  const full = size(state, true);
  const victims = victimsOf(state);
  // Nothing is held any more if the user wants fewer.
  if (hold === undefined || target >= desired) return { placement: { ...full, ...victims, ...shortageOf(state) } };
  const kept = size(state, false);
  if (full.allowed <= target) return { placement: { ...held(state, kept, hold.by), ...victims } };
  const roomSinceMs = hold.roomSinceMs ?? nowMs;
  const dueMs = Math.max(roomSinceMs + restoreMs - nowMs, 0);
  if (dueMs > 0) return { placement: { ...held(state, kept, hold.by, roomSinceMs), ...victims }, dueMs };
  return {
    placement: full.allowed < desired ? { ...held(state, full, hold.by), ...victims } : { ...full, ...victims },
  };
}

function held(
  { isStatic, kept, target, given }: State,
  size: Size,
  by: string | undefined,
  roomSinceMs?: number,
): Placement {
  // Some of the instances that were left may be missing: they are not given up.
  const allowed = given > 0 ? size.allowed : Math.max(size.allowed, target);
  const nodeNames = given > 0 || size.allowed > target ? size.nodeNames : [...kept];
  const hold = {
    ...(by === undefined ? {} : { by }),
    allowed,
    ...(isStatic && nodeNames !== undefined ? { nodeNames } : {}),
    ...(roomSinceMs === undefined ? {} : { roomSinceMs }),
  };
  return { ...size, hold };
}

/** `isFull`: with those that are restored. Instances that exist or were requested stay, unless they are given up. */
function sizeByCount({ service, count, granted, given, target }: State, isFull: boolean): Size {
  const { desired, surge } = service;
  const existing = Math.max(Math.min(count, target + surge) - given, 0);
  const total = Math.min(existing, target) + granted;
  const allowed = Math.min(isFull ? desired : target, total);
  const further = Math.max(existing - target, 0) + (isFull ? total - allowed : 0);
  return { allowed, surge: Math.min(surge, further) };
}

/** A node that is offline stays: the instance waits for it, not for room. */
function sizeByNode(state: State, isFull: boolean): Size {
  const { service, granted, grantedNodes, kept, givenNodes } = state;
  const { placed, floatingNodes, surge } = service;
  const isThere = (name: string) => placed.has(name) || floatingNodes.includes(name);
  const nodeNames = service.nodeNames.filter((name) => {
    if (!kept.has(name)) return isFull && grantedNodes.has(name);
    return !givenNodes.has(name) && (isThere(name) || grantedNodes.has(name) || !state.isOnline(name));
  });
  return { allowed: nodeNames.length, surge: isFull ? Math.min(surge, granted) : 0, nodeNames };
}

function victimsOf({ victims }: State): Pick<Placement, 'victims'> {
  return victims.size === 0 ? {} : { victims: [...victims].map(([name, replicas]) => ({ name, replicas })) };
}
