/** `--timeout`: how long to wait at most, as Go and kubectl write it: `90s`, `5m`, `1h30m`. */
import { type Call, UsageError } from '@ecsm/command-line';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const form = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;
const part = /(\d+(?:\.\d+)?)(ms|s|m|h)/g;
/** One week. */
const timeoutMsMax = 7 * 24 * 3_600_000;

/** Returns milliseconds, or undefined if the text is not a duration. */
export function parseTime(text: string): number | undefined {
  if (text === '0') return 0;
  if (!form.test(text)) return undefined;
  return [...text.matchAll(part)].reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitMs[unit] ?? 0), 0);
}

/** The value of `--timeout` in milliseconds; 0 becomes Infinity. Throws `UsageError`. */
export function timeoutMsOf(call: Call): number {
  const text = call.flag('timeout') ?? '';
  const from = call.origin('timeout') ?? '--timeout';
  const timeMs = parseTime(text);
  if (timeMs === undefined) throw new UsageError(`${from} has to be a time such as 90s, 5m or 1h30m, not "${text}"`);
  if (timeMs > timeoutMsMax)
    throw new UsageError(`${from} has to be at most a week (168h), not "${text}"; 0 means no timeout`);
  return timeMs === 0 ? Number.POSITIVE_INFINITY : timeMs;
}
