/** The name that the service of the newest revision gets on the platform. */
import { rolloutName } from '../resource/naming.ts';
import type { Situation } from './situation.ts';

/**
 * The plain one may be taken: by somebody else, or by a service of ours that was
 * brought to another revision in place. Then the digits are counted up; the mark says which revision it is.
 */
export function freeName({ input, base }: Situation): string {
  const taken = new Set(input.observed.map(({ name }) => name));
  for (let digits = Number.parseInt(input.revision.hash, 16); ; digits = (digits + 1) >>> 0) {
    const name = rolloutName(base, digits.toString(16).padStart(8, '0'));
    if (!taken.has(name)) return name;
  }
}
