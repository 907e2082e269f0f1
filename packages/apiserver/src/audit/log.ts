/**
 * The audit log: a file of JSON lines, private to the user, that is rotated by size. Requests never wait for it: lines are
 * queued in memory up to a limit and written in the background. What cannot be written is dropped, and the number of
 * dropped lines is reported at most once a minute.
 *
 *     idle ──(line)──▶ writing ──(queue is empty)──▶ idle
 *                        │
 *                        └─(failure: the batch is dropped)──▶ writing, or idle
 */
import { type Clock, type Log, timestampAt } from '@ecsm/runtime';
import { type AuditFile, openAuditFile } from './file.ts';
import { type AuditRecord, formatRecord } from './record.ts';

export interface AuditLogOptions {
  /** Its directory has to exist. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Default 16 MiB. The file is renamed to `path.1` before it would be larger. */
  readonly fileBytesMax?: number;
  /** Files that are kept besides the current one. Default 4; 0 keeps none. */
  readonly rotatedFilesMax?: number;
}

export const auditLimits = {
  fileBytesMaxDefault: 16_777_216,
  rotatedFilesMaxDefault: 4,
  /** Queued lines. About 3,000 of usual size. */
  queueBytesMax: 1_048_576,
  /** Lines that are written at once. */
  batchBytesMax: 262_144,
  reportMs: 60_000,
} as const;

export class AuditLog {
  readonly #file: AuditFile;
  readonly #clock: Clock;
  readonly #log: Log;
  #queue: string[] = [];
  #queueBytes = 0;
  #writing: Promise<void> | undefined;
  #dropped = 0;
  #reportedMs = Number.NEGATIVE_INFINITY;

  constructor(options: AuditLogOptions) {
    const { path, clock, log } = options;
    this.#file = openAuditFile({
      path,
      fileBytesMax: options.fileBytesMax ?? auditLimits.fileBytesMaxDefault,
      rotatedFilesMax: options.rotatedFilesMax ?? auditLimits.rotatedFilesMaxDefault,
    });
    this.#clock = clock;
    this.#log = log;
  }

  /** Never waits and never throws. */
  write(record: AuditRecord): void {
    const line = formatRecord(record, timestampMs);
    const bytes = Buffer.byteLength(line);
    if (this.#queueBytes + bytes > auditLimits.queueBytesMax) {
      this.#drop(1, 'the disk is too slow');
      return;
    }
    this.#queue.push(line);
    this.#queueBytes += bytes;
    this.#writing ??= this.#writeQueue();
  }

  /** Resolves when everything in the queue is written or dropped. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#file.close();
    if (this.#dropped > 0) this.#report('the log was closed');
  }

  async #writeQueue(): Promise<void> {
    // Lines of one turn of the event loop are written together.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const lines = this.#takeBatch();
      const batch = lines.join('');
      try {
        await this.#file.append(batch);
      } catch (error) {
        this.#drop(lines.length, error instanceof Error ? error.message : String(error));
      }
      this.#queueBytes -= Buffer.byteLength(batch);
    }
    this.#writing = undefined;
  }

  #takeBatch(): readonly string[] {
    let bytes = 0;
    const end = this.#queue.findIndex((line) => {
      bytes += Buffer.byteLength(line);
      return bytes > auditLimits.batchBytesMax;
    });
    return this.#queue.splice(0, end === -1 ? this.#queue.length : Math.max(end, 1));
  }

  #drop(lines: number, reason: string): void {
    this.#dropped += lines;
    if (this.#clock.monotonicMs() - this.#reportedMs >= auditLimits.reportMs) this.#report(reason);
  }

  #report(reason: string): void {
    this.#log.write('error', 'audit log cannot be written; lines dropped', { lines: this.#dropped, reason });
    this.#reportedMs = this.#clock.monotonicMs();
    this.#dropped = 0;
  }
}

/** To the millisecond. */
function timestampMs(timeMs: number): string {
  const milliseconds = String(Math.floor(timeMs) % 1_000).padStart(3, '0');
  return timestampAt(timeMs).replace('Z', `.${milliseconds}Z`);
}
