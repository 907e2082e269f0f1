/**
 * Repeats a probe and counts results: consecutive failures up to its failure threshold make it fail, consecutive
 * successes up to its success threshold make it succeed. Only changes of the result are reported.
 */
import { type Clock, sleep } from '@ecsm/runtime';

export interface ProbeSettings {
  readonly initialDelayMs: number;
  readonly periodMs: number;
  readonly timeoutMs: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

type ProbeResult =
  | { readonly is: 'success' }
  /** `reason` is that of the last attempt. */
  | { readonly is: 'failure'; readonly reason: string };

interface ProbeLoopOptions {
  readonly settings: ProbeSettings;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  attempt(timeoutMs: number): Promise<string | undefined>;
  /** Called at the first result, and at each different one. */
  changed(result: ProbeResult): void;
}

/** Runs until the signal aborts. It never rejects. */
export async function runProbe({ settings, clock, signal, attempt, changed }: ProbeLoopOptions): Promise<void> {
  let last: ProbeResult['is'] | undefined;
  let isFailure = false;
  let repeated = 0;
  await sleep(clock, settings.initialDelayMs, signal);
  while (!signal.aborted) {
    const reason = await attempt(settings.timeoutMs);
    if (signal.aborted) return;
    repeated = (reason !== undefined) === isFailure ? repeated + 1 : 1;
    isFailure = reason !== undefined;
    const threshold = isFailure ? settings.failureThreshold : settings.successThreshold;
    const result: ProbeResult = reason === undefined ? { is: 'success' } : { is: 'failure', reason };
    if (repeated >= threshold && result.is !== last) {
      last = result.is;
      changed(result);
    }
    await sleep(clock, settings.periodMs, signal);
  }
}
