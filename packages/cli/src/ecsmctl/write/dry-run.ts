/** Registries for commands that change things: made by those that may, and never by those that only say what they would do. */
import type { Call } from '@ecsm/command-line';
import { isRegistryThere, registryUrl, type Session, withSession } from '../shared/session.ts';
import { said } from '../shared/targets.ts';

type Work<T> = (session: Session) => Promise<T>;

/** Whether nothing is to be written. */
export function isDryRun(call: Call): boolean {
  return (said(call, 'dry-run') ?? 'none') !== 'none';
}

/** Behind each line of a command that has not done what it says. */
export function dryRunMark(call: Call): string {
  return isDryRun(call) ? ' (dry run)' : '';
}

/**
 * For those who change what is there already: a registry that is not there is refused, as it is for those who read, but
 * an interruption ends nothing in the middle of a write. Who waits for something has to mind the terminal's signal.
 */
export async function withExistingRegistry<T>(call: Call, work: Work<T>): Promise<T> {
  const unhurried = { ...call.terminal, signal: new AbortController().signal };
  return withSession({ ...call, terminal: unhurried }, work);
}

/** For those who make objects: the registry is made, too, but not to say what would be done. */
export async function withNewRegistry<T>(call: Call, work: Work<T>): Promise<T> {
  return isDryRun(call) ? withRegistryOrNone(call, work) : withSession(call, work, { create: true });
}

/** To read only. One that is not there yet is an empty one in memory. */
export async function withRegistryOrNone<T>(call: Call, work: Work<T>): Promise<T> {
  const isThere = await isRegistryThere(await registryUrl(call), call.terminal);
  return withSession(isThere ? call : inMemory(call), work);
}

function inMemory(call: Call): Call {
  const url = 'memory:';
  return {
    ...call,
    flag: (name) => (name === 'registry' ? url : call.flag(name)),
    flags: (name) => (name === 'registry' ? [url] : call.flags(name)),
    origin: (name) => (name === 'registry' ? '--registry' : call.origin(name)),
  };
}
