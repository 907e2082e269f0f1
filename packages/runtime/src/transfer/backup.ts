/** Backs up a registry as text, at one revision, while clients keep writing. See format.ts for the format. */
import { type Clock, systemClock, timestampAt } from '../ports/clock.ts';
import type { Store } from '../store/contract.ts';
import { type BackupSummary, LineWriter } from './format.ts';
import type { TransferOptions } from './progress.ts';
import { completeSnapshot } from './snapshot.ts';

export interface BackupOptions extends TransferOptions {
  /**
   * Skip records whose stored bytes are damaged; the last line counts them. Default false: the first of them fails the
   * backup with `Corrupt`.
   */
  readonly leaveOutDamaged?: boolean;
  /** Called once, when the last line has been consumed: without it a backup is not complete. */
  readonly onEnd?: (summary: BackupSummary) => void;
  /** For the time of the backup. Default: the system clock. */
  readonly clock?: Clock;
}

/** Approximate size of the chunks. */
const chunkBytes = 64 * 1024;

/**
 * Includes everything in the store, leases and fences too: what to transfer is decided at the restore. Memory is bounded
 * by one page, and pages are read on demand.
 *
 * Throws `Expired` if the store was compacted past the revision of the backup, because it took too long: discard the
 * output and start again. Throws `Forbidden` if the registry is itself an unfinished restore.
 */
export async function* backup(store: Store, options: BackupOptions = {}): AsyncGenerator<Uint8Array, void> {
  const { clock = systemClock, onProgress, onEnd } = options;
  const writer = new LineWriter();
  const time = timestampAt(clock.now());
  let header: { readonly revision: number; readonly time: string } | undefined;
  let lines: Buffer[] = [];
  let pendingBytes = 0;
  let objects = 0;
  let bytes = 0;
  let damaged = 0;
  const push = (line: Buffer) => {
    lines.push(line);
    pendingBytes += line.byteLength;
  };
  const take = () => {
    const chunk = Buffer.concat(lines);
    lines = [];
    pendingBytes = 0;
    return chunk;
  };
  for await (const page of completeSnapshot(store, options)) {
    if (header === undefined) {
      header = { revision: page.revision, time };
      push(writer.header(header));
    }
    for (const entry of page.entries) {
      push(writer.record(entry));
      objects++;
      bytes += entry.value.byteLength;
      if (pendingBytes >= chunkBytes) yield take();
    }
    damaged += page.damaged.length;
    onProgress?.({ phase: 'reading', objects, bytes });
  }
  push(writer.footer(objects, damaged));
  yield take();
  if (header !== undefined) onEnd?.({ ...header, objects, bytes, damaged, sum: writer.sum });
}
