export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type LogFields = Readonly<Record<string, unknown>>;

/** The log, as a port: a short message, and fields to search by. */
export interface Log {
  write(level: LogLevel, message: string, fields?: LogFields): void;
}

export const silentLog: Log = { write: () => {} };
