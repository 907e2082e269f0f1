/** The objects that a command is about, and a word for people if there are none. */
import type { Call } from '@ecsm/command-line';
import type { Session } from '../shared/session.ts';
import { type Target, targetsOf } from '../shared/targets.ts';

/** As `targetsOf`. Only a selector or `--all` finds none; that is no error, and is said. */
export async function chosenTargets(call: Call, session: Session): Promise<readonly Target[]> {
  const targets = await targetsOf(call, session);
  if (targets.length === 0) {
    const where = session.isAllNamespaces ? '' : ` in ${session.namespace} namespace`;
    call.terminal.err.write(`No resources found${where}.\n`);
  }
  return targets;
}
