/** Parsers of user input. Each throws `UsageError` with the origin of the text and the expected format. */
import { UsageError } from '@ecsm/command-line';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
/** One day. Timers of Node.js are limited to 24 days. */
const durationMsMax = 24 * 3_600_000;

/** `30s`, `5m`, `1h30m`; a bare number is seconds. */
export function durationMsOf(text: string, from: string): number {
  const seconds = /^\d{1,6}(?:\.\d{1,3})?$/.test(text) ? Number(text) * 1000 : undefined;
  const parts = /^(?:\d{1,6}(?:\.\d{1,3})?(?:ms|s|m|h))+$/.test(text) ? text.matchAll(/([\d.]+)(ms|s|m|h)/g) : [];
  const ms = seconds ?? [...parts].reduce((sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0), 0);
  if (ms > 0 && ms <= durationMsMax) return ms;
  throw new UsageError(`${from} has to be a duration of up to one day, such as 30s or 5m, not "${text}"`);
}

/** Minutes east of UTC. */
export function zoneMinutesOf(text: string, from: string): number {
  if (/^(?:utc|z)$/i.test(text)) return 0;
  const [, sign, hours, minutes = '0'] = /^([+-])(\d{1,2})(?::?([0-5]\d))?$/.exec(text) ?? [];
  const total = Number(hours) * 60 + Number(minutes);
  if (sign !== undefined && total <= 14 * 60) return sign === '-' ? -total : total;
  throw new UsageError(`${from} has to be a time zone such as +08:00 or UTC, not "${text}"`);
}

/** Address of a node's agent: `10.0.0.9:1112`. */
export function nodeAddressOf(text: string, from: string): string {
  const [, host, port] = /^([\w.-]+|\[[0-9a-f:.]+\]):(\d{1,5})$/i.exec(text) ?? [];
  if (host !== undefined && Number(port) >= 1 && Number(port) <= 65_535) return text;
  throw new UsageError(`${from} has to be HOST:PORT of the node's agent, such as 10.0.0.9:1112, not "${text}"`);
}
