/** Flags whose value is a number. */
import { type Call, UsageError } from '@ecsm/command-line';

/** Returns undefined if the flag is not set. Throws `UsageError`. */
export function wholeNumberOf(call: Call, flag: string, minimum = 1): number | undefined {
  const text = call.flag(flag);
  if (text === undefined) return undefined;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= minimum) return number;
  throw new UsageError(`${call.origin(flag) ?? `--${flag}`} has to be a whole number from ${minimum}, not "${text}"`);
}
