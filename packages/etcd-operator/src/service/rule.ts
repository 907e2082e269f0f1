/** A rule of a pass, and how rules phrase their results. */
import type { ConditionReason, EventReason } from '../apis/reasons.ts';
import type { Action, Decision, Finding, PassInput, PlannedEvent, Recorded, SlotFacts } from './model.ts';

/** Returns undefined if it does not apply; then the next rule decides. */
export type Rule = (input: PassInput) => Decision | undefined;

export interface Extras {
  readonly recorded?: Recorded;
  readonly events?: readonly PlannedEvent[];
  readonly problem?: Finding;
  /** What is recorded once the action was carried out. */
  readonly afterwards?: Recorded;
}

/** Do this, and look again soon. */
export function act(input: PassInput, action: Action, extras: Extras = {}): Decision {
  return { recorded: input.recorded, events: [], requeueAfterMs: soonMs(input), action, ...extras };
}

/** Write this into the status, and go on in the next pass. */
export function record(recorded: Recorded, events: readonly PlannedEvent[] = []): Decision {
  return { recorded, events, requeueAfterMs: 0 };
}

/** Multiples of `busyMs`, where it is not known how long something takes already, and where nothing is in progress. */
const unknownFactor = 4;
const idleFactor = 20;
/** Of the time that an operation takes already: so looking is never what takes long, and costs little in the end. */
const elapsedPart = 20;

/** Often at first, and less often the longer it takes. */
function soonMs({ recorded, facts, settings: { busyMs, restMs } }: PassInput): number {
  const startedAtMs =
    recorded.operation?.startedAtMs ?? recorded.recovery?.startedAtMs ?? recorded.restore?.startedAtMs;
  if (startedAtMs === undefined) return Math.min(busyMs * unknownFactor, restMs);
  return Math.min(Math.max(busyMs, (facts.nowMs - startedAtMs) / elapsedPart), restMs);
}

/** Nothing can be done until something happens, which is expected. */
export function wait(input: PassInput, reason: ConditionReason, message: string, extras: Extras = {}): Decision {
  const { recorded, settings } = input;
  const isBusy = recorded.operation ?? recorded.recovery ?? recorded.restore ?? recorded.stopped;
  const requeueAfterMs = isBusy ? soonMs(input) : Math.min(settings.busyMs * idleFactor, settings.restMs);
  return { recorded, events: [], requeueAfterMs, waiting: { reason, message }, ...extras };
}

/** Nothing is done until a person acts, or a fault ends. */
export function blocked(
  { recorded, settings }: PassInput,
  reason: ConditionReason,
  message: string,
  extras: Extras = {},
): Decision {
  return { recorded, events: [], requeueAfterMs: settings.restMs, problem: { reason, message }, ...extras };
}

export function normal(reason: EventReason, message: string): PlannedEvent {
  return { type: 'Normal', reason, message };
}

export function warning(reason: EventReason, message: string): PlannedEvent {
  return { type: 'Warning', reason, message };
}

/** Without the operation in progress. */
export function finished(recorded: Recorded): Recorded {
  const { operation: _, ...rest } = recorded;
  return rest;
}

/** Without the volume of a slot whose member is gone. */
export function withoutVolume(recorded: Recorded, slot: number): Recorded {
  const { [slot]: _, ...volumes } = recorded.volumes;
  return { ...recorded, volumes };
}

/** Whether the volume of a slot is of a member before a restore or a recovery. */
export function isParked({ parked }: Recorded, { index, volume }: SlotFacts): boolean {
  return volume !== undefined && parked?.[index] === volume.uid;
}
