/** The name of the service of the newest revision on the platform. */
import { rolloutName } from '../resource/naming.ts';
import type { PlanContext } from './plan-context.ts';

/**
 * The name with the hash may be in use: by another owner, or by a service of ours that was updated to another revision in
 * place. Then the digits are incremented; the revision is in the mark.
 */
export function freeName({ input, base }: PlanContext): string {
  const taken = new Set(input.observed.map(({ name }) => name));
  for (let digits = Number.parseInt(input.revision.hash, 16); ; digits = (digits + 1) >>> 0) {
    const name = rolloutName(base, digits.toString(16).padStart(8, '0'));
    if (!taken.has(name)) return name;
  }
}
