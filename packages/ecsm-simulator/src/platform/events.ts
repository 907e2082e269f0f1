/** Lets time pass: everything that is due happens, each at its own moment. */
import { containerEvents } from './containers.ts';
import { deploymentEvents } from './deployment.ts';
import { imageEvents } from './images.ts';
import { instanceEvents } from './instances.ts';
import { migrationEvents } from './migration.ts';
import type { Appointment } from './model.ts';
import { rolloutEvents } from './rollout.ts';
import { serviceEvents } from './services.ts';
import { transactionEvents } from './transactions.ts';
import type { World } from './world.ts';

/** What can happen by itself when time passes. */
const events = {
  ...containerEvents,
  ...deploymentEvents,
  ...imageEvents,
  ...instanceEvents,
  ...migrationEvents,
  ...rolloutEvents,
  ...serviceEvents,
  ...transactionEvents,
} as const satisfies Readonly<Record<string, (world: World, appointment: Appointment) => void>>;

export type Happening = keyof typeof events;

export function isHappening(what: string): what is Happening {
  return Object.hasOwn(events, what);
}

/** What an event plans is counted from the event's own time, so it does not matter how often anybody looks. */
export function advanceTo(world: World, nowMs: number): void {
  for (let due = world.agenda.takeDue(nowMs); due !== undefined; due = world.agenda.takeDue(nowMs)) {
    // A restored state may have appointments that are overdue.
    world.nowMs = Math.max(world.nowMs, due.atMs);
    events[due.what](world, due);
  }
  world.nowMs = nowMs;
}
