/**
 * The faults of a run, as plain data. A run gets a list of faults, or derives one from its seed (random-faults.ts). It
 * reports the faults that took effect, so that another run can repeat them.
 */

/** `event` is the delivery of one commit to a watcher. */
export type EffectKind = 'read' | 'write' | 'event';

/** The error of a lost request or response: a timeout, or a broken connection. */
export type LossError = 'Timeout' | 'Unavailable';

interface AtEffect {
  readonly process: string;
  /** Effects of a process are numbered from 1, across restarts. */
  readonly effect: number;
}

interface AtTime {
  /** Virtual milliseconds since the start of the run. */
  readonly timeMs: number;
}

/** A fault of one effect. */
export type EffectFault = AtEffect &
  (
    | { readonly type: 'delay'; readonly delayMs: number }
    /** Never applied. */
    | { readonly type: 'lostRequest'; readonly error: LossError }
    /** Applied, but the caller gets an error. */
    | { readonly type: 'lostResponse'; readonly error: LossError }
    /** Applied again later, if the effect is repeatable. */
    | { readonly type: 'duplicate'; readonly delayMs: number }
    /** Returns the state of that many revisions ago, if the effect supports it. */
    | { readonly type: 'staleRead'; readonly revisions: number }
    /** The process crashes before it is sent. */
    | { readonly type: 'crashBefore'; readonly restartMs: number }
    /** The process crashes after it is applied, before the response arrives. */
    | { readonly type: 'crashAfter'; readonly restartMs: number }
    /** The watch breaks with `Unavailable` instead of delivering the event. */
    | { readonly type: 'breakWatch' }
    /** The event is lost silently. This violates the store contract: only a resync repairs it. */
    | { readonly type: 'dropEvent' }
    /** The event is delivered twice. This violates the store contract, too. */
    | { readonly type: 'repeatEvent' }
  );

/** A fault at a point in time. */
export type TimedFault = AtTime &
  (
    | { readonly type: 'kill'; readonly process: string; readonly restartMs: number }
    | { readonly type: 'clockStep'; readonly process: string; readonly stepMs: number }
    /** The process cannot reach the other end of the link: `store`, or the `link` of an effect. */
    | { readonly type: 'partition'; readonly process: string; readonly link: string; readonly lengthMs: number }
    /** The store is compacted to its newest revisions. */
    | { readonly type: 'compact'; readonly keepRevisions: number }
  );

export type Fault = EffectFault | TimedFault;

/** The properties of an effect that decide which faults apply to it. */
export interface EffectTraits {
  readonly kind: EffectKind;
  readonly repeatable: boolean;
  readonly stale: boolean;
}

/** Decides which faults happen. */
export interface FaultPlan {
  /** The timed faults of the whole run. */
  readonly timed: readonly TimedFault[];
  at(process: string, effect: number, timeMs: number, traits: EffectTraits): EffectFault | undefined;
}

const always = { read: true, write: true, event: true };
const requests = { read: true, write: true, event: false };
const events = { read: false, write: false, event: true };

const applicable: { readonly [T in EffectFault['type']]: Readonly<Record<EffectKind, boolean>> } = {
  delay: always,
  lostRequest: requests,
  lostResponse: requests,
  duplicate: requests,
  staleRead: requests,
  crashBefore: always,
  crashAfter: always,
  breakWatch: events,
  dropEvent: events,
  repeatEvent: events,
};

export function isPossible(type: EffectFault['type'], { kind, repeatable, stale }: EffectTraits): boolean {
  if (type === 'duplicate') return repeatable;
  if (type === 'staleRead') return stale;
  return applicable[type][kind];
}

/** Exactly these faults. A fault that does not apply to its effect is ignored. */
export function explicitFaults(faults: readonly Fault[]): FaultPlan {
  const timed: TimedFault[] = [];
  const atEffects = new Map<string, EffectFault>();
  for (const fault of faults) {
    if ('timeMs' in fault) timed.push(fault);
    else {
      const place = placeOf(fault.process, fault.effect);
      if (atEffects.has(place))
        throw new RangeError(`the plan has two faults for effect ${fault.effect} of ${fault.process}`);
      atEffects.set(place, fault);
    }
  }
  return {
    timed,
    at(process, effect, _timeMs, traits) {
      const fault = atEffects.size === 0 ? undefined : atEffects.get(placeOf(process, effect));
      return fault && isPossible(fault.type, traits) ? fault : undefined;
    },
  };
}

export function describeFault(fault: Fault): string {
  const { type, ...rest } = fault;
  const { process, effect, timeMs, ...details } = rest as Partial<AtEffect & AtTime> & Record<string, unknown>;
  const place =
    timeMs === undefined ? `at effect ${effect} of ${process}` : `at ${timeMs} ms${process ? ` to ${process}` : ''}`;
  const shown = Object.entries(details).map(([name, value]) => `${name} ${value}`);
  return [type, place, ...shown].join(', ').replace(', ', ' ');
}

function placeOf(process: string, effect: number): string {
  return `${effect} ${process}`;
}
