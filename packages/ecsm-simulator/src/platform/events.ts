/** Processes scheduled events in order, each at its own time. */
import { containerEvents } from './containers.ts';
import { deploymentEvents } from './deployment.ts';
import { imageEvents } from './images.ts';
import { instanceEvents } from './instances.ts';
import { migrationEvents } from './migration.ts';
import type { ScheduledEvent } from './model.ts';
import { rolloutEvents } from './rollout.ts';
import { serviceEvents } from './services.ts';
import { transactionEvents } from './transactions.ts';
import type { World } from './world.ts';

/** The handlers of all scheduled events. */
const events = {
  ...containerEvents,
  ...deploymentEvents,
  ...imageEvents,
  ...instanceEvents,
  ...migrationEvents,
  ...rolloutEvents,
  ...serviceEvents,
  ...transactionEvents,
} as const satisfies Readonly<Record<string, (world: World, event: ScheduledEvent) => void>>;

export type EventName = keyof typeof events;

export function isEventName(what: string): what is EventName {
  return Object.hasOwn(events, what);
}

/**
 * Delays of further events start at the time of the event, so the result does not depend on how often this is called.
 */
export function advanceTo(world: World, nowMs: number): void {
  for (let due = world.agenda.takeDue(nowMs); due !== undefined; due = world.agenda.takeDue(nowMs)) {
    // A restored state may have overdue events.
    world.nowMs = Math.max(world.nowMs, due.atMs);
    events[due.what](world, due);
  }
  world.nowMs = nowMs;
}
