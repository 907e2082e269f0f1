/** Oracles: plain functions that look at a run and say what is wrong with it, if anything. */
import type { EffectRecord, Journal } from './journal.ts';
import type { SharedStore } from './shared-store.ts';

/** What an oracle may look at. */
export interface SimulationState {
  readonly seed: number;
  readonly nowMs: number;
  readonly faultsUntilMs: number;
  readonly endMs: number;
  readonly store: SharedStore;
  readonly journal: Journal;
}

/** What is wrong, in a sentence; nothing if all is well. */
export type Oracle = (state: SimulationState) => string | undefined;

export interface Failure {
  /** The name of the oracle, or of what else found it. */
  readonly oracle: string;
  readonly message: string;
}

export interface StableOptions {
  /** For how long before the end of the run nothing may be written. */
  readonly quietMs: number;
  /** Writes that are no sign of unrest, such as the renewal of a lease. */
  readonly except?: (effect: EffectRecord) => boolean;
}

/**
 * Eventually stable: faults and inputs being over, the last `quietMs` of the run have no write. Leave the run time
 * between the end of the faults and the quiet span, to come to rest in.
 */
export function stable({ quietMs, except = () => false }: StableOptions): Oracle {
  return ({ endMs, faultsUntilMs, nowMs, journal }) => {
    if (endMs - quietMs <= faultsUntilMs) return `the run is too short to be quiet for ${quietMs} ms after its faults`;
    // A run that ended early did so because nothing was left to happen.
    if (nowMs < endMs) return undefined;
    const { effects } = journal;
    for (let index = effects.length - 1; index >= 0; index--) {
      const effect = effects[index] as EffectRecord;
      if (effect.sentMs <= endMs - quietMs) return undefined;
      if (effect.kind === 'write' && !except(effect)) {
        return `${effect.process} still writes at ${effect.sentMs} ms: ${effect.name}`;
      }
    }
    return undefined;
  };
}
