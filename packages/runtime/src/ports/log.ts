export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type LogFields = Readonly<Record<string, unknown>>;

/** The log, as a port: a short message, and fields to search by. */
export interface Log {
  write(level: LogLevel, message: string, fields?: LogFields): void;
  /** Whether lines of this level are written. Absent: all of them. */
  isEnabled?(level: LogLevel): boolean;
}

export const silentLog: Log = { write: () => {}, isEnabled: () => false };

/** For frequent lines, whose fields cost more than the decision not to write them. */
export function isEnabled(log: Log, level: LogLevel): boolean {
  return log.isEnabled?.(level) ?? true;
}
