/** Everything that happened in a run, in order: for oracles to judge and for people to read. */
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
  /** When it reached the other end; nothing while it has not, or when it was lost on the way. */
  readonly appliedMs: number | undefined;
  /** What the caller was told: `ok`, the code of an error, `error` for one that is not of the catalogue. */
  readonly answer: 'ok' | 'error' | ErrorCode | undefined;
}

/** The record while it is being written. */
export type OpenRecord = { -readonly [K in keyof EffectRecord]: EffectRecord[K] };

export interface JournalEvent {
  readonly timeMs: number;
  readonly process: string;
  readonly incarnation: number;
  /** The effect it is about; nothing for what happens to a process as a whole. */
  readonly effect: EffectRecord | undefined;
  readonly what: string;
  readonly level?: LogLevel;
  readonly fields?: LogFields | undefined;
}

/** The words of the trace for what befalls an effect before its answer. */
export const happenings = {
  sent: 'sent',
  applied: 'applied',
  appliedAgain: 'applied again',
  requestLost: 'request lost',
  responseLost: 'response lost',
  cutOff: 'lost: cut off',
  crashBefore: 'crash before it was sent',
  crashAfter: 'crash before the answer came',
  lostInCrash: 'lost in the crash',
} as const;

export class Journal {
  /** In the order they were sent. */
  readonly effects: EffectRecord[] = [];
  readonly events: JournalEvent[] = [];
  /** Those that took hold, in order. Given to another run of the same seed, they make the same run. */
  readonly faults: Fault[] = [];

  about(effect: EffectRecord, timeMs: number, what: string): void {
    this.events.push({ timeMs, process: effect.process, incarnation: effect.incarnation, effect, what });
  }

  note(process: string, incarnation: number, timeMs: number, what: string): void {
    this.events.push({ timeMs, process, incarnation, effect: undefined, what });
  }
}
