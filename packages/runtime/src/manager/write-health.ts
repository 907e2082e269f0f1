/**
 * Whether a store is writable, for `/readyz`. It observes the commits of a process: after one that failed because of the
 * store (full, read-only, unreachable), the process is not ready until a commit succeeds.
 *
 * While commits fail, the check writes a probe, so that it recovers even if nothing else is written. While they succeed,
 * it writes nothing. A registry that cannot fence has no probe, and the next write decides.
 */
import { type ErrorCode, isApiError } from '../api/errors.ts';
import type { Registry } from '../registry/contract.ts';
import { preciseTimestampAt } from './precise-timestamp.ts';

/** Failures of the store. All others are caused by the writer. */
const storeFailures: ReadonlySet<ErrorCode> = new Set([
  'StorageFull',
  'ReadOnly',
  'Unavailable',
  'Timeout',
  'Corrupt',
] satisfies ErrorCode[]);

/** A fence without a holder: it is not an object, and backups omit it. */
const probeFence = 'write-probe';
/** Minimum time between the last failed commit and the next probe. */
export const PROBE_MS_MIN = 5_000;

interface Failure {
  /** Wall time. */
  readonly sinceMs: number;
  /** Monotonic. */
  readonly lastMs: number;
  readonly message: string;
}

export class WriteHealth {
  /** The same registry, observed. The process must write through this one. */
  readonly registry: Registry;
  #failure: Failure | undefined;
  #probe: Promise<void> | undefined;

  constructor(registry: Registry) {
    this.registry = registry.observedBy({
      written: () => {
        this.#failure = undefined;
      },
      failed: (error) => {
        if (!isApiError(error) || !storeFailures.has(error.code)) return;
        const { clock } = registry;
        const sinceMs = this.#failure?.sinceMs ?? clock.now();
        this.#failure = { sinceMs, lastMs: clock.monotonicMs(), message: error.message };
      },
    });
  }

  /** For `readyChecks`: why the store is not writable; undefined if the last commit succeeded. */
  async check(): Promise<string | undefined> {
    const failure = this.#failure;
    if (failure === undefined) return undefined;
    if (this.registry.clock.monotonicMs() - failure.lastMs >= PROBE_MS_MIN) await this.#tryWrite();
    if (this.#failure === undefined) return undefined;
    return `the store has not been writable since ${preciseTimestampAt(failure.sinceMs)}: ${this.#failure.message}`;
  }

  /** Concurrent calls share one probe. */
  async #tryWrite(): Promise<void> {
    const { fencing } = this.registry.capabilities;
    const end = () => {
      this.#probe = undefined;
    };
    this.#probe ??= fencing?.raiseFence(probeFence).then(end, end);
    await this.#probe;
  }
}
