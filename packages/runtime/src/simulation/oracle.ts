/** Oracles: plain functions that check the state of a run and return a failure message. */
import type { EffectRecord, Journal } from './journal.ts';
import type { SharedStore } from './shared-store.ts';

/** The input of an oracle. */
export interface SimulationState {
  readonly seed: number;
  readonly nowMs: number;
  readonly faultsUntilMs: number;
  readonly endMs: number;
  readonly store: SharedStore;
  readonly journal: Journal;
}

/** Returns undefined if the check passes, otherwise the failure message. */
export type Oracle = (state: SimulationState) => string | undefined;

export interface Failure {
  /** The name of the oracle, or of another source of the failure. */
  readonly oracle: string;
  readonly message: string;
}

interface StableOptions {
  /** Time before the end of the run in which no write is allowed. */
  readonly quietMs: number;
  /** Writes that are allowed, such as the renewal of a lease. */
  readonly except?: (effect: EffectRecord) => boolean;
}

/**
 * Eventually stable: after the end of faults and inputs, there is no write in the last `quietMs` of the run. Leave enough
 * time to become stable between the end of the faults and that interval.
 */
export function stable({ quietMs, except = () => false }: StableOptions): Oracle {
  return ({ endMs, faultsUntilMs, nowMs, journal }) => {
    if (endMs - quietMs <= faultsUntilMs) return `the run is too short to be quiet for ${quietMs} ms after its faults`;
    // A run that ended early had no scheduled events left.
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
