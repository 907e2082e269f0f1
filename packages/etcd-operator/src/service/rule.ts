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

/** Do this. */
export function act(input: PassInput, action: Action, extras: Extras = {}): Decision {
  return { recorded: input.recorded, events: [], action, ...extras };
}

/** Write this into the status, and go on in the next pass. */
export function record(recorded: Recorded, events: readonly PlannedEvent[] = []): Decision {
  return { recorded, events, requeueAfterMs: 0 };
}

/** Nothing can be done until something happens, which is expected. */
export function wait(input: PassInput, reason: ConditionReason, message: string, extras: Extras = {}): Decision {
  return { recorded: input.recorded, events: [], waiting: { reason, message }, ...extras };
}

/** Nothing is done until a person acts, or a fault ends. */
export function blocked(
  { recorded }: PassInput,
  reason: ConditionReason,
  message: string,
  extras: Extras = {},
): Decision {
  return { recorded, events: [], problem: { reason, message }, ...extras };
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

/** Without what is known of the volume of a slot whose member is gone. */
export function withoutVolume(recorded: Recorded, slot: number): Recorded {
  const { [slot]: _, ...volumes } = recorded.volumes;
  const { space } = recorded;
  if (space === undefined) return { ...recorded, volumes };
  // The next member gets its data from the leader, whose file may still be large.
  const others = (slots: readonly number[]) => slots.filter((other) => other !== slot);
  const { compacted, defragmented } = space;
  return {
    ...recorded,
    volumes,
    space: { ...space, compacted: others(compacted), defragmented: others(defragmented) },
  };
}

/** Whether the volume of a slot is of a member before a restore or a recovery. */
export function isParked({ parked }: Recorded, { index, volume }: SlotFacts): boolean {
  return volume !== undefined && parked?.[index] === volume.uid;
}
