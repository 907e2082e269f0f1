/** Time, as a port. Production reads the system's clock; a simulation advances a virtual one. */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch, for display and storage. It jumps when the clock is set. */
  now(): number;
  /** Whole milliseconds since an arbitrary start. Never jumps: for durations and deadlines within a process. */
  monotonicMs(): number;
  /** Calls back once after `delayMs`. The returned function cancels it, and is safe to call twice. */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => Math.floor(performance.now()),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMs`, or when the signal aborts. It never rejects. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(delayMs, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** The last even and the last odd second: a status has the current time, and times that were rounded up. */
const lastSeconds = [Number.NaN, Number.NaN];
const lastTimestamps = ['', ''];

/** The timestamp format of API objects: RFC 3339, in UTC, to the second. */
export function timestampAt(timeMs: number): string {
  const second = Math.floor(timeMs / 1000);
  // Thousands of objects are written in one second, and formatting a date costs more than storing one.
  const slot = second & 1;
  if (second !== lastSeconds[slot]) {
    lastTimestamps[slot] = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
    lastSeconds[slot] = second;
  }
  return lastTimestamps[slot] ?? '';
}
