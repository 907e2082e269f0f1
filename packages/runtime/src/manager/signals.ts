/**
 * Handles signals of the operating system. The first SIGTERM or SIGINT starts a graceful shutdown, a second one ends the
 * process immediately with code 1.
 */
import process from 'node:process';
import { type Log, silentLog } from '../ports/log.ts';

type StopSignal = 'SIGTERM' | 'SIGINT';

/** The subset of Node's `process` that is used here. */
interface SignalSource {
  on(name: StopSignal, listener: (name: StopSignal) => void): unknown;
  off(name: StopSignal, listener: (name: StopSignal) => void): unknown;
  exit(code: number): void;
}

interface UntilSignalOptions {
  /** Default: this process. */
  readonly process?: SignalSource;
  readonly log?: Log;
}

const names: readonly StopSignal[] = ['SIGTERM', 'SIGINT'];

/** Runs the work with a signal that aborts on SIGTERM or SIGINT. The listeners are removed afterwards. */
export async function untilSignal<T>(
  work: (signal: AbortSignal) => Promise<T>,
  options: UntilSignalOptions = {},
): Promise<T> {
  const { process: source = process, log = silentLog } = options;
  const controller = new AbortController();
  const listener = (name: StopSignal) => {
    if (controller.signal.aborted) {
      log.write('error', 'second signal; exiting immediately', { signal: name });
      source.exit(1);
      return;
    }
    log.write('info', 'stopping; a second signal ends the process immediately', { signal: name });
    controller.abort();
  };
  for (const name of names) source.on(name, listener);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of names) source.off(name, listener);
  }
}
