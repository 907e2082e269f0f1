export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type LogFields = Readonly<Record<string, unknown>>;

/** Output for people and machines, as a port: one sentence, and fields to search by. */
export interface Log {
  write(level: LogLevel, message: string, fields?: LogFields): void;
}

export const silentLog: Log = { write: () => {} };
