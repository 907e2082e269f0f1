/** Registries for commands that write. A dry run never creates a registry. */
import type { Call } from '@ecsm/command-line';
import { type Session, withSession } from '../shared/session.ts';
import { isDryRun } from '../shared/targets.ts';

type Work<T> = (session: Session) => Promise<T>;

/** Suffix of each output line of a dry run. */
export function dryRunMark(call: Call): string {
  return isDryRun(call) ? ' (dry run)' : '';
}

/**
 * For commands that change existing objects. Throws if the registry does not exist. An interruption does not abandon
 * writes, so commands that wait have to check the signal of the terminal.
 */
export async function withExistingRegistry<T>(call: Call, work: Work<T>): Promise<T> {
  const uninterrupted = { ...call.terminal, signal: new AbortController().signal };
  return withSession({ ...call, terminal: uninterrupted }, work, { writes: true });
}

/** For commands that create objects. Creates the registry, except in a dry run. */
export async function withNewRegistry<T>(call: Call, work: Work<T>): Promise<T> {
  return isDryRun(call) ? withRegistryOrNone(call, work) : withSession(call, work, { missing: 'create' });
}

/** For reading. A missing registry is replaced by an empty one in memory. */
export async function withRegistryOrNone<T>(call: Call, work: Work<T>): Promise<T> {
  return withSession(call, work, { missing: 'memory' });
}
