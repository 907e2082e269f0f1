/** Simulates the transfer of bytes with a limited bandwidth. */
import type { Clock } from '@ecsm/runtime';

/** Interval between chunks; a chunk has at least one byte. */
const stepMs = 100;

interface Transfer {
  readonly clock: Clock;
  readonly bytes: number;
  /** More than 0. */
  readonly bytesPerSecond: number;
  /** Called with the range of bytes that were transferred. */
  readonly moved: (from: number, to: number) => void;
  readonly done: () => void;
}

/** Starts a transfer, and returns a function that stops it. */
export function transfer({ clock, bytes, bytesPerSecond, moved, done }: Transfer): () => void {
  const chunkBytes = Math.max(1, Math.floor((bytesPerSecond * stepMs) / 1000));
  let stopped = false;
  let cancel = () => {};
  const next = (from: number) => {
    if (stopped) return;
    if (from === bytes) return done();
    const to = Math.min(bytes, from + chunkBytes);
    cancel = clock.after(Math.max(1, Math.round(((to - from) * 1000) / bytesPerSecond)), () => {
      moved(from, to);
      next(to);
    });
  };
  next(0);
  return () => {
    stopped = true;
    cancel();
  };
}
