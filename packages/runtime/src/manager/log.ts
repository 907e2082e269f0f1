/**
 * Logs: one JSON object per line, or one human-readable line. Any value can be a field: a bigint, a cycle or a failing
 * getter does not make a log throw. Secrets are redacted in messages and in fields.
 */
import { type Clock, systemClock } from '../ports/clock.ts';
import { isEnabled, type Log, type LogFields, type LogLevel } from '../ports/log.ts';
import { redactText } from '../redact/text.ts';
import { type PlainValue, plainFields } from './log-fields.ts';
import { preciseTimestampAt } from './precise-timestamp.ts';

interface LogOptions {
  /** Writes one line, which ends in a line feed: `(line) => process.stderr.write(line)`. */
  readonly write: (line: string) => void;
  readonly clock?: Clock;
  /** Minimum level. Default `info`. With `debug`, errors include their stack. */
  readonly level?: LogLevel;
}

interface ReadableLogOptions extends LogOptions {
  /** Usually `stream.isTTY`. Default false. */
  readonly colour?: boolean;
}

const severity: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
const colours: Readonly<Record<LogLevel, number>> = { debug: 90, info: 32, warn: 33, error: 31 };
const reserved = new Set(['time', 'level', 'msg']);

export function jsonLog(options: LogOptions): Log {
  return logOf(options, (time, level, message, fields) => {
    // A field of such a name would replace a field of the line itself.
    const own = fields.map(([name, value]) => [reserved.has(name) ? `${name}_` : name, value] as const);
    return JSON.stringify(Object.fromEntries([['time', time], ['level', level], ['msg', message], ...own]));
  });
}

/** `12:03:04.123 INFO  message key=value`, in UTC. */
export function readableLog(options: ReadableLogOptions): Log {
  const paint = (code: number, text: string) => (options.colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  return logOf(options, (time, level, message, fields) => {
    const head = `${time.slice(11, 23)} ${paint(colours[level], level.toUpperCase().padEnd(5))} ${visible(message)}`;
    return [head, ...fields.map(([name, value]) => `${paint(90, `${visible(name)}=`)}${valueText(value)}`)].join(' ');
  });
}

/** The same log, with these fields on every line; fields of the line take precedence. */
export function withFields(log: Log, fields: LogFields): Log {
  return {
    write: (level, message, more) => log.write(level, message, { ...fields, ...more }),
    isEnabled: (level) => isEnabled(log, level),
  };
}

type Format = (
  time: string,
  level: LogLevel,
  message: string,
  fields: readonly (readonly [name: string, value: PlainValue])[],
) => string;

function logOf({ write, clock = systemClock, level: least = 'info' }: LogOptions, format: Format): Log {
  const stacks = least === 'debug';
  const isWritten = (level: LogLevel) => severity[level] >= severity[least];
  return {
    isEnabled: isWritten,
    write(level, message, fields = {}) {
      if (!isWritten(level)) return;
      const time = preciseTimestampAt(clock.now());
      write(`${format(time, level, redactText(message), plainFields(fields, stacks))}\n`);
    },
  };
}

function valueText(value: PlainValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text !== '' && /^[^\s"'=\p{C}]+$/u.test(text) ? text : quoted(value, text);
}

function quoted(value: PlainValue, text: string): string {
  return visible(typeof value === 'string' ? JSON.stringify(text) : text);
}

/** Escapes control characters, so that untrusted text can neither forge a line nor control a terminal. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (character) => {
    if (character === '\n') return '\\n';
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
