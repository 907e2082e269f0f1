/** Flags whose value is a number. */
import type { Call } from '../shell/command.ts';
import { Wrong } from '../shell/wrong.ts';

/** Nothing if nobody said it. Throws `Wrong`. */
export function wholeNumberOf(call: Call, flag: string, minimum = 1): number | undefined {
  const text = call.flag(flag);
  if (text === undefined) return undefined;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= minimum) return number;
  throw new Wrong(`${call.origin(flag) ?? `--${flag}`} has to be a whole number from ${minimum}, not "${text}"`);
}
