/** `ecsmctl registry compact`: discards history. Objects are not changed. */
import { Failure, type Run } from '@ecsm/command-line';
import { wholeNumberOf } from '../shared/numbers.ts';
import { withSession } from '../shared/session.ts';

export const run: Run = async (call) => {
  const asked = wholeNumberOf(call, 'revision')?.toString();
  await withSession(call, async ({ registry, url }) => {
    const { history } = registry.capabilities;
    if (!history) throw new Failure(`${url} has no history of its own to compact`);
    const newest = await history.newest();
    if (asked !== undefined && registry.isNewer(asked, newest)) {
      throw new Failure(`there is no revision ${asked} in ${url}: the newest is ${newest}`);
    }
    const revision = asked ?? newest;
    await history.compact(revision);
    call.terminal.out.write(`compacted ${url}: history before revision ${revision} was discarded\n`);
  });
};
