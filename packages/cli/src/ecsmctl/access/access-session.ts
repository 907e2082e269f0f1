/** A registry with the kinds of the server beside those of the operator. Heavy, as `session.ts`. */
import { serverKinds } from '@ecsm/apiserver';
import type { Call } from '@ecsm/command-line';
import { operatorKinds } from '@ecsm/operator/kinds';
import { KindSet } from '@ecsm/runtime';
import { type Session, withSession } from '../shared/session.ts';

export const accessKinds = new KindSet(new Set([...operatorKinds, ...serverKinds]));

type Work<T> = (session: Session) => Promise<T>;

/** For reading. */
export async function withAccess<T>(call: Call, work: Work<T>): Promise<T> {
  return withSession(call, work, { kinds: accessKinds });
}

/** For writing: an interruption does not abandon the work. `create` creates the registry if it does not exist. */
export async function withAccessWriter<T>(call: Call, work: Work<T>, create = false): Promise<T> {
  const uninterrupted = { ...call.terminal, signal: new AbortController().signal };
  const missing = create ? 'create' : 'fail';
  return withSession({ ...call, terminal: uninterrupted }, work, { kinds: accessKinds, missing, writes: true });
}
