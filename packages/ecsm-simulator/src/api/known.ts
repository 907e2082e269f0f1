/** What a call is about. A subject that is not there is a case of its own: nobody knows what the real platform says then. */
import { Refusal, type RefusalName } from '../platform/refusal.ts';

/** Answered as the switch `unknownId` says. */
export class UnknownSubject extends Refusal {}

export function known<T>(subject: T | undefined, why: RefusalName, id: string): T {
  if (subject === undefined) throw new UnknownSubject(why, id.slice(0, 100));
  return subject;
}
