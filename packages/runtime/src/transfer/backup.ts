/** A whole registry as text, as of one revision, while others go on writing. See format.ts for what it looks like. */
import { type Clock, systemClock, timestampAt } from '../ports/clock.ts';
import type { Store } from '../store/contract.ts';
import { type BackupSummary, LineWriter } from './format.ts';
import type { TransferOptions } from './progress.ts';
import { completeSnapshot } from './snapshot.ts';

export interface BackupOptions extends TransferOptions {
  /**
   * Go on without records whose stored bytes are damaged; the last line counts them. Default false: the first of them
   * ends the backup with `Corrupt`.
   */
  readonly leaveOutDamaged?: boolean;
  /** Called once, when the last line has been taken: without it a backup is not complete. */
  readonly onEnd?: (summary: BackupSummary) => void;
  /** Tells the time of the backup. Default: the system's. */
  readonly clock?: Clock;
}

/** Lines are handed over in chunks of about this size. */
const chunkBytes = 64 * 1024;

/**
 * Everything in the store, leases and fences too: what is carried over is decided when it is restored. Memory is bounded
 * by one page, and nothing is read before somebody asks for it.
 *
 * `Expired` means that the store was compacted past the revision of the backup, because it took too long: what was
 * written so far is worthless, begin again. `Forbidden` means that the registry is itself an unfinished restore.
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
