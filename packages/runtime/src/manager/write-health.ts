/**
 * Whether a store can be written to, for `/readyz`. It notes how the commits of a process end: after one that failed for
 * a reason of the store (full, read-only, unreachable), the process is not ready until a commit succeeds.
 *
 * While commits fail, the check tries one of its own, so that it recovers even if nothing else is being written. While
 * they succeed, it writes nothing. On a registry that cannot fence it has nothing to try, and the next write decides.
 */
import { type ErrorCode, isApiError } from '../api/errors.ts';
import type { Registry } from '../registry/contract.ts';
import { preciseTimestampAt } from './moment.ts';

/** Failures of the store. Any other is one of the writer's. */
const storeFailures: ReadonlySet<ErrorCode> = new Set([
  'StorageFull',
  'ReadOnly',
  'Unavailable',
  'Timeout',
  'Corrupt',
] satisfies ErrorCode[]);

/** A fence without a holder: it is not an object, and backups leave it out. */
const probeFence = 'write-probe';
/** From the last commit that failed to the next one that the check tries. */
export const PROBE_MS_MIN = 5_000;

interface Failure {
  /** Wall time. */
  readonly sinceMs: number;
  /** Monotonic. */
  readonly lastMs: number;
  readonly message: string;
}

export class WriteHealth {
  /** The same registry, observed. Let the process write through this one. */
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

  /** For `readyChecks`: why nothing can be written; undefined if the last commit succeeded. */
  async check(): Promise<string | undefined> {
    const failure = this.#failure;
    if (failure === undefined) return undefined;
    if (this.registry.clock.monotonicMs() - failure.lastMs >= PROBE_MS_MIN) await this.#tryWrite();
    if (this.#failure === undefined) return undefined;
    return `nothing can be written since ${preciseTimestampAt(failure.sinceMs)}: ${this.#failure.message}`;
  }

  /** One at a time, however many ask. */
  async #tryWrite(): Promise<void> {
    const { fencing } = this.registry.capabilities;
    const end = () => {
      this.#probe = undefined;
    };
    this.#probe ??= fencing?.raiseFence(probeFence).then(end, end);
    await this.#probe;
  }
}
