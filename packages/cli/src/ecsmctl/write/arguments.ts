/** Checks arguments before the registry is opened. */
import { type Call, UsageError } from '@ecsm/command-line';
import { parseResourceArgs } from '../shared/kinds.ts';
import { knownKinds } from '../shared/session.ts';

/** For commands that take only files. */
export function rejectArguments({ words: [first] }: Call): void {
  if (first === undefined) return;
  const isFile = /[./\\]/.test(first);
  throw new UsageError(
    isFile ? `to read "${first}", write -f ${first}` : `objects are read from files: write -f FILE, not "${first}"`,
  );
}

/** For commands that need names and do not accept a kind alone. */
export function requireNames({ words }: Call): void {
  const { kinds, objects } = parseResourceArgs({ kinds: knownKinds }, words);
  if (!objects) throw new UsageError(`which ${kinds.map(({ plural }) => plural).join(', ')}? Specify names`);
}
