/** Bytes that go through a narrow pipe, a little at a time. */
import type { Clock } from '@ecsm/runtime';

/** How often something moves; a slower pipe moves one byte at a time. */
const stepMs = 100;

export interface Transfer {
  readonly clock: Clock;
  readonly bytes: number;
  /** More than 0. */
  readonly bytesPerSecond: number;
  /** The bytes from one place to another have gone through. */
  readonly moved: (from: number, to: number) => void;
  readonly done: () => void;
}

/** Begins, and returns a function that ends it early: what has not moved by then never does. */
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
