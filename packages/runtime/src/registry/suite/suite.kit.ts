/** What all parts of the suite share: the harness of an implementation, and a new registry for each test. */
import { Crate, Note, Region, Widget } from '@ecsm/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConflictCause, isApiError } from '../../api/errors.ts';
import type { Kind } from '../../api/kind.ts';
import { type Clock, systemClock } from '../../ports/clock.ts';
import type { Capabilities, Registry } from '../contract.ts';

export interface RegistryHarness {
  /** Those that its registries have. A test compares them. */
  readonly capabilities: readonly (keyof Capabilities)[];
  /** A new, empty registry. The clock is that of the component that sets the times of objects. */
  create(options: { readonly kinds: readonly Kind[]; readonly clock: Clock }): Promise<Registry>;
  /** Stores a text under a key, past all rules; undefined where that is not possible. */
  readonly damage: ((registry: Registry, key: string, text: string) => Promise<void>) | undefined;
  /**
   * A kube-apiserver with CustomResourceDefinitions: it has its own clock and wording, and neither core kinds of ours nor
   * names that are not DNS names.
   */
  readonly isKubernetes?: boolean;
  /** Closes and removes everything. */
  cleanup(): Promise<void>;
}

interface Failed {
  readonly code: string;
  readonly message: string;
  readonly causes?: readonly ConflictCause[] | undefined;
}

export async function failure(promise: Promise<unknown>): Promise<Failed> {
  try {
    await promise;
  } catch (error) {
    if (isApiError(error, 'Conflict')) return { code: error.code, message: error.message, ...error.details };
    if (isApiError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: 'no error', message: '' };
}

/** Call it in a `describe`. */
export function registrySuite(harness: RegistryHarness) {
  const { isKubernetes = false, capabilities } = harness;
  let registry: Registry;
  let nowMs: number;
  const clock: Clock = { ...systemClock, now: () => nowMs };
  const widgets = () => registry.resource(Widget);

  beforeEach(async () => {
    nowMs = Date.UTC(2030, 0, 1, 12, 0, 0, 500);
    registry = await harness.create({ kinds: [Widget, Crate, Region, Note], clock });
  });
  afterEach(() => harness.cleanup());

  return {
    harness,
    isKubernetes,
    clock,
    widgets,
    /** The registry of the test that runs. */
    get registry(): Registry {
      return registry;
    },
    /** Advances the clock of the registry. */
    advance(byMs: number): void {
      nowMs += byMs;
    },
    /** The newest version: unchanged as long as nothing is written. */
    newest: async () => (await widgets().list({ limit: 1 })).resourceVersion,
    /** A time of the registry's clock; only its format if the server has another clock. */
    time: (timestamp: string) => (isKubernetes ? expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/) : timestamp),
    whereCapable: (capability: keyof Capabilities, what: string, tests: () => void) =>
      capabilities.includes(capability)
        ? describe(`${what} (capability: ${capability})`, tests)
        : describe.skip(`${what} (without the capability: ${capability})`, tests),
    whereDamaged: harness.damage ? it : it.skip,
    damage: async (key: string, text: string) => harness.damage?.(registry, key, text),
  };
}

export type RegistrySuite = ReturnType<typeof registrySuite>;
