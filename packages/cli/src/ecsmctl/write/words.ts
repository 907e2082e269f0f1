/** What the words of a command line have to be, before anything is opened. */
import { type Call, UsageError } from '@ecsm/command-line';
import { parseResourceWords } from '../shared/kinds.ts';
import { knownKinds } from '../shared/session.ts';

/** For commands that take files only. */
export function refuseWords({ words: [first] }: Call): void {
  if (first === undefined) return;
  const isFile = /[./\\]/.test(first);
  throw new UsageError(
    isFile ? `to read "${first}", write -f ${first}` : `objects are read from files: write -f FILE, not "${first}"`,
  );
}

/** For commands that change one thing after the other, and never all of a kind. */
export function requireNames({ words }: Call): void {
  const { kinds, objects } = parseResourceWords({ kinds: knownKinds }, words);
  if (!objects) throw new UsageError(`which ${kinds.map(({ plural }) => plural).join(', ')}? Specify names`);
}
