/** Objects that a call refers to. The response for an unknown id is not documented, so it is a separate error. */
import { Refusal, type RefusalName } from '../platform/refusal.ts';

/** The response depends on the switch `unknownId`. */
export class UnknownSubject extends Refusal {}

export function known<T>(subject: T | undefined, why: RefusalName, id: string): T {
  if (subject === undefined) throw new UnknownSubject(why, id.slice(0, 100));
  return subject;
}
