/**
 * A watch over a log that can be read from any revision. The memory, sqlite and file stores share it.
 *
 * The watcher pulls: it reads a bounded batch from the log, delivers it, and reads the next. Nothing is buffered in
 * between, so a slow watcher costs no memory; if the log is compacted past it, `read` throws `Expired` and the watcher
 * lists again.
 */
import type { Commit, Revision, WatchOptions } from './contract.ts';
import type { RevisionWaiter } from './revision-notifier.ts';

export interface LogSource {
  /** Returns the next commits after `after` that touch the prefix. Bounded in size. Throws `Expired`. */
  read(after: Revision, prefix: string, detail: Detail): LogBatch;
  /** A wait resolves once there may be a commit after its revision, or with `wake`. It rejects when the store closes. */
  waiter(prefix: string): Pick<RevisionWaiter, 'wait' | 'wake' | 'after'>;
}

export type Detail = NonNullable<WatchOptions['detail']>;

export interface LogBatch {
  readonly commits: readonly Commit[];
  /** Every commit up to this revision was read, whether it touched the prefix or not. */
  readonly through: Revision;
}

export async function* follow(source: LogSource, prefix: string, options: WatchOptions): AsyncGenerator<Commit, void> {
  const { signal, detail = 'values', progress = false } = options;
  // A watch with progress is woken by every commit.
  const waiter = source.waiter(progress ? '' : prefix);
  const wake = () => waiter.wake();
  signal?.addEventListener('abort', wake);
  let position = options.after;
  try {
    while (!signal?.aborted) {
      const { commits, through } = source.read(position, prefix, detail);
      for (const commit of commits) {
        yield commit;
        if (signal?.aborted) return;
      }
      if (progress && through > (commits.at(-1)?.revision ?? position)) yield { revision: through, changes: [] };
      if (through === position) await waiter.wait(position);
      // A wait may have passed commits of other keys.
      position = Math.max(through, waiter.after);
    }
  } finally {
    signal?.removeEventListener('abort', wake);
  }
}
