/** The objects of a command, with a message if there are none. */
import type { Call } from '@ecsm/command-line';
import type { Session } from '../shared/session.ts';
import { type Target, targetsOf } from '../shared/targets.ts';

/** Like `targetsOf`, with a message if a selector or `--all` finds no objects, which is not an error. */
export async function selectedTargets(call: Call, session: Session): Promise<readonly Target[]> {
  const targets = await targetsOf(call, session);
  if (targets.length === 0) {
    const where = session.isAllNamespaces ? '' : ` in ${session.namespace} namespace`;
    call.terminal.err.write(`No resources found${where}.\n`);
  }
  return targets;
}
