/**
 * Progress output while waiting: the subject, elapsed time, timeout, current state, and the time since the last response
 * of the other side.
 */

import { Failure } from '../command/errors.ts';
import type { Terminal } from '../command/terminal.ts';
import { Live } from './live.ts';

interface WaitOptions {
  /** `service/telemetry to be available`. */
  readonly what: string;
  /** Timeout in milliseconds; `Infinity` for none. */
  readonly timeoutMs: number;
  /** What to do after a timeout: `see "ecsmctl describe …"`. */
  readonly remedy?: string;
}

export interface Progress {
  /** Sets the current state: `2/3 ready`. */
  update(state: string): void;
  /** Records a response of the other side. If it is never called, the last contact is not shown. */
  contact(): void;
  /** Prints a permanent line. */
  print(line: string): void;
  /** For whole lines on the output, which may be the same terminal: they are written above what is painted. */
  above(write: () => void): void;
  /** Aborts at the deadline, and when the command is interrupted. */
  readonly signal: AbortSignal;
}

interface Wait {
  readonly what: string;
  readonly state: string;
  readonly elapsedMs: number;
  readonly timeoutMs: number;
  readonly sinceContactMs?: number | undefined;
}

/** Work that ends earlier shows no progress. */
const quietMs = 500;
const repaintMs = 1_000;
/** Shorter gaps between responses are not shown. */
const silenceMs = 10_000;
/** Node.js fires longer timers immediately. */
const timerMsMax = 2 ** 31 - 1;

/** `waiting for X (12 s of 60 s): 2/3 ready, last contact 40 s ago`. */
export function waitLine({ what, state, elapsedMs, timeoutMs, sinceContactMs }: Wait): string {
  const total = Number.isFinite(timeoutMs) ? ` of ${duration(timeoutMs)}` : '';
  return `waiting for ${what} (${duration(elapsedMs)}${total})${stateOf(state, sinceContactMs)}`;
}

function stateOf(state: string, sinceContactMs: number | undefined): string {
  const contact = isSilent(sinceContactMs) ? `last contact ${duration(sinceContactMs)} ago` : '';
  const parts = [state, contact].filter((part) => part !== '');
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

function isSilent(sinceContactMs: number | undefined): sinceContactMs is number {
  return sinceContactMs !== undefined && sinceContactMs >= silenceMs;
}

/** `60 s`, `2 min 5 s`, `3 h 10 min`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const join = (big: number, bigUnit: string, small: number, smallUnit: string) =>
    small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return join(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  return join(Math.floor(seconds / 3600), 'h', Math.floor((seconds % 3600) / 60), 'min');
}

/**
 * Runs `work` and shows its progress on standard error. Throws `Failure` at the deadline, and the reason of the terminal's
 * signal when it aborts, even if `work` ignores its signal.
 */
export async function withProgress<T>(
  terminal: Terminal,
  { what, timeoutMs, remedy }: WaitOptions,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const { clock } = terminal;
  const startMs = clock.monotonicMs();
  const stop = new AbortController();
  const live = new Live(terminal.err, terminal.signal);
  let state = '';
  let contactMs: number | undefined;
  let cancelTick = () => {};
  const wait = (): Wait => {
    const since = (ms: number) => clock.monotonicMs() - ms;
    return {
      what,
      state,
      elapsedMs: since(startMs),
      timeoutMs,
      sinceContactMs: contactMs === undefined ? contactMs : since(contactMs),
    };
  };
  let isQuiet = true;
  const show = () => {
    if (isQuiet) return;
    const now = wait();
    live.show(waitLine(now), `${state}\n${isSilent(now.sinceContactMs)}`);
  };
  const tick = () => {
    isQuiet = false;
    show();
    cancelTick = clock.after(repaintMs, tick);
  };
  cancelTick = clock.after(quietMs, tick);
  const onAbort = () => stop.abort(terminal.signal.reason);
  terminal.signal.addEventListener('abort', onAbort, { once: true });
  if (terminal.signal.aborted) onAbort();
  const giveUp = () => {
    const { sinceContactMs } = wait();
    const message = `timed out waiting for ${what} after ${duration(timeoutMs)}${stateOf(state, sinceContactMs)}`;
    stop.abort(new Failure(remedy === undefined ? message : `${message}; ${remedy}`));
  };
  const cancelDeadline = Number.isFinite(timeoutMs) ? clock.after(Math.min(timeoutMs, timerMsMax), giveUp) : () => {};
  try {
    return await Promise.race([
      // First, because work that observes its signal may reject with another error.
      rejected(stop.signal),
      work({
        update(text) {
          state = text;
          show();
        },
        contact() {
          contactMs = clock.monotonicMs();
        },
        print: (line) => live.print(line),
        above: (write) => live.above(write),
        signal: stop.signal,
      }),
    ]);
  } finally {
    cancelTick();
    cancelDeadline();
    terminal.signal.removeEventListener('abort', onAbort);
    live.clear();
  }
}

function rejected(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
