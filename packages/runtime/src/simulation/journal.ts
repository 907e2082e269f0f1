/** All events of a run, in order: for oracles and for the trace. */
import type { ErrorCode } from '../api/errors.ts';
import type { LogFields, LogLevel } from '../ports/log.ts';
import type { EffectFault, EffectKind, Fault } from './faults.ts';

export interface EffectRecord {
  readonly process: string;
  readonly incarnation: number;
  readonly number: number;
  readonly name: string;
  readonly kind: EffectKind;
  readonly sentMs: number;
  readonly fault: EffectFault | undefined;
  /** When it was applied at the other end; undefined before that, or if the request was lost. */
  readonly appliedMs: number | undefined;
  /** The result of the caller: `ok`, the code of an error, `error` for one that is not of the catalogue. */
  readonly result: 'ok' | 'error' | ErrorCode | undefined;
}

/** The record while it is being written. */
export type OpenRecord = { -readonly [K in keyof EffectRecord]: EffectRecord[K] };

export interface JournalEvent {
  readonly timeMs: number;
  readonly process: string;
  readonly incarnation: number;
  /** Undefined for events of the process itself. */
  readonly effect: EffectRecord | undefined;
  readonly what: string;
  readonly level?: LogLevel;
  readonly fields?: LogFields | undefined;
}

/** The trace texts for the events of an effect before its result. */
export const effectEvents = {
  sent: 'sent',
  applied: 'applied',
  appliedAgain: 'applied again',
  requestLost: 'request lost',
  responseLost: 'response lost',
  cutOff: 'lost: partition',
  crashBefore: 'crash before it was sent',
  crashAfter: 'crash before the response',
  lostInCrash: 'lost in the crash',
} as const;

export class Journal {
  /** In the order in which they were sent. */
  readonly effects: EffectRecord[] = [];
  readonly events: JournalEvent[] = [];
  /** The faults that took effect, in order. With the same seed and these faults, a run is identical. */
  readonly faults: Fault[] = [];

  about(effect: EffectRecord, timeMs: number, what: string): void {
    this.events.push({ timeMs, process: effect.process, incarnation: effect.incarnation, effect, what });
  }

  note(process: string, incarnation: number, timeMs: number, what: string): void {
    this.events.push({ timeMs, process, incarnation, effect: undefined, what });
  }
}
