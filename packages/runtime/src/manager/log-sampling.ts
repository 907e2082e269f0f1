/**
 * Limits repeated warnings and errors: in each interval the first few lines of a kind are written, the others are
 * counted, and the count follows in one line. Otherwise a persistent failure, such as a full disk, would fill the log
 * with copies of one line.
 */
import { BoundedMap } from '../lib/bounded-map.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import { isEnabled, type Log, type LogFields, type LogLevel } from '../ports/log.ts';

export interface SamplingOptions {
  readonly clock?: Clock;
  /** Default 10,000. */
  readonly intervalMs?: number;
  /** Lines of one kind that are written in one interval before the others are only counted. Default 10. */
  readonly linesMax?: number;
}

/** Maximum number of kinds of lines. Beyond it, the oldest is evicted and its count written. */
export const SAMPLED_KINDS_MAX = 1_000;
const reasonCharactersMax = 200;

interface Series {
  readonly level: LogLevel;
  readonly message: string;
  readonly startMs: number;
  lines: number;
  repeated: number;
  lastFields: LogFields;
}

/**
 * Lines are of one kind if level, message and error are equal except for numbers and quoted names. The line with the
 * count has the field `repeated` and the other fields of the last suppressed line. There is no timer: it is written
 * before the first line of any kind after the interval. Lines of level `info` and `debug` are never suppressed.
 */
export function sampledLog(log: Log, options: SamplingOptions = {}): Log {
  const { clock = systemClock, intervalMs = 10_000, linesMax = 10 } = options;
  const end = (kind: string, { level, message, repeated, lastFields }: Series) => {
    series.delete(kind);
    if (repeated > 0) log.write(level, message, { ...lastFields, repeated });
  };
  const series = new BoundedMap<string, Series>(SAMPLED_KINDS_MAX, end);
  return {
    // While lines are counted, any line may be the first one after the interval.
    isEnabled: (level) => series.size > 0 || isEnabled(log, level),
    write(level, message, fields = {}) {
      const nowMs = clock.monotonicMs();
      // In the order of their start, so the first one that has not ended ends the loop.
      for (const [kind, one] of series) {
        if (nowMs - one.startMs < intervalMs) break;
        end(kind, one);
      }
      if (level === 'debug' || level === 'info') return log.write(level, message, fields);
      const kind = kindOf(level, message, fields);
      const known = series.get(kind);
      if (known && known.lines >= linesMax) {
        known.repeated++;
        known.lastFields = fields;
        return;
      }
      if (known) known.lines++;
      else series.set(kind, { level, message, startMs: nowMs, lines: 1, repeated: 0, lastFields: fields });
      log.write(level, message, fields);
    },
  };
}

function kindOf(level: LogLevel, message: string, { error }: LogFields): string {
  const reason = error instanceof Error ? error.message : typeof error === 'string' ? error : '';
  const general = `${message}\n${reason.slice(0, reasonCharactersMax)}`.replace(/"[^"]*"|\d+/g, '#');
  return `${level}\n${general}`;
}
