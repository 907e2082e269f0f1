/**
 * The menu of faults, as plain data: a list of these says all that goes wrong in a run. A run takes such a list, or has
 * one made from its seed (random-faults.ts), and reports those that took hold, so that they can be given to another run.
 */

/** `event` is one commit on its way to a watcher. */
export type EffectKind = 'read' | 'write' | 'event';

/** How a caller learns that something was lost: it waits in vain, or the connection breaks. */
export type LossError = 'Timeout' | 'Unavailable';

interface AtEffect {
  readonly process: string;
  /** Effects of a process are counted from 1, and go on counting when it is restarted. */
  readonly effect: number;
}

interface AtTime {
  /** Virtual milliseconds since the start of the run. */
  readonly timeMs: number;
}

/** What can happen to one effect. */
export type EffectFault = AtEffect &
  (
    | { readonly type: 'delay'; readonly delayMs: number }
    /** Never applied. */
    | { readonly type: 'lostRequest'; readonly error: LossError }
    /** Applied, and the caller does not learn of it. */
    | { readonly type: 'lostResponse'; readonly error: LossError }
    /** Applied again later, where the effect says that this may happen. */
    | { readonly type: 'duplicate'; readonly delayMs: number }
    /** The answer is as of that many revisions ago, where the effect can be read so. */
    | { readonly type: 'staleRead'; readonly revisions: number }
    /** The process ends instead of sending it. */
    | { readonly type: 'crashBefore'; readonly restartMs: number }
    /** The process ends when it is applied, before the answer comes. */
    | { readonly type: 'crashAfter'; readonly restartMs: number }
    /** The watch breaks with `Unavailable` instead of delivering the event. */
    | { readonly type: 'breakWatch' }
    /** The watch goes on as if the event had not been. It breaks the store's promise: only a resync repairs it. */
    | { readonly type: 'dropEvent' }
    /** The event comes twice. It breaks the store's promise, too. */
    | { readonly type: 'repeatEvent' }
  );

/** What can happen at a moment. */
export type TimedFault = AtTime &
  (
    | { readonly type: 'kill'; readonly process: string; readonly restartMs: number }
    | { readonly type: 'clockStep'; readonly process: string; readonly stepMs: number }
    /** The process is cut off from what is at the other end of the link: `store`, or the `link` of an effect. */
    | { readonly type: 'partition'; readonly process: string; readonly link: string; readonly lengthMs: number }
    /** The store forgets its history but for the newest revisions. */
    | { readonly type: 'compact'; readonly keepRevisions: number }
  );

export type Fault = EffectFault | TimedFault;

/** What an effect can be put through, so that no fault is spent on one that cannot suffer it. */
export interface Abilities {
  readonly kind: EffectKind;
  readonly repeatable: boolean;
  readonly stale: boolean;
}

/** Decides what goes wrong. */
export interface FaultPlan {
  /** Faults at moments, for the whole run. */
  readonly timed: readonly TimedFault[];
  at(process: string, effect: number, timeMs: number, abilities: Abilities): EffectFault | undefined;
}

const always = { read: true, write: true, event: true };
const requests = { read: true, write: true, event: false };
const events = { read: false, write: false, event: true };

const suffers: { readonly [T in EffectFault['type']]: Readonly<Record<EffectKind, boolean>> } = {
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

export function isPossible(type: EffectFault['type'], { kind, repeatable, stale }: Abilities): boolean {
  if (type === 'duplicate') return repeatable;
  if (type === 'staleRead') return stale;
  return suffers[type][kind];
}

/** Exactly these faults. One that its effect cannot suffer does nothing. */
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
    at(process, effect, _timeMs, abilities) {
      const fault = atEffects.size === 0 ? undefined : atEffects.get(placeOf(process, effect));
      return fault && isPossible(fault.type, abilities) ? fault : undefined;
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
